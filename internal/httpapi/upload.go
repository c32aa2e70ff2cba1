package httpapi

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"time"

	"fieldlift"
)

// upload is a body that may take as long as it likes while it goes on. One
// that stands still is ended, and so is one that only drips: each holds a
// connection and files on the disk.
type upload struct {
	connection *http.ResponseController
	body       io.ReadCloser
	stall      time.Duration
	began      time.Time
	read       int64
	whole      bool // its end has come
}

const (
	// slowestUpload is what a client must send on average: bytes a second.
	slowestUpload = 4 << 10
	// An upload may be slower for as long as it could stand still so many times.
	slowStalls = 6
)

func (s *Server) newUpload(w http.ResponseWriter, r *http.Request) *upload {
	return &upload{
		connection: http.NewResponseController(w),
		body:       http.MaxBytesReader(w, r.Body, s.MaxRequestBytes),
		whole:      r.Body == http.NoBody,
		stall:      cmp.Or(s.UploadStall, bodyTimeout),
		began:      time.Now(),
	}
}

func (u *upload) Read(b []byte) (int, error) {
	deadline := u.began.Add(slowStalls*u.stall + time.Duration(u.read/slowestUpload)*time.Second)
	if stalled := time.Now().Add(u.stall); stalled.Before(deadline) {
		deadline = stalled
	}
	// A connection without deadlines has nothing to guard.
	if err := u.connection.SetReadDeadline(deadline); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	n, err := u.body.Read(b)
	u.read += int64(n)
	if errors.Is(err, io.EOF) {
		u.whole = true
		// net/http listens on, to tell when the client goes away, and would take
		// the deadline for that, however long the files take to be looked at.
		_ = u.connection.SetReadDeadline(time.Time{})
	}
	return n, err
}

func (u *upload) Close() error { return u.body.Close() }

// answered makes way for the answer: what may still come of the body is waited
// for no longer than for one that nobody wanted, and the answer has time of its
// own, for the server's may be over.
func (u *upload) answered() {
	if !u.whole {
		_ = u.connection.SetReadDeadline(time.Now().Add(unwantedBodyTimeout))
	}
	_ = u.connection.SetWriteDeadline(time.Now().Add(bodyTimeout))
}

// mostUnwanted is how much of a body that nobody asked for is read over.
const mostUnwanted = 64 << 10

// passOver takes in a body that nobody asked for, within the time that
// ServeHTTP gives it, for a handler that may take long: one that is cut off
// later would look like a client that has gone.
func passOver(w http.ResponseWriter, r *http.Request) error {
	if _, err := io.CopyN(io.Discard, r.Body, mostUnwanted); !errors.Is(err, io.EOF) {
		return fieldlift.Errorf(fieldlift.InvalidPayload, "A body is not wanted here, and this one does not end.")
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // nothing more is to come
	return nil
}
