package httpapi

import (
	"net/http"

	"fieldlift"
	"fieldlift/api"
)

func (s *Server) getHealth(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, api.Health{Status: "ok"})
}

func (s *Server) getReadiness(w http.ResponseWriter, r *http.Request) error {
	if err := s.Ready(r.Context()); err != nil {
		if fieldlift.CodeOf(err) == fieldlift.ServiceUnavailable {
			return err
		}
		return fieldlift.Unavailable(err)
	}
	return writeJSON(w, http.StatusOK, api.Health{Status: "ready", Missing: s.Missing(r.Context())})
}
