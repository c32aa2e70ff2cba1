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
	url    url.URL // paths are put behind its own, its query stays
	header http.Header
	// longest bounds an answer, in bytes: by what the model may write, for parsing
	// it takes many times its length in memory.
	longest int64
}

const (
	bytesAToken   = 16        // of an answer, at the most: escapes, and thoughts beside it
	aroundAnswer  = 64 << 10  // what else a provider may tell
	shortestBound = 256 << 10 // no bound is less
	longestList   = 8 << 20   // of the models that a provider has
)

// newEndpoint takes an address that CheckURL has nothing against; at any other
// nobody answers.
func newEndpoint(o Options, usual string, header http.Header) endpoint {
	transport := o.Transport
	if transport == nil {
		transport = http.DefaultTransport.(*http.Transport).Clone()
	}
	if o.URL != "" {
		usual = o.URL
	}
	address, err := url.Parse(usual)
	if err != nil {
		address = &url.URL{}
	}
	address.Path, address.RawPath = strings.TrimRight(address.Path, "/"), strings.TrimRight(address.RawPath, "/")
	return endpoint{
		client: &http.Client{
			Transport: transport,
			// Nobody is led elsewhere with a document in hand.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		url: *address, header: header,
		longest: max(shortestBound, aroundAnswer+bytesAToken*int64(o.MostOutput)),
	}
}

// exchange sends a body, if there is one, and reads the answer. What is not
// answered as asked is a *fault, or the end of ctx.
func (e endpoint) exchange(ctx context.Context, method string, path []string, body, into any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, e.address(path), content)
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
	longest := e.longest
	switch {
	case response.StatusCode != http.StatusOK:
		longest = longestMessage
	case method == http.MethodGet:
		longest = longestList
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, longest+1))
	if response.StatusCode != http.StatusOK {
		// What it says is not for us when it breaks off: the status alone tells.
		return &fault{status: response.StatusCode, message: string(text[:min(len(text), longestMessage)]), retryAfter: readRetryAfter(response.Header, time.Now())}
	}
	switch {
	case int64(len(text)) > longest:
		return &fault{err: errEndless}
	case err != nil:
		return unreachable(ctx, err)
	}
	if c, ok := readComplaint(text); ok { // some say that all is well, and then that it is not
		if status := c.status(); status != 0 {
			return &fault{status: status, message: string(text[:min(len(text), longestMessage)]), retryAfter: readRetryAfter(response.Header, time.Now())}
		}
		return &fault{err: errStrange}
	}
	if json.Unmarshal(text, into) != nil {
		return &fault{err: errStrange} // whoever answered is not who was asked
	}
	return nil
}

// address is where a path of the endpoint is, by its parts.
func (e endpoint) address(parts []string) string {
	at := e.url // a copy
	for _, part := range parts {
		at.RawPath = at.EscapedPath() + "/" + url.PathEscape(part)
		at.Path += "/" + part
	}
	return at.String()
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

// What came is no answer, and may have been paid for. To ask the same again
// would be to pay again.
var (
	errSlow    = errors.New("it did not answer in time")
	errEndless = errors.New("its answer has no end")
	errStrange = errors.New("its answer is none of its protocol")
)
