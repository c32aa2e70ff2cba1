package api

import "encoding/json"

// The events of webhooks.
const (
	EventDocumentCompleted = "extraction.document_completed"
	EventJobCompleted      = "extraction.job_completed"
	EventBatchCompleted    = "batch.completed"
	EventBatchFailed       = "batch.failed"
	EventBatchPartial      = "batch.partial"
)

// Event is the body of a request to a webhook. Event says what Data is: a
// DocumentEvent, a JobEvent or a BatchEvent.
type Event struct {
	Event     string          `json:"event"`
	Timestamp Time            `json:"timestamp"`
	Test      bool            `json:"test,omitzero"` // sent by POST /v1/webhooks/{id}/test, or fieldlift webhook test
	Data      json.RawMessage `json:"data"`
}

// DocumentEvent tells that a document has ended.
type DocumentEvent struct {
	DocumentID    string          `json:"document_id"`
	ExtractionID  string          `json:"extraction_id"`
	ParserID      string          `json:"parser_id"`
	Filename      string          `json:"filename"`
	Status        string          `json:"status"` // completed or failed
	PageCount     int64           `json:"page_count"`
	CreditsUsed   int64           `json:"credits_used"`
	ExtractedData json.RawMessage `json:"extracted_data"` // {} when it failed
	ErrorMessage  *string         `json:"error_message"`
}

// JobEvent tells that all documents of an extraction have ended.
type JobEvent struct {
	ExtractionID string        `json:"extraction_id"`
	Name         string        `json:"name"`
	ParserID     string        `json:"parser_id"`
	ParserName   string        `json:"parser_name"`
	Status       string        `json:"status"` // completed, failed or partial
	FileCount    int64         `json:"file_count"`
	TotalPages   int64         `json:"total_pages"`
	CreditsUsed  int64         `json:"credits_used"`
	Documents    []JobDocument `json:"documents"`
	Test         bool          `json:"test,omitzero"`
}

// JobDocument is a document of a JobEvent.
type JobDocument struct {
	DocumentID    string          `json:"document_id"`
	Filename      string          `json:"filename"`
	Status        string          `json:"status"`
	PageCount     int64           `json:"page_count"`
	CreditsUsed   int64           `json:"credits_used"`
	ExtractedData json.RawMessage `json:"extracted_data"`
	ErrorMessage  *string         `json:"error_message"`
}

// BatchEvent tells dashboard webhooks that all documents of an extraction have
// ended.
type BatchEvent struct {
	BatchID    string        `json:"batch_id"`
	BatchName  string        `json:"batch_name"`
	ParserID   string        `json:"parser_id"`
	ParserName string        `json:"parser_name"`
	Status     string        `json:"status"`
	FileCount  int64         `json:"file_count"`
	Results    []BatchResult `json:"results"`
	Test       bool          `json:"test,omitzero"`
}

// BatchResult is a document of a BatchEvent.
type BatchResult struct {
	DocumentID    string          `json:"document_id"`
	Filename      string          `json:"filename"`
	Status        string          `json:"status"`
	ExtractedData json.RawMessage `json:"extracted_data"`
	Confidence    float64         `json:"confidence"`
	ErrorMessage  *string         `json:"error_message"`
}
