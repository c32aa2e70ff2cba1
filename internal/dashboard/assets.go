package dashboard

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed assets
var assetFiles embed.FS

// assets are the files that pages load. Their address holds a hash of all of
// them, so that browsers may keep them for good and modules find each other.
type assets struct {
	version string
	files   map[string]asset
}

type asset struct {
	contentType  string
	plain, small []byte // as it is, and compressed
}

func loadAssets() (*assets, error) {
	entries, err := fs.ReadDir(assetFiles, "assets")
	if err != nil {
		return nil, err
	}
	loaded := &assets{files: map[string]asset{}}
	all := sha256.New()
	for _, e := range entries {
		text, err := fs.ReadFile(assetFiles, "assets/"+e.Name())
		if err != nil {
			return nil, err
		}
		all.Write([]byte(e.Name()))
		all.Write(text)
		var small bytes.Buffer
		packed := gzip.NewWriter(&small)
		_, _ = packed.Write(text) // into memory
		_ = packed.Close()
		loaded.files[e.Name()] = asset{mime.TypeByExtension(path.Ext(e.Name())), text, small.Bytes()}
	}
	loaded.version = hex.EncodeToString(all.Sum(nil))[:12]
	return loaded, nil
}

// url gives the address of a file.
func (a *assets) url(name string) string { return "/assets/" + a.version + "/" + name }

func (s *Server) serveAsset(w http.ResponseWriter, r *http.Request) {
	file, found := s.assets.files[r.PathValue("name")]
	if !found {
		s.NotFound(w, r)
		return
	}
	// A page of an earlier program may ask for an earlier version: it gets this one, but must not keep it under that name.
	if r.PathValue("version") == s.assets.version {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	w.Header().Set("Content-Type", file.contentType)
	w.Header().Set("Vary", "Accept-Encoding")
	body := file.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		body = file.small
	}
	_, _ = w.Write(body) // a client that has gone is no fault of ours
}

func (s *Server) serveIcon(w http.ResponseWriter, r *http.Request) {
	r.SetPathValue("name", "icon.svg")
	r.SetPathValue("version", "")
	s.serveAsset(w, r)
}
