package fieldlift

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func written(t *testing.T, p Payload, data string) string {
	t.Helper()
	var b strings.Builder
	if err := p.Write(&b, func(string) (string, error) { return data, nil }); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Names that strangers chose cannot pass for the place of a document's data.
func FuzzPayload(f *testing.F) {
	f.Add("a.pdf", "May", "Invoices")
	f.Add("\x1edoc_1\x1e", "\"},{", "\u2028\xff")
	f.Fuzz(func(t *testing.T, filename, name, parser string) {
		e := Extraction{ID: "ext_1", Name: name, ParserName: parser, Status: ExtractionPartial, FileCount: 2}
		documents := []Document{
			{ID: "doc_1", Filename: filename, Status: DocumentCompleted},
			{ID: "doc_2", Filename: filename, Status: DocumentFailed, ErrorMessage: name},
		}
		for _, event := range []Event{
			NewDocumentCompleted(time.Now(), e, documents[0]), NewJobCompleted(time.Now(), e, documents), NewBatchEnded(time.Now(), e, documents),
		} {
			text := written(t, event.Payload, `{"found":[1,2]}`)
			if !json.Valid([]byte(text)) || strings.Count(text, `"extracted_data":{"found":[1,2]}`) != 1 {
				t.Errorf("%s", text)
			}
		}
	})
}

func TestPayloadTellsOfDataThatIsNotThere(t *testing.T) {
	gone := errors.New("gone")
	p := NewDocumentCompleted(time.Now(), Extraction{}, Document{ID: "doc_1", Status: DocumentCompleted}).Payload
	if err := p.Write(new(strings.Builder), func(string) (string, error) { return "", gone }); !errors.Is(err, gone) {
		t.Error(err)
	}
}

func TestTestEventIsMarkedTwice(t *testing.T) {
	for _, kind := range []WebhookKind{APIWebhook, DashboardWebhook} {
		var body struct {
			Event EventType
			Test  bool
			Data  struct{ Test bool }
		}
		event := NewTest(time.Now(), "usr_1", kind)
		if err := json.Unmarshal([]byte(written(t, event.Payload, "")), &body); err != nil || !body.Test || !body.Data.Test ||
			body.Event != event.Type || !slices.Contains(EventsOf(kind), event.Type) {
			t.Errorf("%s: %+v, %v", kind, body, err)
		}
	}
}
