package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Client calls a Fieldlift service. It is safe for concurrent use.
type Client struct {
	base    string
	key     string
	http    *http.Client
	retries int
}

// ClientOption sets one thing about a Client.
type ClientOption func(*Client)

// WithHTTPClient makes the Client send through another http.Client.
func WithHTTPClient(c *http.Client) ClientOption { return func(to *Client) { to.http = c } }

// WithRetries sets how often a request is sent again that was refused by the
// rate limit or, when it only reads, met a database that was away: twice
// unless set.
func WithRetries(n int) ClientOption { return func(to *Client) { to.retries = n } }

// NewClient makes a client of the service at base, such as
// http://127.0.0.1:8080, with a full API key.
func NewClient(base, key string, options ...ClientOption) *Client {
	c := &Client{base: strings.TrimSuffix(base, "/"), key: key, http: http.DefaultClient, retries: 2}
	for _, option := range options {
		option(c)
	}
	return c
}

// Error is a refusal by the service.
type Error struct {
	Status     int
	RetryAfter time.Duration // 0 when the service named none
	ErrorBody
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s (%d %s, request %s)", e.Message, e.Status, e.Code, e.RequestID)
}

// Me tells whose key it is; it confirms that the key is valid.
func (c *Client) Me(ctx context.Context) (User, error) {
	var answer UserEnvelope
	err := c.call(ctx, http.MethodGet, "/v1/me", nil, &answer)
	return answer.User, err
}

// Credits tells the account's balance.
func (c *Client) Credits(ctx context.Context) (Credits, error) {
	var answer CreditsEnvelope
	err := c.call(ctx, http.MethodGet, "/v1/credits", nil, &answer)
	return answer.Credits, err
}

// ListOptions choose a page of a list. The zero value asks for the first page
// of the service's usual size.
type ListOptions struct {
	Limit  int
	Cursor string
}

// query writes the options, and what else is asked for, after a path.
func (o ListOptions) query(q url.Values) string {
	if o.Limit != 0 {
		q.Set("limit", strconv.Itoa(o.Limit))
	}
	if o.Cursor != "" {
		q.Set("cursor", o.Cursor)
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// ListParsers lists one page of parsers, newest first.
func (c *Client) ListParsers(ctx context.Context, o ListOptions) (ParserList, error) {
	var answer ParserList
	err := c.call(ctx, http.MethodGet, "/v1/parsers"+o.query(url.Values{}), nil, &answer)
	return answer, err
}

// Parsers goes through all parsers, newest first, page by page. It ends after
// the first error.
func (c *Client) Parsers(ctx context.Context) iter.Seq2[Parser, error] {
	return pages(func(o ListOptions) ([]Parser, Pagination, error) {
		list, err := c.ListParsers(ctx, o)
		return list.Parsers, list.Pagination, err
	})
}

// pages goes through a list, page by page.
func pages[T any](list func(ListOptions) ([]T, Pagination, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for o := (ListOptions{Limit: 100}); ; {
			rows, at, err := list(o)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
			}
			if at.NextCursor == nil {
				return
			}
			o.Cursor = *at.NextCursor
		}
	}
}

// CreateParser makes a parser.
func (c *Client) CreateParser(ctx context.Context, create ParserCreate) (Parser, error) {
	var answer ParserEnvelope
	err := c.call(ctx, http.MethodPost, "/v1/parsers", create, &answer)
	return answer.Parser, err
}

// Parser fetches one parser.
func (c *Client) Parser(ctx context.Context, id string) (Parser, error) {
	var answer ParserEnvelope
	err := c.call(ctx, http.MethodGet, "/v1/parsers/"+url.PathEscape(id), nil, &answer)
	return answer.Parser, err
}

// UpdateParser sets what the update holds and leaves the rest.
func (c *Client) UpdateParser(ctx context.Context, id string, update ParserUpdate) (Parser, error) {
	var answer ParserEnvelope
	err := c.call(ctx, http.MethodPatch, "/v1/parsers/"+url.PathEscape(id), update, &answer)
	return answer.Parser, err
}

// DeleteParser takes a parser out of service.
func (c *Client) DeleteParser(ctx context.Context, id string) error {
	return c.call(ctx, http.MethodDelete, "/v1/parsers/"+url.PathEscape(id), nil, nil)
}

// call sends a request, again if it was refused for the moment only, and
// reads the answer.
func (c *Client) call(ctx context.Context, method, path string, body, answer any) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return fmt.Errorf("write the request: %w", err)
		}
	}
	return c.again(ctx, method, func() error { return c.send(ctx, method, path, text, answer) })
}

// again sends until there is an answer that stands, or the tries are over.
func (c *Client) again(ctx context.Context, method string, send func() error) error {
	for try := 0; ; try++ {
		err := send()
		refused, ok := errors.AsType[*Error](err)
		if !ok || try == c.retries || !mayTryAgain(method, refused.Status) {
			return err
		}
		if err := pause(ctx, max(refused.RetryAfter, time.Second<<try)); err != nil {
			return err
		}
	}
}

// pause waits, unless ctx ends first.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// mayTryAgain tells refusals that pass by themselves. When the database was
// away, an act may have happened all the same, so only reading is repeated.
func mayTryAgain(method string, status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable && method == http.MethodGet
}

// mostAnswer bounds what is read of an answer, against a server gone astray.
const mostAnswer = 256 << 20

func (c *Client) send(ctx context.Context, method, path string, body []byte, answer any) error {
	request, err := c.request(ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return c.read(request, answer)
}

func (c *Client) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-API-Key", c.key)
	return request, nil
}

// read sends a request and reads the JSON of the answer.
func (c *Client) read(request *http.Request, answer any) error {
	request.Header.Set("Accept", "application/json")
	response, err := c.open(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer))
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}

// open sends a request and gives an answer that is no refusal, for the caller
// to read and close.
func (c *Client) open(request *http.Request) (*http.Response, error) {
	response, err := c.http.Do(request)
	if err != nil || response.StatusCode < 400 {
		return response, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return nil, refusal(response, text)
}

func refusal(response *http.Response, text []byte) error {
	var envelope ErrorEnvelope
	if json.Unmarshal(text, &envelope) != nil || envelope.Error.Code == "" {
		// Something between the service and us has answered.
		envelope.Error = ErrorBody{Message: "The server answered " + response.Status + "."}
	}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	return &Error{Status: response.StatusCode, RetryAfter: time.Duration(seconds) * time.Second, ErrorBody: envelope.Error}
}
