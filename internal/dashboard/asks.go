package dashboard

import (
	"context"
	"io"
	"iter"
	"mime/multipart"
	"time"

	"fieldlift"
	"fieldlift/internal/intake"
	"fieldlift/internal/pageimage"
	"fieldlift/internal/reader"
)

// Store is what this package asks of the store, by subject.
type Store interface {
	peopleStore
	parserStore
	extractionStore
	reviewStore
	integrationStore
	usageStore
	operatorStore
}

type peopleStore interface {
	AccountByEmail(ctx context.Context, email string) (fieldlift.Account, error)
	UpdateAccount(ctx context.Context, id string, change fieldlift.AccountChange) (fieldlift.Account, error)
	ChangePassword(ctx context.Context, accountID, hash, keepSession string) error
	SignUp(ctx context.Context, a fieldlift.Account, credits int64, s fieldlift.Session, token string) (fieldlift.Account, error)

	Visitor(ctx context.Context, token, address string) (fieldlift.Visitor, bool, error)
	OpenSession(ctx context.Context, s fieldlift.Session, token string) (fieldlift.Session, error)
	Sessions(ctx context.Context, accountID string) ([]fieldlift.Session, error)
	EndSession(ctx context.Context, accountID, id string, act fieldlift.Act) error
	EndOtherSessions(ctx context.Context, accountID, keepID string) error

	Throttle(ctx context.Context, throttles []fieldlift.Throttle) (time.Duration, error)
	Relieve(ctx context.Context, throttles []fieldlift.Throttle) error
	NoteRefusal(accountID string)
}

type parserStore interface {
	Parsers(ctx context.Context, accountID string, page fieldlift.Page) (list []fieldlift.Parser, more bool, err error)
	Parser(ctx context.Context, accountID, id string) (fieldlift.Parser, error)
	ParserNamed(ctx context.Context, accountID, name string) (id string, err error)
	CreateParser(ctx context.Context, p fieldlift.Parser) (fieldlift.Parser, error)
	UpdateParser(ctx context.Context, accountID, id string, change fieldlift.ParserChange) (fieldlift.Parser, error)
	DeleteParser(ctx context.Context, accountID, id string) error
	Sample(ctx context.Context, accountID, id string) (fieldlift.Sample, error)
}

type extractionStore interface {
	Extractions(ctx context.Context, accountID string, filter fieldlift.ExtractionFilter, page fieldlift.Page) (list []fieldlift.Extraction, more bool, err error)
	Extraction(ctx context.Context, accountID, id string) (fieldlift.Extraction, []fieldlift.Document, error)
	ExtractionAlone(ctx context.Context, accountID, id string) (fieldlift.Extraction, error)
	Records(ctx context.Context, accountID, extractionID string) iter.Seq2[fieldlift.Record, error]
	Record(ctx context.Context, accountID, extractionID, documentID string) (fieldlift.Record, error)
	Document(ctx context.Context, accountID, extractionID, documentID string) (fieldlift.Document, error)
	LastChange(ctx context.Context, accountID string) (time.Time, error)
	NeedLook(ctx context.Context, accountID string, below float64, most int) ([]fieldlift.Document, error)
}

type reviewStore interface {
	Review(ctx context.Context, accountID, extractionID, documentID string) (fieldlift.DocumentReview, error)
	Correct(ctx context.Context, accountID, extractionID, documentID string, by fieldlift.Reviewer, amendments ...fieldlift.Amendment) (fieldlift.DocumentReview, error)
	TakeBack(ctx context.Context, accountID, extractionID, documentID string, by fieldlift.Reviewer, number int64) (fieldlift.DocumentReview, error)
	Reviewed(ctx context.Context, accountID string, of fieldlift.ReviewedFilter) iter.Seq2[fieldlift.DocumentReview, error]
}

type integrationStore interface {
	Keys(ctx context.Context, accountID string) ([]fieldlift.Key, error)
	CreateKey(ctx context.Context, k fieldlift.Key, full string) (fieldlift.Key, error)
	RevokeKeyByID(ctx context.Context, accountID, id string) error

	CreateWebhook(ctx context.Context, w fieldlift.Webhook, secrets fieldlift.WebhookSecrets, most int) (fieldlift.Webhook, error)
	Webhook(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id string) (fieldlift.Webhook, error)
	Webhooks(ctx context.Context, accountID string, kind fieldlift.WebhookKind, page fieldlift.Page) (list []fieldlift.Webhook, more bool, err error)
	UpdateWebhook(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id string, change fieldlift.WebhookChange) (fieldlift.Webhook, error)
	DeleteWebhook(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id string) error
	RotateSecret(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id, secret string) (fieldlift.Webhook, error)
	Deliveries(ctx context.Context, webhookID string, status fieldlift.DeliveryStatus, page fieldlift.Page) (list []fieldlift.DeliveryRecord, more bool, err error)
	Redeliver(ctx context.Context, w fieldlift.Webhook, deliveryID string) (fieldlift.DeliveryRecord, error)
	ResultData(ctx context.Context, documentID string) (string, error)
}

type usageStore interface {
	Available(ctx context.Context, accountID string) (int64, error)
	Balance(ctx context.Context, accountID string) (fieldlift.Balance, error)
	Usage(ctx context.Context, accountID string, span fieldlift.Days) ([]fieldlift.UsageDay, error)
	ModelDays(ctx context.Context, accountID string, since time.Time) ([]fieldlift.ModelDay, error)
	UsageByParser(ctx context.Context, accountID string, span fieldlift.Days) ([]fieldlift.ParserUsage, error)
	Activities(ctx context.Context, accountID string, filter fieldlift.ActivityFilter, page fieldlift.Page) (list []fieldlift.Activity, more bool, err error)
}

type operatorStore interface {
	Queue(ctx context.Context) (fieldlift.Queue, error)
	Running(ctx context.Context, most int) ([]fieldlift.RunningDocument, error)
	Waiting(ctx context.Context, most int) ([]fieldlift.WaitingAccount, error)
	Failures(ctx context.Context, since time.Time) ([]fieldlift.FailureGroup, error)
	AccountSummaries(ctx context.Context, filter fieldlift.AccountFilter, page fieldlift.Page) (list []fieldlift.AccountSummary, more bool, err error)
	AccountSummary(ctx context.Context, id string) (fieldlift.AccountSummary, error)
	AddPurchase(ctx context.Context, p fieldlift.Purchase) (fieldlift.Purchase, error)
}

// Intake accepts submissions.
type Intake interface {
	Accept(ctx context.Context, accountID, idempotencyKey string, body *multipart.Reader) (accepted fieldlift.Accepted, replayed bool, err error)
}

// Sampler configures parsers from samples, and shows what they would find.
type Sampler interface {
	Detect(ctx context.Context, accountID, parserID string, body *multipart.Reader) (fieldlift.Detected, error)
	Preview(ctx context.Context, r intake.PreviewRequest) (fieldlift.Preview, error)
	Try(ctx context.Context, accountID, parserID string, body *multipart.Reader) (fieldlift.Preview, error)
}

// Remover removes a finished extraction with its files.
type Remover interface {
	Remove(ctx context.Context, accountID, extractionID string) error
}

// Images shows the pages of files.
type Images interface {
	Page(ctx context.Context, of pageimage.Source, number, width int) (reader.PageImage, error)
	Sizes(ctx context.Context, of pageimage.Source) ([]reader.Size, error)
}

// Files gives the files that were submitted.
type Files interface {
	Open(ctx context.Context, key string) (io.ReadCloser, error)
}

// Receivers knows whom webhooks may call.
type Receivers interface {
	Check(ctx context.Context, url string) []fieldlift.Detail
}

// Tester sends a webhook a test.
type Tester interface {
	Test(ctx context.Context, accountID string, kind fieldlift.WebhookKind, webhookID string) (fieldlift.Attempt, error)
}
