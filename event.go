package fieldlift

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"time"
)

// EventType names what has happened.
type EventType string

// The events.
const (
	EventDocumentCompleted EventType = "extraction.document_completed" // a document has ended, well or not
	EventJobCompleted      EventType = "extraction.job_completed"      // all documents of an extraction have
	EventBatchCompleted    EventType = "batch.completed"               // all of them succeeded
	EventBatchFailed       EventType = "batch.failed"                  // all failed
	EventBatchPartial      EventType = "batch.partial"                 // some succeeded, some failed
)

// EventsOf are the events that a webhook of a kind can get.
func EventsOf(kind WebhookKind) []EventType {
	if kind == DashboardWebhook {
		return []EventType{EventBatchCompleted, EventBatchFailed, EventBatchPartial}
	}
	return []EventType{EventDocumentCompleted, EventJobCompleted}
}

// Event is something that has happened, told to the webhooks that want it.
type Event struct {
	ID           string
	AccountID    string
	ExtractionID string // "" of a test
	Type         EventType
	Payload      Payload
	CreatedAt    time.Time // events of an account have growing times, in the order of their commits
}

// Payload is the body of an event, made once, when the event is. Extracted
// data can be large and is kept with the document anyway; the payload only
// marks its place, and Write puts it there. Neither changes any more.
type Payload string

// mark stands before and after the id of a document whose data goes there. No
// JSON text holds this character, other than escaped.
const mark = "\x1e"

// Write writes the whole text, with the documents' data that the function
// gives.
func (p Payload) Write(w io.Writer, data func(documentID string) (string, error)) error {
	isDocument := false
	for part := range strings.SplitSeq(string(p), mark) {
		if isDocument {
			var err error
			if part, err = data(part); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
		isDocument = !isDocument
	}
	return nil
}

// errEnough ends a writing of which enough was had.
var errEnough = errors.New("enough")

// Beginning gives as much of the whole text as fits into so many bytes, and
// tells whether that is not all. Data that is no longer there ends it.
func (p Payload) Beginning(most int, data func(documentID string) (string, error)) (text string, cut bool, err error) {
	b := beginning{left: most}
	err = p.Write(&b, data)
	switch {
	case errors.Is(err, errEnough):
		cut, err = true, nil
	case CodeOf(err) == ResourceNotFound:
		err = nil // the extraction is being deleted, and the event with it
	}
	return strings.ToValidUTF8(b.text.String(), ""), cut, err
}

// beginning takes a text until it has enough of it.
type beginning struct {
	text strings.Builder
	left int
}

func (b *beginning) Write(part []byte) (int, error) { return b.WriteString(string(part)) }

func (b *beginning) WriteString(part string) (int, error) {
	n := min(len(part), b.left)
	b.text.WriteString(part[:n])
	b.left -= n
	if n < len(part) {
		return n, errEnough
	}
	return n, nil
}

// NewDocumentCompleted tells that a document of an extraction has ended.
func NewDocumentCompleted(at time.Time, e Extraction, d Document) Event {
	return newEvent(at, EventDocumentCompleted, e, func(p *payload) {
		p.member("document_id", d.ID)
		p.member("extraction_id", e.ID)
		p.member("parser_id", e.ParserID)
		p.member("filename", d.Filename)
		p.member("status", d.Status)
		p.member("page_count", d.PageCount)
		p.member("credits_used", d.CreditsUsed)
		p.extracted(d)
		p.member("error_message", orNull(d.ErrorMessage))
	})
}

// NewJobCompleted tells API webhooks that an extraction has ended.
func NewJobCompleted(at time.Time, e Extraction, documents []Document) Event {
	return newEvent(at, EventJobCompleted, e, func(p *payload) {
		p.job(e, func() {
			for _, d := range documents {
				p.object(func() {
					p.member("document_id", d.ID)
					p.member("filename", d.Filename)
					p.member("status", d.Status)
					p.member("page_count", d.PageCount)
					p.member("credits_used", d.CreditsUsed)
					p.extracted(d)
					p.member("error_message", orNull(d.ErrorMessage))
				})
			}
		})
	})
}

// NewBatchEnded tells dashboard webhooks that an extraction has ended: its
// status says which of the three events it is.
func NewBatchEnded(at time.Time, e Extraction, documents []Document) Event {
	return newEvent(at, EventType("batch."+string(e.Status)), e, func(p *payload) {
		p.batch(e, func() {
			for _, d := range documents {
				p.object(func() {
					p.member("document_id", d.ID)
					p.member("filename", d.Filename)
					p.member("status", d.Status)
					p.extracted(d)
					p.member("confidence", d.Confidence)
					p.member("error_message", orNull(d.ErrorMessage))
				})
			}
		})
	})
}

// NewTest makes a synthetic event for a webhook of a kind, job_completed or
// batch.completed, marked as a test at both places where receivers may look for
// it.
func NewTest(at time.Time, accountID string, kind WebhookKind) Event {
	e := Extraction{
		ID: NewID(ExtractionPrefix), AccountID: accountID, Name: "Test delivery", ParserID: NewID(ParserPrefix), ParserName: "Test",
		Status: ExtractionCompleted, FileCount: 1, PageCount: 1, CreditsUsed: 1,
	}
	t := EventJobCompleted
	if kind == DashboardWebhook {
		t = EventBatchCompleted
	}
	p := newPayload(at, t)
	p.member("test", true)
	p.key("data")
	p.object(func() {
		if kind == DashboardWebhook {
			p.batch(e, p.testResult)
		} else {
			p.job(e, p.testDocument)
		}
		p.member("test", true)
	})
	return Event{ID: NewID(EventPrefix), AccountID: accountID, Type: t, Payload: p.end(), CreatedAt: at}
}

// testData is what was extracted from a document that does not exist.
var testData = map[string]string{"message": "This is a test."}

func (p *payload) testDocument() {
	p.object(func() {
		p.member("document_id", NewID(DocumentPrefix))
		p.member("filename", "test.pdf")
		p.member("status", DocumentCompleted)
		p.member("page_count", 1)
		p.member("credits_used", 1)
		p.member("extracted_data", testData)
		p.member("error_message", nil)
	})
}

func (p *payload) testResult() {
	p.object(func() {
		p.member("document_id", NewID(DocumentPrefix))
		p.member("filename", "test.pdf")
		p.member("status", DocumentCompleted)
		p.member("extracted_data", testData)
		p.member("confidence", 1)
		p.member("error_message", nil)
	})
}

func newEvent(at time.Time, t EventType, e Extraction, data func(*payload)) Event {
	p := newPayload(at, t)
	p.key("data")
	p.object(func() { data(p) })
	return Event{ID: NewID(EventPrefix), AccountID: e.AccountID, ExtractionID: e.ID, Type: t, Payload: p.end(), CreatedAt: at}
}

// payload is a Payload in the making.
type payload struct{ bytes.Buffer }

// eventTime is how the interface writes times.
const eventTime = "2006-01-02T15:04:05.000000Z"

func newPayload(at time.Time, t EventType) *payload {
	p := new(payload)
	p.WriteByte('{')
	p.member("event", t)
	p.member("timestamp", at.UTC().Format(eventTime))
	return p
}

func (p *payload) end() Payload {
	p.WriteByte('}')
	return Payload(p.String())
}

// separate puts a comma before what is not the first in its object or list.
func (p *payload) separate() {
	if last := p.Bytes()[p.Len()-1]; last != '{' && last != '[' && last != ':' {
		p.WriteByte(',')
	}
}

func (p *payload) key(key string) {
	p.separate()
	writeJSON(&p.Buffer, key)
	p.WriteByte(':')
}

func (p *payload) member(key string, value any) {
	p.key(key)
	writeJSON(&p.Buffer, value)
}

func (p *payload) object(members func()) {
	p.separate()
	p.WriteByte('{')
	members()
	p.WriteByte('}')
}

func (p *payload) list(key string, elements func()) {
	p.key(key)
	p.WriteByte('[')
	elements()
	p.WriteByte(']')
}

// extracted marks the place of a document's data; one that failed has none.
func (p *payload) extracted(d Document) {
	p.key("extracted_data")
	if d.Status != DocumentCompleted {
		p.WriteString("{}")
		return
	}
	p.WriteString(mark + d.ID + mark)
}

// job writes the members of an extraction that has ended.
func (p *payload) job(e Extraction, documents func()) {
	p.member("extraction_id", e.ID)
	p.member("name", e.Name)
	p.member("parser_id", e.ParserID)
	p.member("parser_name", e.ParserName)
	p.member("status", e.Status)
	p.member("file_count", e.FileCount)
	p.member("total_pages", e.PageCount)
	p.member("credits_used", e.CreditsUsed)
	p.list("documents", documents)
}

// batch writes the members of an extraction that has ended, as dashboard
// webhooks name them.
func (p *payload) batch(e Extraction, results func()) {
	p.member("batch_id", e.ID)
	p.member("batch_name", e.Name)
	p.member("parser_id", e.ParserID)
	p.member("parser_name", e.ParserName)
	p.member("status", e.Status)
	p.member("file_count", e.FileCount)
	p.list("results", results)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
