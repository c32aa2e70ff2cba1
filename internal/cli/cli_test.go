package cli_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"fieldlift/internal/apptest"
	"fieldlift/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(withPostgres{m}, map[string]func(){
		"fieldlift": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			os.Exit(cli.Run(ctx, os.Args[1:], cli.Surroundings{
				Program: "fieldlift", Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: os.LookupEnv,
			}))
		},
	})
}

// withPostgres stops the tests' PostgreSQL server when they are over.
type withPostgres struct{ m *testing.M }

func (w withPostgres) Run() int { return apptest.Main(w.m) }

// TestScripts runs the command line as a person would, in testdata/*.txtar.
func TestScripts(t *testing.T) {
	cite := apptest.Cite(map[string]string{"colour": "the paint is of a", "total": "what it comes to:"})
	model := apptest.NewModel(t, func(a apptest.Asked) apptest.Said {
		switch a.Key {
		case "wrong":
			return apptest.Said{Status: http.StatusUnauthorized}
		case "busy":
			return apptest.Said{Status: http.StatusTooManyRequests, RetryAfter: "600"}
		}
		return cite(a)
	})
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("POSTGRES", apptest.NewDatabase(t))
			e.Setenv("MODEL_URL", model.URL+"/v1")
			e.Setenv("FIELDLIFT_OCR_MODELS", "none")                                        // what is installed here must not matter, and compiling it takes long
			e.Setenv("XDG_CACHE_HOME", filepath.Join(os.TempDir(), "fieldlift-test-cache")) // PDFium is compiled once for all
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serving": serving,
			"get":     get,
			"keep":    keep,
			"pdf":     pdf,
		},
	})
}

var servingAt = regexp.MustCompile(`answers at (http://\S+)`)

// serving waits until the server in the background writes to a file that it
// answers, and sets $URL.
func serving(ts *testscript.TestScript, _ bool, args []string) {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if found := servingAt.FindSubmatch(text); err == nil && found != nil {
			ts.Setenv("URL", string(found[1]))
			return
		}
	}
	ts.Fatalf("the server did not start")
}

// get fetches URL with KEY and wants STATUS: get URL KEY STATUS [PATTERN].
func get(ts *testscript.TestScript, _ bool, args []string) {
	request, err := http.NewRequest("GET", args[0], nil)
	ts.Check(err)
	request.Header.Set("X-API-Key", args[1])
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	ts.Check(err)
	if response.Status[:3] != args[2] || len(args) > 3 && !regexp.MustCompile(args[3]).Match(body) {
		ts.Fatalf("%s answers %s: %s", args[0], response.Status, body)
	}
}

// keep puts what a pattern's group finds in a file into a variable:
// keep NAME FILE PATTERN. The file may be stdout.
func keep(ts *testscript.TestScript, _ bool, args []string) {
	found := regexp.MustCompile(args[2]).FindStringSubmatch(ts.ReadFile(args[1]))
	if found == nil {
		ts.Fatalf("%s is not in %s:\n%s", args[2], args[1], ts.ReadFile(args[1]))
	}
	ts.Setenv(args[0], found[1])
}

// pdf writes a PDF with a page for each text, where | begins a new line:
// pdf FILE TEXT…
func pdf(ts *testscript.TestScript, _ bool, args []string) {
	var pages []string
	for _, text := range args[1:] {
		pages = append(pages, strings.ReplaceAll(text, "|", "\n"))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), apptest.PDF(pages...), 0o600))
}
