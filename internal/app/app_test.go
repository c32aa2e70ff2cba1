package app_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fieldlift/api"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
	"fieldlift/internal/cli"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		// A service in a process of its own, for tests that kill it.
		os.Exit(cli.Run(context.Background(), os.Args[1:], cli.Surroundings{
			Program: "fieldlift", Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: os.LookupEnv,
		}))
	}
	os.Exit(apptest.Main(m))
}

func TestVeryFirstStartInDevelopment(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		development := apptest.With(func(c *app.Config) { c.Env = app.Development })
		a := apptest.Launch(t, on, development)
		if a.Welcome == nil {
			t.Fatal("no demo account was made")
		}
		client := a.ClientFor(a.Welcome.FullKey)
		me, err := client.Me(t.Context())
		if err != nil || me.CreditsAvailable != 1000 || me.Email != a.Welcome.Email {
			t.Errorf("%+v, %v", me, err)
		}
		parser, err := client.Parser(t.Context(), a.Welcome.ParserID)
		if err != nil || len(parser.Fields) == 0 {
			t.Errorf("%+v, %v", parser, err)
		}
		if account, err := a.Store.Account(t.Context(), me.UserID); err != nil || !account.Admin {
			t.Errorf("the first account does not run the service: %+v, %v", account, err)
		}
		a.Stop()
		if again := apptest.Launch(t, on, development); again.Welcome != nil {
			t.Error("the second start made another account")
		}
	})
}

func TestFirstStartInProductionMakesNothing(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t))
	if found, err := a.Store.FirstAccount(t.Context()); a.Welcome != nil || found != "" || err != nil {
		t.Errorf("%+v, %v, %v", a.Welcome, found, err)
	}
}

func TestConfigReportsAllMistakesAtOnce(t *testing.T) {
	_, err := app.New(t.Context(), app.Config{Listen: "nowhere", MetricsListen: "x", DatabaseURL: "mysql://user:secret@db", Env: "staging"})
	if err == nil {
		t.Fatal("it is taken")
	}
	for _, flag := range []string{"--listen", "--metrics-listen", "--database-url", "--env", "--rate-limit"} {
		if !strings.Contains(err.Error(), flag) {
			t.Errorf("%s is not named in: %v", flag, err)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("a password is shown: %v", err)
	}
}

func TestMetricsOnTheirOwnListener(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t), apptest.With(func(c *app.Config) { c.MetricsListen = "127.0.0.1:0" }))
	response, err := http.Get(a.MetricsURL())
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 || !strings.Contains(string(text), "fieldlift_build_info") {
		t.Errorf("%d, %v", response.StatusCode, err)
	}
	missing, err := http.Get(a.URL() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	_ = missing.Body.Close()
	if missing.StatusCode != 404 {
		t.Errorf("/metrics is also served with the rest: %d", missing.StatusCode)
	}
}

// TestStopDrains stops the service while a request is half sent: it is
// answered all the same, and new ones are not taken.
func TestStopDrains(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	connection, err := net.Dial("tcp", strings.TrimPrefix(a.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	const body = `{"name":"Drained"}`
	write(t, connection, "POST /v1/parsers HTTP/1.1\r\nHost: x\r\nX-API-Key: "+a.Key+"\r\nContent-Length: 18\r\nExpect: 100-continue\r\n\r\n")
	read(t, connection, "HTTP/1.1 100 Continue\r\n\r\n") // the handler waits for the body now
	stopped := make(chan struct{})
	go func() {
		a.Stop()
		close(stopped)
	}()
	for { // until the listener is closed
		probe, err := net.Dial("tcp", strings.TrimPrefix(a.URL(), "http://"))
		if err != nil {
			break
		}
		_ = probe.Close()
	}
	select {
	case <-stopped:
		t.Fatal("it stopped with a request under way")
	default:
	}
	write(t, connection, body)
	read(t, connection, "HTTP/1.1 201 Created\r\n")
	_ = connection.Close()
	<-stopped
}

func write(t *testing.T, connection net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(connection, text); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, connection net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(connection, got); err != nil || string(got) != want {
		t.Fatalf("%q, %v, want %q", got, err, want)
	}
}

func TestSQLiteThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "fieldlift.db"), []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	config := app.Default()
	config.DataDir, config.Listen = dir, "127.0.0.1:0"
	if a, err := app.New(t.Context(), config); err == nil {
		a.Close()
		t.Error("a file that is no database is taken for one")
	}
}

// TestPostgresComesAndGoes stops PostgreSQL under load and starts it again:
// meanwhile every answer is 200 or 503, and the service recovers by itself.
func TestPostgresComesAndGoes(t *testing.T) {
	server := apptest.NewPostgres(t)
	url := server.NewDatabase(t)
	a := apptest.Start(t, apptest.With(func(c *app.Config) { c.DatabaseURL, c.DataDir = url, t.TempDir() }))
	a.Send(t, "GET", "/readyz", nil).WantStatus(t, 200)

	var refused, answered atomic.Int64
	stop := make(chan struct{})
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			client := a.Client()
			for {
				select {
				case <-stop:
					return
				default:
				}
				var err error
				if _, err = client.ListParsers(t.Context(), api.ListOptions{}); err == nil {
					_, err = client.CreateParser(t.Context(), api.ParserCreate{Name: time.Now().String()})
				}
				switch e, _ := errors.AsType[*api.Error](err); {
				case err == nil:
					answered.Add(1)
				case e != nil && e.Status == 503 && e.Code == "SERVICE_UNAVAILABLE" && e.RetryAfter > 0:
					refused.Add(1)
				case e != nil && e.Status == 409: // two clients, one name
				default:
					t.Errorf("while PostgreSQL was away: %v", err)
				}
			}
		})
	}
	waitFor(t, "answers", func() bool { return answered.Load() > 20 })
	server.Stop()
	waitFor(t, "refusals", func() bool { return refused.Load() > 20 })
	a.Send(t, "GET", "/healthz", nil).WantStatus(t, 200)
	a.Send(t, "GET", "/readyz", nil).WantError(t, 503, "SERVICE_UNAVAILABLE")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	before := answered.Load()
	waitFor(t, "answers again", func() bool { return answered.Load() > before+20 })
	close(stop)
	clients.Wait()
	a.Send(t, "GET", "/v1/me", nil).WantStatus(t, 200)
	a.Send(t, "GET", "/readyz", nil).WantStatus(t, 200)
}

// waitFor waits for what other goroutines bring about, half a minute at most.
func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-deadline:
			t.Fatalf("there were no %s in time", what)
		case <-tick.C:
		}
	}
}

func TestStartWaitsForPostgres(t *testing.T) {
	server := apptest.NewPostgres(t)
	url := server.NewDatabase(t)
	server.Stop()
	var restart sync.WaitGroup
	restart.Go(func() {
		if err := server.Start(); err != nil {
			t.Error(err)
		}
	})
	a := apptest.Start(t, apptest.With(func(c *app.Config) { c.DatabaseURL, c.DataDir = url, t.TempDir() }))
	a.Send(t, "GET", "/v1/me", nil).WantStatus(t, 200)
	restart.Wait()
}
