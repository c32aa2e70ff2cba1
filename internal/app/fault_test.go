package app_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
)

// node is a service in a process of its own, which can be killed.
type node struct {
	command *exec.Cmd
	url     string
	ended   chan struct{}
}

var servingAt = regexp.MustCompile(`answers at (http://\S+)`)

// startNode starts a process and waits until it serves. It dies with the test.
func startNode(t *testing.T, flags ...string) *node {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, append([]string{"serve", "--env", "production", "--log-level", "error", "--listen", "127.0.0.1:0",
		"--cache", filepath.Join(os.TempDir(), "fieldlift-test-cache"), "--rate-limit", "1000000", "--submit-rate-limit", "1000000", "--ocr-models", "none"}, flags...)...)
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	log, err := os.CreateTemp(t.TempDir(), "log-*")
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = log
	t.Cleanup(func() {
		defer log.Close()
		if text, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("the node's last words:\n%s", text[max(0, len(text)-4000):])
		}
	})
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	n := &node{command: command, ended: make(chan struct{})}
	lines := bufio.NewScanner(out)
	for n.url == "" && lines.Scan() {
		if found := servingAt.FindStringSubmatch(lines.Text()); found != nil {
			n.url = found[1]
		}
	}
	if n.url == "" {
		_ = command.Wait()
		t.Fatal("the node did not start")
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		_ = command.Wait()
		close(n.ended)
	}()
	t.Cleanup(n.kill)
	return n
}

// kill ends the process as kill -9 does.
func (n *node) kill() {
	_ = n.command.Process.Kill()
	<-n.ended
}

// fleet is what a fault test knows of the service from outside.
type fleet struct {
	url    atomic.Value // where to send requests now
	key    string
	parser string
	store  *app.Store
	owner  fieldlift.Account

	mu       sync.Mutex
	accepted map[string]api.Accepted // by idempotency key
}

func newFleet(t *testing.T, config app.Config, url string) *fleet {
	t.Helper()
	opened, err := app.LookAtStore(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(opened.Close)
	f := &fleet{store: opened, key: fieldlift.NewFullKey(true), accepted: map[string]api.Accepted{}}
	f.url.Store(url)
	if f.owner, err = opened.CreateAccount(t.Context(), fieldlift.Account{Email: "ada@example.com"}, 100_000); err != nil {
		t.Fatal(err)
	}
	if _, err := opened.CreateKey(t.Context(), fieldlift.Key{AccountID: f.owner.ID, Name: "k"}, f.key); err != nil {
		t.Fatal(err)
	}
	parser, err := opened.CreateParser(t.Context(), fieldlift.Parser{
		AccountID: f.owner.ID, Name: "Invoices", ResultMode: fieldlift.OnePerFile,
		Schema: fieldlift.SchemaOf([]fieldlift.Field{{Name: "invoice_number", Type: fieldlift.StringField}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	f.parser = parser.ID
	return f
}

// submit sends files under an idempotency key again and again until they are
// accepted, as a careful client does.
func (f *fleet) submit(ctx context.Context, t *testing.T, key string, files ...apptest.File) {
	body, contentType := apptest.Form(t, []string{"parser_id", f.parser}, files...)
	for ctx.Err() == nil {
		status, answer, err := f.post(ctx, body, contentType, key)
		switch {
		case err != nil || status == http.StatusServiceUnavailable:
			// The service, or its database, is away; a careful client waits a moment.
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
			continue
		case status != http.StatusAccepted:
			t.Errorf("%d %s", status, answer)
			return
		}
		var envelope api.AcceptedEnvelope
		if err := json.Unmarshal([]byte(answer), &envelope); err != nil {
			t.Error(err)
		}
		f.mu.Lock()
		f.accepted[key] = envelope.Extraction
		f.mu.Unlock()
		return
	}
}

func (f *fleet) post(ctx context.Context, body, contentType, key string) (int, string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url.Load().(string)+"/v1/extractions", strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("X-API-Key", f.key)
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, string(answer), err
}

func (f *fleet) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.accepted)
}

// check wants every accepted extraction to end well, with each result there
// once, and every page charged once.
func (f *fleet) check(t *testing.T, within time.Duration) {
	t.Helper()
	deadline := time.Now().Add(within)
	var pages int64
	for key, x := range f.accepted {
		pages += x.PageCount
		for {
			e, err := f.store.ExtractionAlone(t.Context(), f.owner.ID, x.ExtractionID)
			if err != nil {
				t.Fatalf("%s: %v", key, err)
			}
			if e.Status.Terminal() {
				if e.Status != fieldlift.ExtractionCompleted {
					t.Errorf("%s ended %s", key, e.Status)
				}
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s is still %s", key, e.Status)
			}
			time.Sleep(10 * time.Millisecond)
		}
		results := 0
		for record, err := range f.store.Records(t.Context(), f.owner.ID, x.ExtractionID) {
			if err != nil || record.Data == "" {
				t.Errorf("%s: %+v, %v", key, record, err)
			}
			results++
		}
		if int64(results) != x.FileCount {
			t.Errorf("%s has %d results for %d files", key, results, x.FileCount)
		}
	}
	balance, err := f.store.Balance(t.Context(), f.owner.ID)
	if err != nil || balance.Used != pages {
		t.Errorf("%d pages were accepted, %d are charged, %v", pages, balance.Used, err)
	}
	all := 0
	page := fieldlift.Page{Limit: 100}
	for {
		list, more, err := f.store.Extractions(t.Context(), f.owner.ID, fieldlift.ExtractionFilter{}, page)
		if err != nil {
			t.Fatal(err)
		}
		all += len(list)
		if !more {
			break
		}
		last := list[len(list)-1]
		page.After = fieldlift.Cursor{At: last.CreatedAt, ID: last.ID}
	}
	if all != len(f.accepted) {
		t.Errorf("%d extractions for %d submissions", all, len(f.accepted))
	}
}

// load submits from several sides until stopped, and waits for the last.
func (f *fleet) load(t *testing.T, clients int) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	ended := make(chan struct{})
	var senders sync.WaitGroup
	for c := range clients {
		senders.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-ended:
					return
				default:
				}
				name := fmt.Sprintf("c%d-%d", c, n)
				files := []apptest.File{{Name: "a.pdf", Content: apptest.Invoice(name)}}
				if n%3 == 0 {
					files = append(files, apptest.File{Name: "b.pdf", Content: apptest.PDF("one", "two")})
				}
				f.submit(ctx, t, name, files...)
			}
		})
	}
	return func() {
		close(ended)
		senders.Wait()
		cancel()
	}
}

// TestKillOnSQLite kills the service again and again under load.
func TestKillOnSQLite(t *testing.T) {
	config := app.Default()
	config.DataDir = t.TempDir()
	n := startNode(t, "--data", config.DataDir)
	f := newFleet(t, config, n.url)
	stop := f.load(t, 3)
	for round := range 6 {
		goal := f.count() + 8
		waitFor(t, "accepted submissions", func() bool { return f.count() >= goal })
		n.kill()
		n = startNode(t, "--data", config.DataDir)
		f.url.Store(n.url)
		t.Logf("killed and started again, round %d, %d accepted", round+1, f.count())
	}
	stop()
	f.check(t, time.Minute)
}

// slow makes a file that takes a worker a while.
func slow() apptest.File {
	pages := make([]string, 120)
	for i := range pages {
		pages[i] = strings.Repeat(fmt.Sprintf("Line of page %d with a few words on it\n", i), 40)
	}
	return apptest.File{Name: "slow.pdf", Content: apptest.PDF(pages...)}
}

// TestKillOnPostgres kills one of two worker nodes and then the database.
func TestKillOnPostgres(t *testing.T) {
	server := apptest.NewPostgres(t)
	config := app.Default()
	config.DataDir, config.DatabaseURL = t.TempDir(), server.NewDatabase(t)
	where := []string{"--data", config.DataDir, "--database-url", config.DatabaseURL}
	front := startNode(t, append(where, "--role", "api")...)
	f := newFleet(t, config, front.url)
	first := startNode(t, append(where, "--role", "worker", "--workers", "2")...)
	startNode(t, append(where, "--role", "worker", "--workers", "2")...)

	file := slow()
	for i := range 30 { // enough to keep two nodes busy for a while
		f.submit(t.Context(), t, fmt.Sprint("slow-", i), file)
	}
	database, err := pgx.Connect(t.Context(), config.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	running := func() map[string]int64 {
		claims := map[string]int64{}
		rows, err := database.Query(t.Context(), `SELECT id, attempt FROM documents WHERE status = 'processing'`)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var id string
			var attempt int64
			if err := rows.Scan(&id, &attempt); err != nil {
				t.Fatal(err)
			}
			claims[id] = attempt
		}
		return claims
	}
	var claims map[string]int64
	waitFor(t, "documents on both nodes", func() bool {
		claims = running()
		return len(claims) > 2 // more than one node works on at once
	})
	first.kill()
	killed := time.Now()
	// Some are the other node's own; all must move on.
	waitFor(t, "documents taken over", func() bool {
		for id, attempt := range running() {
			if claims[id] == attempt {
				return false
			}
		}
		return true
	})
	if took := time.Since(killed); took > 20*time.Second {
		t.Errorf("the work of a killed node was resumed after %v", took)
	} else {
		t.Logf("the work of a killed node was resumed after %v", took)
	}
	if err := database.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	stop := f.load(t, 2)
	startNode(t, append(where, "--role", "worker", "--workers", "2")...)
	for range 2 {
		goal := f.count() + 5
		waitFor(t, "accepted submissions", func() bool { return f.count() >= goal })
		server.Stop()
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
	}
	goal := f.count() + 5
	waitFor(t, "accepted submissions after the database was away", func() bool { return f.count() >= goal })
	stop()
	f.check(t, 2*time.Minute)
}

// TestFairness has 1,000 documents of one account wait before another comes
// with one.
func TestFairness(t *testing.T) {
	on := apptest.OnPostgres(t)
	front := apptest.Start(t, on, apptest.With(func(c *app.Config) { c.Role = app.API }))
	small := front.NewAccount(t, "small@example.com", 10)
	smallKey := front.NewKey(t, small, "k")
	field := api.Field{Name: "invoice_number"}
	parser := front.NewParser(t, "Big", field)
	files := make([]apptest.File, 50)
	for i := range files {
		files[i] = apptest.File{Name: fmt.Sprint(i, ".pdf"), Content: apptest.Invoice(fmt.Sprint(i))}
	}
	for range 20 {
		front.Accepted(t, parser, files...)
	}
	waiting := apptest.Into[api.ExtractionList](t, front.Send(t, "GET", "/v1/extractions?status=queued&limit=1", nil)).Extractions[0]
	front.Send(t, "DELETE", "/v1/extractions/"+waiting.ExtractionID, nil).WantError(t, http.StatusConflict, "CONFLICT")
	p, err := front.ClientFor(smallKey).CreateParser(t.Context(), api.ParserCreate{Name: "Small", Fields: []api.Field{field}})
	if err != nil {
		t.Fatal(err)
	}
	answer := front.Submit(t, []string{"parser_id", p.ParserID}, files[:1], "X-API-Key", smallKey).WantStatus(t, http.StatusAccepted)
	x := apptest.Into[api.AcceptedEnvelope](t, answer).Extraction

	worker := apptest.Launch(t, on, apptest.With(func(c *app.Config) { c.Role, c.Workers = app.Worker, 2 }))
	worker.Key = front.Key
	worker.Send(t, "GET", "/readyz", nil).WantStatus(t, http.StatusOK)
	waitFor(t, "the small account's result", func() bool {
		e, err := front.Store.ExtractionAlone(t.Context(), small.ID, x.ExtractionID)
		if err != nil {
			t.Fatal(err)
		}
		return e.Status.Terminal()
	})
	before := 0
	list := apptest.Into[api.ExtractionList](t, front.Send(t, "GET", "/v1/extractions", nil))
	for _, e := range list.Extractions {
		results := apptest.Into[api.ResultsEnvelope](t, front.Send(t, "GET", "/v1/extractions/"+e.ExtractionID+"/results", nil))
		before += len(results.Extraction.Documents)
	}
	// Some are done while we look; a thousand wait.
	if before > 200 {
		t.Errorf("%d documents of the other account were done before", before)
	}
	t.Logf("%d documents of the other account were done before", before)
}

func TestRetention(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t), apptest.With(func(c *app.Config) { c.Retention = 24 * time.Hour }))
	parser := a.NewParser(t, "P", api.Field{Name: "invoice_number"})
	x := a.Accepted(t, parser, apptest.File{Name: "a.pdf", Content: apptest.Invoice("1")})
	a.Finished(t, x.ExtractionID)
	blobs := filepath.Join(a.Config.DataDir, "blobs", x.ExtractionID)
	if entries, err := os.ReadDir(blobs); err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	a.Stop()
	later := apptest.Launch(t, apptest.With(func(c *app.Config) {
		c.DataDir, c.Retention = a.Config.DataDir, 24*time.Hour
		c.Now = func() time.Time { return time.Now().Add(25 * time.Hour) }
	}))
	if err := later.Upkeep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := later.Store.ExtractionAlone(t.Context(), a.Account.ID, x.ExtractionID); fieldlift.CodeOf(err) != fieldlift.ResourceNotFound {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(blobs); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its file is still there: %v", err)
	}
}

// TestFileStoreComesAndGoes: while the files are out of reach, documents wait
// and nothing fails.
func TestFileStoreComesAndGoes(t *testing.T) {
	s3 := apptest.StartS3(t)
	postgres := apptest.OnPostgres(t)
	on := func(role app.Role) apptest.Option {
		return func(c *app.Config) {
			postgres(c)
			c.BlobURL, c.Role = s3.URL(), role
		}
	}
	front := apptest.Start(t, on(app.API))
	parser := front.NewParser(t, "P", api.Field{Name: "invoice_number"})
	x := front.Accepted(t, parser, apptest.File{Name: "a.pdf", Content: apptest.Invoice("1")})
	s3.Stop()
	apptest.Launch(t, on(app.Worker))
	status := func() string {
		answer := front.Send(t, "GET", "/v1/extractions/"+x.ExtractionID, nil).WantStatus(t, http.StatusOK)
		return apptest.Into[api.ExtractionEnvelope](t, answer).Extraction.Status
	}
	waitFor(t, "pending", func() bool { return status() == "pending" })
	front.Submit(t, []string{"parser_id", parser}, []apptest.File{{Name: "b.pdf", Content: apptest.Invoice("2")}}).WantError(t, http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE")
	if err := s3.Start(); err != nil {
		t.Fatal(err)
	}
	if results := front.Finished(t, x.ExtractionID); results.Status != "completed" {
		t.Errorf("%+v", results)
	}
}
