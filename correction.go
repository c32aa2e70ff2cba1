package fieldlift

import (
	"encoding/json"
	"time"
)

// CorrectionKind says what a person did to a result.
type CorrectionKind string

// The kinds of corrections.
const (
	CorrectionSet    CorrectionKind = "set"    // gave a value
	CorrectionAccept CorrectionKind = "accept" // found right what is there, with all that is below it
	CorrectionRemove CorrectionKind = "remove" // took a row out of an array
	CorrectionAdd    CorrectionKind = "add"    // put a row into an array
)

// Amendment is what a person wants done to a result.
type Amendment struct {
	Kind CorrectionKind
	// Pointer is a JSON pointer into the data as it is. Of a row to add it is
	// where it will stand: "/items/2", or "/items/-" for the end.
	Pointer string
	Value   json.RawMessage // to set, or the row to add; members that are left out of a row are null
}

// Correction is an act that was done. What it was done to is told twice: by
// the pointer that the person saw, and by a place that goes on meaning the
// same when rows come and go. In a place, the step to a row is its position in
// the original array, or "+7" for the row that correction 7 added.
type Correction struct {
	Number      int64 // among the document's, from 1
	Kind        CorrectionKind
	Pointer     string
	Place       string
	After       string          // of an added row: the step to the row before it; "" when there is none
	Original    json.RawMessage // what stood there
	Value       json.RawMessage // what stands there since; null after a row was removed
	By          string          // a person's e-mail address
	At          time.Time
	TakenBackBy string
	TakenBackAt time.Time // zero while it holds
}

// Holds reports whether the correction was not taken back.
func (c Correction) Holds() bool { return c.TakenBackAt.IsZero() }

// Reviewed says who looked at a value, and what the engine had found when the
// person changed it.
type Reviewed struct {
	By       string          `json:"by"`
	At       time.Time       `json:"at"`
	Original json.RawMessage `json:"original,omitempty"`
}

// MarshalJSON writes the time in the form of all times of the interface.
func (r Reviewed) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		By       string          `json:"by"`
		At       string          `json:"at"`
		Original json.RawMessage `json:"original,omitempty"`
	}{r.By, r.At.UTC().Format(eventTime), r.Original})
}

// Reviewer is a person who changes a result.
type Reviewer struct {
	Email string
	Seen  int64 // the revision that the person looks at, or AnyRevision
}

// AnyRevision is for who does not mind what changed meanwhile.
const AnyRevision = -1

// DocumentReview is a document whose result is under review.
type DocumentReview struct {
	Extraction Extraction
	Record     Record // as it is now
	Review     *Review
	Revision   int64 // grows with every change
}

// ReviewedFilter chooses reviewed documents; zero members choose all.
type ReviewedFilter struct {
	ExtractionID string
	ParserID     string
}

// Limits that keep a document's review workable.
const (
	MaxCorrections     = 20_000
	MaxAmendments      = 1000     // at once
	MaxCorrectionBytes = 64 << 10 // of one value
)
