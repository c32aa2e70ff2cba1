package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
)

// Why no connection is made, or an answer is none.
var (
	errPlain   = errors.New("plain http must not be called")
	errAddress = errors.New("the address must not be called")
	errPort    = errors.New("the port must not be called")
	errNotHTTP = errors.New("the answer is not HTTP")
)

// Sentence tells the owner of a webhook why no answer came. It says nothing of
// our own network.
func Sentence(err error) string {
	switch {
	case errors.Is(err, errPlain):
		return "The url begins with http://; in production only https:// is called."
	case errors.Is(err, errPort):
		return "The port is not one that webhooks may call."
	case errors.Is(err, errAddress):
		return "The host's address is not one that webhooks may call."
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded):
		return "The receiver did not answer within 10 seconds."
	case errors.Is(err, syscall.ECONNREFUSED):
		return "The receiver refused the connection."
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE):
		return "The receiver closed the connection without an answer."
	case errors.Is(err, errNotHTTP):
		return "The receiver answered with something that is not HTTP."
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "The host name could not be resolved."
	}
	if failed, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "The receiver's certificate is not valid: " + reason(failed.Err) + "."
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || errors.Is(err, http.ErrSchemeMismatch) {
		return "The receiver does not speak TLS at this port."
	}
	return "The receiver could not be reached."
}

const mostReason = 300

// reason is what x509 says, without its prefix.
func reason(err error) string {
	if host, ok := errors.AsType[x509.HostnameError](err); ok {
		return "it is not for " + host.Host
	}
	text := strings.TrimPrefix(err.Error(), "x509: ") // names in it are the receiver's own words
	return clean(text[:min(len(text), mostReason)])
}
