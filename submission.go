package fieldlift

import "time"

// Submission is what a client wants extracted, read and counted, but not yet
// accepted.
type Submission struct {
	Extraction     Extraction // its id, account, name and parser
	Documents      []Document // their ids and what is known of the files
	IdempotencyKey string     // "" when none was given
	Fingerprint    string     // tells whether another request was the same
}

// Pages are how many there are in all documents.
func (s Submission) Pages() int64 {
	var pages int64
	for _, d := range s.Documents {
		pages += d.PageCount
	}
	return pages
}

// Accepted is a submission that was accepted, as the client is told of it.
type Accepted struct {
	Extraction       Extraction
	Documents        []Document
	CreditsRemaining int64
	Differs          bool `json:"-"` // it was accepted for another request with the same idempotency key
}

// Accept gives the extraction that a submission becomes at a time: one credit
// is charged for each page.
func (s Submission) Accept(at time.Time) Accepted {
	a := Accepted{Extraction: s.Extraction, Documents: make([]Document, 0, len(s.Documents))}
	e := &a.Extraction
	e.Status, e.CreatedAt, e.UpdatedAt = ExtractionQueued, at, at
	if e.Name == "" {
		e.Name = DefaultExtractionName(e.ParserName, at)
	}
	for i, d := range s.Documents {
		d.ExtractionID, d.AccountID, d.Position = e.ID, e.AccountID, int64(i)
		d.Status, d.CreatedAt, d.UpdatedAt = DocumentQueued, at, at
		d.CreditsUsed = d.PageCount
		e.FileCount++
		e.Unfinished++
		e.PageCount += d.PageCount
		e.CreditsUsed += d.CreditsUsed
		a.Documents = append(a.Documents, d)
	}
	return a
}
