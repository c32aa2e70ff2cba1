package dashboard

import (
	"net/http"

	"fieldlift"
)

func (s *Server) showHome(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	return s.show(w, r, v, "home", page{Title: "Home", Section: "home"})
}
