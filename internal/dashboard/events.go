package dashboard

import (
	"fmt"
	"net/http"
	"time"

	"fieldlift"
)

const (
	// streamLimit ends a stream, so that who was signed out hears no more; the
	// browser asks again.
	streamLimit = 25 * time.Second
	// lookInterval is how often it is looked whether something has changed.
	lookInterval = 500 * time.Millisecond
	// writeLimit bounds how long a browser may take for a piece of a stream.
	writeLimit = 10 * time.Second
)

// streamChanges tells a page that something happened to the account's
// extractions, as server-sent events, or at once when it only asks. The page
// then fetches itself anew: what is shown is made in one place.
func (s *Server) streamChanges(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	last, err := s.Store.LastChange(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	if wantsJSON(r) {
		return showJSON(w, http.StatusOK, map[string]int64{"changed": last.UnixMicro()})
	}
	connection := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would collect them
	tell := func(format string, args ...any) error {
		_ = connection.SetWriteDeadline(time.Now().Add(writeLimit)) // a connection without deadlines has nothing to guard
		if _, err := fmt.Fprintf(w, format, args...); err != nil {
			return err
		}
		return connection.Flush()
	}
	if err := tell("retry: 1000\ndata: %d\n\n", last.UnixMicro()); err != nil {
		return nil //nolint:nilerr // the browser has gone
	}
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	end := time.After(streamLimit)
	for {
		select {
		case <-r.Context().Done():
			return nil
		case <-end:
			return nil
		case <-s.stopping:
			return nil
		case <-ticker.C:
		}
		now, err := s.Store.LastChange(r.Context(), v.Account.ID)
		if err != nil {
			return nil //nolint:nilerr // the browser asks again, and is told then
		}
		if now.Equal(last) {
			continue
		}
		last = now
		if err := tell("data: %d\n\n", last.UnixMicro()); err != nil {
			return nil //nolint:nilerr // the browser has gone
		}
	}
}
