package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// endpoint is where a provider is called, and with what.
type endpoint struct {
	client *http.Client
	url    string // ends without a slash
	header http.Header
}

// longestAnswer bounds what a provider may send, in bytes.
const longestAnswer = 16 << 20

func newEndpoint(o Options, usual string, header http.Header) endpoint {
	transport := o.Transport
	if transport == nil {
		transport = http.DefaultTransport.(*http.Transport).Clone()
	}
	if o.URL != "" {
		usual = o.URL
	}
	return endpoint{
		client: &http.Client{
			Transport: transport,
			// Nobody is led elsewhere with a document in hand.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		url: strings.TrimRight(usual, "/"), header: header,
	}
}

// exchange sends a body, if there is one, and reads the answer. What is not
// answered as asked is a *fault, or the end of ctx.
func (e endpoint) exchange(ctx context.Context, method, path string, body, into any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, e.url+path, content)
	if err != nil {
		return err
	}
	request.Header = e.header.Clone()
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	response, err := e.client.Do(request)
	if err != nil {
		return unreachable(ctx, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer))
	if err != nil {
		return unreachable(ctx, err)
	}
	if response.StatusCode != http.StatusOK {
		return &fault{status: response.StatusCode, message: string(text[:min(len(text), longestMessage)]), retryAfter: readRetryAfter(response.Header, time.Now())}
	}
	if err := json.Unmarshal(text, into); err != nil {
		return &fault{status: http.StatusBadGateway} // whoever answered is not who was asked
	}
	return nil
}

const longestMessage = 8 << 10

// unreachable tells what it means that no answer came. Addresses are left out:
// they may hold what is not for a log.
func unreachable(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	if ctx.Err() != nil {
		return &fault{err: errSlow}
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return &fault{err: err}
}

var errSlow = errors.New("it did not answer in time")
