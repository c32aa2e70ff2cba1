// Package outbound calls receivers whose addresses strangers chose. It follows
// no redirect, waits no longer than ten seconds in all, reads only the
// beginning of an answer, and in production refuses addresses that are not
// public, at the moment of connecting, when no name can change any more.
//
// What is sent, and what an answer means, is not its business.
package outbound

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Timeout bounds a call: name, connection, request and answer together.
const Timeout = 10 * time.Second

// Options say whom a Client may call.
type Options struct {
	Production bool           // https, public addresses and sensible ports only
	Allowed    []netip.Prefix // networks that may be called in production though they are not public
	Resolver   *net.Resolver  // nil: the system's
}

// Client calls receivers.
type Client struct {
	options Options
	http    *http.Client
}

// Bounds of connections and answers.
const (
	idleTimeout    = 30 * time.Second
	mostIdle       = 256
	mostIdleOfHost = 16
	mostHeader     = 64 << 10
	mostExcerpt    = 2 << 10     // of the body, kept
	mostDrained    = 64 << 10    // of the body, read so that the connection can be used again
	bodyTimeout    = time.Second // for the body, once the status has said what matters
)

// New makes a Client.
func New(o Options) *Client {
	c := &Client{options: o}
	dialer := &net.Dialer{Resolver: o.Resolver, ControlContext: c.control}
	c.http = &http.Client{
		// No proxy, which would connect to whatever it is told; and HTTP/1.1, where one slow answer holds up no other.
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			DisableCompression:     true,
			IdleConnTimeout:        idleTimeout,
			MaxIdleConns:           mostIdle,
			MaxIdleConnsPerHost:    mostIdleOfHost,
			MaxResponseHeaderBytes: mostHeader,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

// control sees each address just before it is connected to.
func (c *Client) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	switch {
	case err != nil || !c.options.allows(at.Addr()):
		return errAddress
	case c.options.Production && !sensiblePort(at.Port()):
		return errPort
	}
	return nil
}

// Close lets go of connections that are kept for later.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Body gives a request's body from its beginning, each time it is called.
type Body func() (io.ReadCloser, error)

// Answer is what a receiver answered.
type Answer struct {
	StatusCode int
	Excerpt    string        // the beginning of the body, fit to be stored and shown
	Cut        bool          // the body took so long that it was not waited for
	Took       time.Duration // the whole exchange, the body included
}

// clean makes a receiver's text fit to be stored and shown.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// Post sends a body of a known length. An error means that no answer came;
// Sentence tells it to people. Took is set in either case.
func (c *Client) Post(ctx context.Context, to string, header http.Header, length int64, body Body) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	began := time.Now()
	first, err := body()
	if err != nil {
		return Answer{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, first)
	if err != nil {
		return Answer{}, errors.Join(err, first.Close())
	}
	if c.options.Production && request.URL.Scheme != "https" {
		return Answer{}, errors.Join(errPlain, first.Close()) // made before the server was one for production
	}
	var answered atomic.Bool
	request = request.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: func() { answered.Store(true) }}))
	request.Header = header
	request.ContentLength = length
	request.GetBody = body
	// A kept connection that the receiver has closed meanwhile is no answer: with
	// this, which is not sent, net/http tries again on a new one.
	request.Header["Idempotency-Key"] = nil
	response, err := c.http.Do(request)
	if err != nil {
		answer := Answer{Took: time.Since(began)}
		if called, ok := errors.AsType[*url.Error](err); ok {
			err = called.Err // without the URL: for many receivers that is a secret, and errors are logged
		}
		if answered.Load() {
			err = errors.Join(errNotHTTP, err)
		}
		return answer, err
	}
	defer response.Body.Close()
	// The status has said what matters; a body that breaks off or drips is cut.
	late := time.AfterFunc(bodyTimeout, cancel)
	excerpt, _ := io.ReadAll(io.LimitReader(response.Body, mostExcerpt))
	_, _ = io.CopyN(io.Discard, response.Body, mostDrained)
	return Answer{
		StatusCode: response.StatusCode, Excerpt: clean(string(excerpt)), Cut: !late.Stop(), Took: time.Since(began),
	}, nil
}
