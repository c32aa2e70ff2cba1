package api

import (
	"context"
	"errors"
	"io"
	"iter"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"
)

// Submission is a batch of files for a parser.
type Submission struct {
	ParserID string
	Name     string // "": the parser's name, the day and the time
	// IdempotencyKey makes it safe to submit again what may have arrived: the
	// service answers with what it accepted the first time. "": none.
	IdempotencyKey string
	Files          []Upload
}

// Upload is a file to submit.
type Upload struct {
	Name    string
	Content io.Reader
}

// Submit sends files to be extracted. They are streamed, never held in memory,
// so a submission is sent once, whatever WithRetries says: only the caller can
// read the files again. When Submit returns, it no longer reads any of them.
func (c *Client) Submit(ctx context.Context, s Submission) (Accepted, error) {
	header := http.Header{}
	if s.IdempotencyKey != "" {
		header.Set("Idempotency-Key", s.IdempotencyKey)
	}
	var answer AcceptedEnvelope
	err := c.upload(ctx, "/v1/extractions", s.write, header, &answer)
	return answer.Extraction, err
}

// upload sends a form as it is written and reads the answer.
func (c *Client) upload(ctx context.Context, path string, writeForm func(*multipart.Writer) error, header http.Header, answer any) error {
	body, write := io.Pipe()
	form := multipart.NewWriter(write)
	written := make(chan struct{})
	go func() {
		defer close(written)
		_ = write.CloseWithError(writeForm(form)) // never fails
	}()
	defer func() {
		_ = body.Close() // which ends the writing
		<-written
	}()
	request, err := c.request(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.Header.Set("Expect", "100-continue") // what is refused by its header need not be sent
	return c.read(request, answer)
}

func (s Submission) write(form *multipart.Writer) error {
	if err := form.WriteField("parser_id", s.ParserID); err != nil {
		return err
	}
	if s.Name != "" {
		if err := form.WriteField("name", s.Name); err != nil {
			return err
		}
	}
	for _, f := range s.Files {
		part, err := form.CreateFormFile("files", f.Name)
		if err != nil {
			return err
		}
		if _, err := io.Copy(part, f.Content); err != nil {
			return err
		}
	}
	return form.Close()
}

// Extraction fetches an extraction with the state of its documents.
func (c *Client) Extraction(ctx context.Context, id string) (Extraction, error) {
	var answer ExtractionEnvelope
	err := c.call(ctx, http.MethodGet, extractionPath(id), nil, &answer)
	return answer.Extraction, err
}

// Results fetches what was extracted so far: the documents that are finished.
func (c *Client) Results(ctx context.Context, id string) (Results, error) {
	var answer ResultsEnvelope
	err := c.call(ctx, http.MethodGet, extractionPath(id)+"/results", nil, &answer)
	return answer.Extraction, err
}

// Document fetches one document of an extraction, with its result if it is
// finished.
func (c *Client) Document(ctx context.Context, extractionID, documentID string) (SingleDocument, error) {
	var answer DocumentEnvelope
	err := c.call(ctx, http.MethodGet, extractionPath(extractionID)+"/documents/"+url.PathEscape(documentID), nil, &answer)
	return answer.Document, err
}

// DeleteExtraction removes a finished extraction and its files for good.
func (c *Client) DeleteExtraction(ctx context.Context, id string) error {
	return c.call(ctx, http.MethodDelete, extractionPath(id), nil, nil)
}

// Export fetches an extraction's results as a file of the format "json", "csv"
// or "xlsx". It is streamed; the caller reads and closes it.
func (c *Client) Export(ctx context.Context, id, format string) (io.ReadCloser, error) {
	var file io.ReadCloser
	err := c.again(ctx, http.MethodGet, func() error {
		request, err := c.request(ctx, http.MethodGet, extractionPath(id)+"/export?"+url.Values{"format": {format}}.Encode(), nil)
		if err != nil {
			return err
		}
		response, err := c.open(request) //nolint:bodyclose // the caller of Export closes it
		if err != nil {
			return err
		}
		file = response.Body
		return nil
	})
	return file, err
}

// ExtractionFilter chooses extractions; what is zero chooses all.
type ExtractionFilter struct {
	ParserID string
	Status   string
	Since    time.Time // only those updated after it
}

func (f ExtractionFilter) query() url.Values {
	q := url.Values{}
	if f.ParserID != "" {
		q.Set("parser_id", f.ParserID)
	}
	if f.Status != "" {
		q.Set("status", f.Status)
	}
	if !f.Since.IsZero() {
		q.Set("since", f.Since.UTC().Format(TimeLayout))
	}
	return q
}

// ListExtractions lists one page of extractions, newest first.
func (c *Client) ListExtractions(ctx context.Context, f ExtractionFilter, o ListOptions) (ExtractionList, error) {
	var answer ExtractionList
	err := c.call(ctx, http.MethodGet, "/v1/extractions"+o.query(f.query()), nil, &answer)
	return answer, err
}

// Extractions goes through all extractions that the filter chooses, newest
// first, page by page. It ends after the first error.
func (c *Client) Extractions(ctx context.Context, f ExtractionFilter) iter.Seq2[ExtractionSummary, error] {
	return pages(func(o ListOptions) ([]ExtractionSummary, Pagination, error) {
		list, err := c.ListExtractions(ctx, f, o)
		return list.Extractions, list.Pagination, err
	})
}

// How long Wait waits between looks: a short extraction is seen soon, and many
// long ones stay far from the rate limit.
const (
	firstLook   = 200 * time.Millisecond
	longestLook = 10 * time.Second
)

// Wait looks at an extraction, less and less often, until it is finished. It
// bears with the rate limit and a database that is away for as long as ctx
// lets it.
func (c *Client) Wait(ctx context.Context, id string) (Extraction, error) {
	for delay := firstLook; ; delay = min(delay*3/2, longestLook) {
		extraction, err := c.Extraction(ctx, id)
		wait := delay
		if refused, ok := errors.AsType[*Error](err); ok && mayTryAgain(http.MethodGet, refused.Status) {
			wait = max(delay, refused.RetryAfter)
		} else if err != nil || extraction.Finished() {
			return extraction, err
		}
		if err := pause(ctx, wait); err != nil {
			return extraction, err
		}
	}
}

func extractionPath(id string) string { return "/v1/extractions/" + url.PathEscape(id) }
