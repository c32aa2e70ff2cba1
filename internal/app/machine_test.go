package app_test

import (
	"testing"
	"time"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/apptest"
)

func TestMachine(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on)
		parser := a.NewParser(t, "Invoices", api.Field{Name: "total", Type: "number"})
		file := apptest.File{Name: "a.pdf", Content: apptest.PDF("Total: 12.00")}
		a.Finished(t, a.Accepted(t, parser, file).ExtractionID)
		m, err := a.Machine(t.Context())
		if err != nil || m.Files != 1 || m.FilesBytes != int64(len(file.Content)) || m.FilesCut || m.FilesPlace != "the data folder" || m.FilesAt.IsZero() ||
			m.DatabaseBytes == 0 || m.Database == "" || !m.DiskKnown || m.DiskFree == 0 || m.Version != fieldlift.Version || m.Node == "" ||
			m.Workers != a.Config.Workers || time.Since(m.Started) > time.Hour {
			t.Errorf("%+v, %v", m, err)
		}
	})
}

// TestWhoDidIt: a key's acts are told as the key's, a document's end is not.
func TestWhoDidIt(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on)
		a.Finished(t, a.Accepted(t, a.NewParser(t, "Invoices", api.Field{Name: "total", Type: "number"}), apptest.File{Name: "a.pdf", Content: apptest.PDF("Total: 12.00")}).ExtractionID)
		list, _, err := a.Store.Activities(t.Context(), a.Account.ID, fieldlift.ActivityFilter{}, fieldlift.Page{Limit: 10})
		if err != nil || len(list) != 4 {
			t.Fatal(list, err)
		}
		for i, act := range []fieldlift.Act{fieldlift.ExtractionSubmitted, fieldlift.ParserCreated} {
			if list[i].Act != act || list[i].Actor != (fieldlift.Actor{Kind: fieldlift.APIKey, Name: "first"}) {
				t.Errorf("%+v", list[i])
			}
		}
	})
}
