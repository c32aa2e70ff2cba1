package api

import "encoding/json"

// User is the account that a key belongs to, and the key itself.
type User struct {
	UserID           string `json:"user_id"`
	Email            string `json:"email"`
	Name             string `json:"name"`
	CreditsAvailable int64  `json:"credits_available"`
	KeyName          string `json:"key_name"`
	KeyExpiresAt     Time   `json:"key_expires_at"` // zero: never
	MemberSince      Time   `json:"member_since"`
}

// UserEnvelope wraps a User.
type UserEnvelope struct {
	User User `json:"user"`
}

// Credits is an account's balance.
type Credits struct {
	Available int64      `json:"available"`
	Used      int64      `json:"used"`
	Purchases []Purchase `json:"purchases"`
}

// Purchase is an active lot of credits.
type Purchase struct {
	PurchaseID       string `json:"purchase_id"`
	Source           string `json:"source"`
	CreditsPurchased int64  `json:"credits_purchased"`
	CreditsRemaining int64  `json:"credits_remaining"`
	PurchasedAt      Time   `json:"purchased_at"`
	ExpiresAt        Time   `json:"expires_at"` // zero: never
}

// CreditsEnvelope wraps Credits.
type CreditsEnvelope struct {
	Credits Credits `json:"credits"`
}

// Parser is a named template that says what is extracted.
type Parser struct {
	ParserID      string               `json:"parser_id"`
	Name          string               `json:"name"`
	Description   string               `json:"description"`
	ResultMode    string               `json:"result_mode"`
	DocumentType  *string              `json:"document_type"`
	Engine        *string              `json:"engine"` // layout, model or auto; nil: the server's choice
	Schema        json.RawMessage      `json:"schema"` // null when there is none
	Fields        map[string]FieldInfo `json:"fields"`
	HasSampleFile bool                 `json:"has_sample_file"`
	SampleFileID  *string              `json:"sample_file_id"`
	CreatedAt     Time                 `json:"created_at"`
	UpdatedAt     Time                 `json:"updated_at"`
}

// FieldInfo is what a Parser tells of a field beside its schema.
type FieldInfo struct {
	Description string `json:"description"`
}

// ParserEnvelope wraps a Parser.
type ParserEnvelope struct {
	Parser Parser `json:"parser"`
}

// ParserList is a page of parsers, newest first.
type ParserList struct {
	Parsers    []Parser   `json:"parsers"`
	Pagination Pagination `json:"pagination"`
}

// Pagination tells where a list goes on.
type Pagination struct {
	Limit       int     `json:"limit"`
	HasNextPage bool    `json:"has_next_page"`
	NextCursor  *string `json:"next_cursor"`
}

// ParserCreate is the body of POST /v1/parsers. Give Fields or Schema, or
// neither and let them be detected from a sample.
type ParserCreate struct {
	Name         string          `json:"name"`
	Description  string          `json:"description,omitzero"`
	ResultMode   string          `json:"result_mode,omitzero"`
	DocumentType *string         `json:"document_type,omitzero"`
	Engine       *string         `json:"engine,omitzero"`
	Fields       []Field         `json:"fields,omitzero"`
	Schema       json.RawMessage `json:"schema,omitzero"`
}

// ParserUpdate is the body of PATCH /v1/parsers/{id}: what is absent stays.
type ParserUpdate struct {
	Name         Optional[string]          `json:"name,omitzero"`
	Description  Optional[string]          `json:"description,omitzero"`
	ResultMode   Optional[string]          `json:"result_mode,omitzero"`
	DocumentType Optional[string]          `json:"document_type,omitzero"`
	Engine       Optional[string]          `json:"engine,omitzero"`
	Fields       Optional[[]Field]         `json:"fields,omitzero"`
	Schema       Optional[json.RawMessage] `json:"schema,omitzero"`
}

// Field is a field definition. Type is string unless it says number, boolean,
// date, array or object.
type Field struct {
	Name        string  `json:"name,omitzero"`
	Type        string  `json:"type,omitzero"`
	Description string  `json:"description,omitzero"`
	Required    bool    `json:"required,omitzero"`
	Enum        []any   `json:"enum,omitzero"`
	Fields      []Field `json:"fields,omitzero"` // of an object, or of an array's objects
	Items       *Field  `json:"items,omitzero"`  // of an array
}

// ErrorEnvelope is the body of every refusal.
type ErrorEnvelope struct {
	Error ErrorBody `json:"error"`
}

// ErrorBody says what went wrong, to programs by Code and to people by Message.
type ErrorBody struct {
	Code      string        `json:"code"`
	Message   string        `json:"message"`
	Details   []ErrorDetail `json:"details,omitzero"`
	RequestID string        `json:"request_id"`
}

// ErrorDetail names one thing that is wrong.
type ErrorDetail struct {
	Field   string `json:"field"`
	Issue   string `json:"issue"`
	Message string `json:"message"`
}

// Health is the answer of /healthz and /readyz.
type Health struct {
	Status  string   `json:"status"`
	Missing []string `json:"missing,omitempty"` // what is not there and would be of use, a sentence each
}

// ExtractionSummary is an extraction as lists show it.
type ExtractionSummary struct {
	ExtractionID string `json:"extraction_id"`
	Name         string `json:"name"`
	ParserID     string `json:"parser_id"`
	ParserName   string `json:"parser_name"`
	Status       string `json:"status"`
	FileCount    int64  `json:"file_count"`
	PageCount    int64  `json:"page_count"`
	CreditsUsed  int64  `json:"credits_used"`
	CreatedAt    Time   `json:"created_at"`
	UpdatedAt    Time   `json:"updated_at"`
	CompletedAt  Time   `json:"completed_at"` // zero until the end
}

// Finished tells whether the extraction has come to its end and will not
// change any more: completed, failed or partial.
func (s ExtractionSummary) Finished() bool {
	return s.Status == "completed" || s.Status == "failed" || s.Status == "partial"
}

// Extraction is a batch with its documents.
type Extraction struct {
	ExtractionSummary
	Documents []Document `json:"documents"`
}

// ExtractionEnvelope wraps an Extraction.
type ExtractionEnvelope struct {
	Extraction Extraction `json:"extraction"`
}

// ExtractionList is a page of extractions, newest first.
type ExtractionList struct {
	Extractions []ExtractionSummary `json:"extractions"`
	Pagination  Pagination          `json:"pagination"`
}

// Document is one file of an extraction.
type Document struct {
	DocumentID   string  `json:"document_id"`
	Filename     string  `json:"filename"`
	Status       string  `json:"status"`
	PageCount    int64   `json:"page_count"`
	CreditsUsed  int64   `json:"credits_used"`
	ErrorMessage *string `json:"error_message"`
	CreatedAt    Time    `json:"created_at"`
	UpdatedAt    Time    `json:"updated_at"`
}

// Accepted is the answer to a submission.
type Accepted struct {
	ExtractionID     string             `json:"extraction_id"`
	Name             string             `json:"name"`
	ParserID         string             `json:"parser_id"`
	Status           string             `json:"status"`
	FileCount        int64              `json:"file_count"`
	PageCount        int64              `json:"page_count"`
	CreditsUsed      int64              `json:"credits_used"`
	CreditsRemaining int64              `json:"credits_remaining"`
	Documents        []AcceptedDocument `json:"documents"`
}

// AcceptedDocument is a document of a submission.
type AcceptedDocument struct {
	DocumentID  string `json:"document_id"`
	Filename    string `json:"filename"`
	PageCount   int64  `json:"page_count"`
	CreditsUsed int64  `json:"credits_used"`
	Status      string `json:"status"`
}

// AcceptedEnvelope wraps Accepted.
type AcceptedEnvelope struct {
	Extraction Accepted `json:"extraction"`
}

// Result is a finished document with what was extracted from it.
type Result struct {
	Document
	Confidence       float64                  `json:"confidence"`
	ProcessingTimeMS int64                    `json:"processing_time_ms"`
	ExtractedData    json.RawMessage          `json:"extracted_data,omitempty"` // null when it failed
	FieldMetadata    map[string]FieldMetadata `json:"field_metadata,omitempty"` // by JSON pointer into ExtractedData
	Validation       []Violation              `json:"validation,omitempty"`
	Pages            []PageReading            `json:"pages,omitempty"`
	Model            *ModelUse                `json:"model,omitempty"` // nil when no model took part
}

// FieldMetadata says where a value stands, and how sure the service is.
type FieldMetadata struct {
	Confidence float64      `json:"confidence"`
	Page       int          `json:"page"`
	Boxes      [][4]float64 `json:"boxes"` // x0 y0 x1 y1 as fractions of the page, from the top left
	Text       string       `json:"text"`
	Source     string       `json:"source"`
	Engine     string       `json:"engine,omitempty"`   // where a model took part: layout, model or both
	Reviewed   *Reviewed    `json:"reviewed,omitempty"` // nil unless a person looked at the value
}

// Reviewed says who looked at a value, and when. Original is what was
// extracted, if the person changed it.
type Reviewed struct {
	By       string          `json:"by"`
	At       Time            `json:"at"`
	Original json.RawMessage `json:"original,omitempty"`
}

// ModelUse is what a connected model did for a document, and what that took.
type ModelUse struct {
	Name          string   `json:"name"`
	Engine        string   `json:"engine"` // model or auto
	Fields        int      `json:"fields"`
	AskedFields   int      `json:"asked_fields"`
	Calls         int64    `json:"calls"`
	CachedAnswers int64    `json:"cached_answers"`
	InputTokens   int64    `json:"input_tokens"`
	OutputTokens  int64    `json:"output_tokens"`
	EstimatedCost *float64 `json:"estimated_cost"` // nil without prices
}

// PageReading says how the text of a page was had.
type PageReading struct {
	Page       int     `json:"page"`
	Source     string  `json:"source"` // text, ocr, mixed or none
	Reason     string  `json:"reason"`
	Confidence float64 `json:"confidence"`
	Rotation   int     `json:"rotation"`      // degrees clockwise that make the page upright
	Skew       float64 `json:"skew"`          // degrees clockwise that its lines slant by then
	DPI        int     `json:"dpi,omitempty"` // 0 when it is not known, or nothing was recognised
	Languages  string  `json:"languages"`
}

// Violation is a rule that extracted data breaks.
type Violation struct {
	Path     string `json:"path"`
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
}

// Results is an extraction with its finished documents.
type Results struct {
	ExtractionSummary
	Documents []Result `json:"documents"`
}

// ResultsEnvelope wraps Results.
type ResultsEnvelope struct {
	Extraction Results `json:"extraction"`
}

// SingleDocument is a document fetched by itself.
type SingleDocument struct {
	Document
	ExtractionID     string                   `json:"extraction_id"`
	ParserID         string                   `json:"parser_id"`
	ParserName       string                   `json:"parser_name"`
	Confidence       float64                  `json:"confidence"`
	ProcessingTimeMS int64                    `json:"processing_time_ms"`
	ContentType      string                   `json:"content_type"`
	SizeBytes        int64                    `json:"size_bytes"`
	SHA256           string                   `json:"sha256"`
	ExtractedData    json.RawMessage          `json:"extracted_data,omitempty"`
	FieldMetadata    map[string]FieldMetadata `json:"field_metadata,omitempty"`
	Validation       []Violation              `json:"validation,omitempty"`
	Pages            []PageReading            `json:"pages,omitempty"`
	Model            *ModelUse                `json:"model,omitempty"` // nil when no model took part
}

// DocumentEnvelope wraps a SingleDocument.
type DocumentEnvelope struct {
	Document SingleDocument `json:"document"`
}

// Webhook is a receiver of events.
type Webhook struct {
	WebhookID     string   `json:"webhook_id"`
	URL           string   `json:"url"`
	Events        []string `json:"events"`
	IsActive      bool     `json:"is_active"`
	PausedReason  *string  `json:"paused_reason"` // why the service paused it
	CreatedAt     Time     `json:"created_at"`
	SigningSecret string   `json:"signing_secret,omitempty"` // only when it was made or rotated
	// RecentDeliveries are the last ten attempts, newest first; only when the
	// webhook was fetched by itself.
	RecentDeliveries []DeliveryAttempt `json:"recent_deliveries,omitzero"`
}

// DeliveryAttempt is one try to deliver an event.
type DeliveryAttempt struct {
	DeliveryID  string `json:"delivery_id"`
	Event       string `json:"event"`
	Status      string `json:"status"`      // success, pending_retry or failed
	StatusCode  int    `json:"status_code"` // 0 when no answer came
	RetryCount  int64  `json:"retry_count"` // 0 for the first try
	AttemptedAt Time   `json:"attempted_at"`
}

// WebhookEnvelope wraps a Webhook.
type WebhookEnvelope struct {
	Webhook Webhook `json:"webhook"`
}

// WebhookList is a page of webhooks, newest first.
type WebhookList struct {
	Webhooks   []Webhook  `json:"webhooks"`
	Pagination Pagination `json:"pagination"`
}

// WebhookCreate is the body of POST /v1/webhooks.
type WebhookCreate struct {
	URL    string   `json:"url"`
	Events []string `json:"events"`
	Secret string   `json:"secret,omitzero"` // sent verbatim with each request; "": none
}

// WebhookUpdate is the body of PATCH /v1/webhooks/{id}: what is absent stays.
type WebhookUpdate struct {
	URL      Optional[string]   `json:"url,omitzero"`
	Events   Optional[[]string] `json:"events,omitzero"`
	IsActive Optional[bool]     `json:"is_active,omitzero"`
	Secret   Optional[string]   `json:"secret,omitzero"` // sent verbatim with each request; Null removes it
}

// TestResult tells what came of a test delivery.
type TestResult struct {
	Delivered      bool    `json:"delivered"`
	StatusCode     int     `json:"status_code"` // 0 when no answer came
	ResponseTimeMS int64   `json:"response_time_ms"`
	Error          *string `json:"error"`
}

// TestResultEnvelope wraps a TestResult.
type TestResultEnvelope struct {
	TestResult TestResult `json:"test_result"`
}

// Delivery is an event on its way to a webhook, or arrived, or given up.
type Delivery struct {
	DeliveryID       string    `json:"delivery_id"`
	EventID          string    `json:"event_id"` // the webhook-id of its requests
	Event            string    `json:"event"`
	ExtractionID     *string   `json:"extraction_id"` // null for a test
	Status           string    `json:"status"`        // pending, success, pending_retry or failed
	CreatedAt        Time      `json:"created_at"`
	NextAttemptAt    Time      `json:"next_attempt_at"` // zero when there is none, or it is under way
	RequestBody      string    `json:"request_body"`    // its beginning, when it is large
	RequestBodyIsCut bool      `json:"request_body_is_cut"`
	Attempts         []Attempt `json:"attempts"` // oldest first
}

// Attempt is one try of a Delivery.
type Attempt struct {
	Status       string  `json:"status"`
	StatusCode   int     `json:"status_code"`
	RetryCount   int64   `json:"retry_count"`
	AttemptedAt  Time    `json:"attempted_at"`
	DurationMS   int64   `json:"duration_ms"`
	Error        *string `json:"error"`
	ResponseBody string  `json:"response_body"` // its beginning
}

// DeliveryEnvelope wraps a Delivery.
type DeliveryEnvelope struct {
	Delivery Delivery `json:"delivery"`
}

// DeliveryList is a page of deliveries, newest first.
type DeliveryList struct {
	Deliveries []Delivery `json:"deliveries"`
	Pagination Pagination `json:"pagination"`
}
