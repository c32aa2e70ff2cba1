package httpapi

import (
	"context"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fieldlift"
)

// slow takes longer for everything than a server's patience with a client.
type slow struct {
	faultyStore
	takes time.Duration
}

func (s slow) wait(ctx context.Context) error {
	select {
	case <-time.After(s.takes):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s slow) Parser(ctx context.Context, _, id string) (fieldlift.Parser, error) {
	return fieldlift.Parser{ID: id}, s.wait(ctx)
}

func (s slow) CreateParser(ctx context.Context, p fieldlift.Parser) (fieldlift.Parser, error) {
	return p, s.wait(ctx)
}

func (s slow) Accept(ctx context.Context, _, _ string, body *multipart.Reader) (fieldlift.Accepted, bool, error) {
	for {
		if _, err := body.NextPart(); err == io.EOF { //nolint:errorlint // readers return io.EOF itself
			return fieldlift.Accepted{}, false, s.wait(ctx)
		}
	}
}

func (s slow) Replay(context.Context, string, string) (fieldlift.Accepted, bool, error) {
	return fieldlift.Accepted{}, false, nil
}

// TestSlowWorkIsAnswered: deadlines are for clients that are slow; what takes
// long here must not be taken for a client that has gone, nor go unanswered.
func TestSlowWorkIsAnswered(t *testing.T) {
	s := slow{takes: unwantedBodyTimeout + 500*time.Millisecond}
	server := httptest.NewUnstartedServer(New(Config{
		Store: s, Intake: s, Log: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(), Now: time.Now,
		MaxRequestBytes: 1000, UploadStall: 100 * time.Millisecond,
	}))
	server.Config.WriteTimeout = 10 * time.Second
	server.Start()
	t.Cleanup(server.Close)
	hasty := httptest.NewUnstartedServer(server.Config.Handler)
	hasty.Config.WriteTimeout = time.Second
	hasty.Start()
	t.Cleanup(hasty.Close)
	form := "--b\r\nContent-Disposition: form-data; name=\"parser_id\"\r\n\r\np\r\n--b--\r\n"
	for name, test := range map[string]struct {
		url, method, path, body string
		status                  int
	}{
		"without a body":   {server.URL, "GET", "/v1/parsers/" + fieldlift.NewID(fieldlift.ParserPrefix), "", 200},
		"with a JSON body": {server.URL, "POST", "/v1/parsers", `{"name":"a"}`, 201},
		"a submission":     {server.URL, "POST", "/v1/extractions", form, 202},
		"a submission longer than the server's own": {hasty.URL, "POST", "/v1/extractions", form, 202},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request, err := http.NewRequestWithContext(t.Context(), test.method, test.url+test.path, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "multipart/form-data; boundary=b")
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if text, _ := io.ReadAll(response.Body); response.StatusCode != test.status || len(text) == 0 {
				t.Errorf("%d %s", response.StatusCode, text)
			}
		})
	}
}
