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

func TestBeginningOfAPayload(t *testing.T) {
	e := Extraction{ID: "ext_1", AccountID: "usr_1"}
	p := NewDocumentCompleted(time.Unix(0, 0), e, Document{ID: "doc_1", Status: DocumentCompleted}).Payload
	long := func(string) (string, error) { return `{"name":"` + strings.Repeat("ä", 500) + `"}`, nil }
	var whole strings.Builder
	if err := p.Write(&whole, long); err != nil {
		t.Fatal(err)
	}
	for _, most := range []int{0, 1, whole.Len() / 2, whole.Len()/2 + 1, whole.Len() - 1, whole.Len(), whole.Len() + 1} {
		text, cut, err := p.Beginning(most, long)
		if err != nil || cut != (most < whole.Len()) || !strings.HasPrefix(whole.String(), text) || len(text) > most || len(text) < min(most, whole.Len())-1 {
			t.Errorf("%d bytes: %d, %v, %v", most, len(text), cut, err)
		}
	}
	gone := func(string) (string, error) { return "", Errorf(ResourceNotFound, "gone") }
	if text, cut, err := p.Beginning(1000, gone); err != nil || cut || !strings.HasSuffix(text, `"extracted_data":`) {
		t.Errorf("%q, %v, %v", text, cut, err)
	}
	away := func(string) (string, error) { return "", Unavailable(nil) }
	if _, _, err := p.Beginning(1000, away); CodeOf(err) != ServiceUnavailable {
		t.Error(err)
	}
}
