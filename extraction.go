package fieldlift

import (
	"time"
)

// ExtractionStatus is where an extraction stands. Terminal ones never change.
type ExtractionStatus string

// The statuses of extractions.
const (
	ExtractionQueued     ExtractionStatus = "queued"     // nothing has begun
	ExtractionPending    ExtractionStatus = "pending"    // every unfinished document waits for a retry
	ExtractionProcessing ExtractionStatus = "processing" // begun
	ExtractionCompleted  ExtractionStatus = "completed"  // all documents succeeded
	ExtractionFailed     ExtractionStatus = "failed"     // all failed
	ExtractionPartial    ExtractionStatus = "partial"    // some succeeded, some failed
)

// ExtractionStatuses are all of them, in the order of the specification.
var ExtractionStatuses = []ExtractionStatus{
	ExtractionQueued, ExtractionPending, ExtractionProcessing, ExtractionCompleted, ExtractionFailed, ExtractionPartial,
}

// Terminal reports whether an extraction of this status is over.
func (s ExtractionStatus) Terminal() bool {
	return s == ExtractionCompleted || s == ExtractionFailed || s == ExtractionPartial
}

// Outcome is the status of an extraction all of whose documents are finished.
func Outcome(documents, failed int64) ExtractionStatus {
	switch failed {
	case 0:
		return ExtractionCompleted
	case documents:
		return ExtractionFailed
	}
	return ExtractionPartial
}

// Extraction is a batch: the documents of one submission. It holds what its
// parser was at that moment, so that later edits do not change it.
type Extraction struct {
	ID           string
	AccountID    string
	Name         string
	ParserID     string
	ParserName   string
	ResultMode   ResultMode
	DocumentType string
	Schema       Schema
	Engine       EngineChoice // zero: the server's choice
	Status       ExtractionStatus
	FileCount    int64
	PageCount    int64
	CreditsUsed  int64
	Unfinished   int64 // documents that are not at their end
	Failed       int64 // documents
	CreatedAt    time.Time
	UpdatedAt    time.Time
	CompletedAt  time.Time // zero until the end
}

// Limits of a submission.
const (
	MaxExtractionName = 200 // characters
	MaxFiles          = 50
	MaxIdempotencyKey = 255 // characters
)

// IdempotencyWindow is how long an idempotency key is remembered.
const IdempotencyWindow = 24 * time.Hour

// DefaultExtractionName is the name of an extraction that was given none.
func DefaultExtractionName(parserName string, at time.Time) string {
	return parserName + "_" + at.UTC().Format("20060102_150405")
}

// ValidIdempotencyKey reports whether a key has 1 to 255 printable characters.
func ValidIdempotencyKey(key string) bool {
	if key == "" || len(key) > MaxIdempotencyKey {
		return false
	}
	for _, c := range []byte(key) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// ExtractionFilter chooses extractions; zero members choose all.
type ExtractionFilter struct {
	ParserID string
	Status   ExtractionStatus
	Since    time.Time // only those updated after it
	Search   string    // in the name and the names of files
}
