package apptest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fieldlift/internal/app"
	"fieldlift/internal/reader"
)

// Postgres is a throw-away PostgreSQL server that ends with the test program.
type Postgres struct {
	dir     string // holds the data and the socket
	command *exec.Cmd
	log     bytes.Buffer
}

var (
	sharedMutex sync.Mutex
	shared      *Postgres
)

// Main runs a package's tests and then stops what they shared. Packages that
// start services or PostgreSQL call it from TestMain.
func Main(m *testing.M) int {
	if len(os.Args) == 2 && os.Args[1] == app.ReaderChild {
		// The service under test starts this very program to read files.
		if reader.RunChild(os.Stdin, os.Stdout) != nil {
			return 1
		}
		return 0
	}
	code := m.Run()
	closeChromium()
	sharedMutex.Lock()
	defer sharedMutex.Unlock()
	if shared != nil {
		shared.remove()
	}
	return code
}

// NewDatabase makes an empty database on the server that the package's tests
// share, and gives its URL.
func NewDatabase(t testing.TB) string {
	t.Helper()
	sharedMutex.Lock()
	defer sharedMutex.Unlock()
	if shared == nil {
		started, err := newPostgres()
		if err != nil {
			t.Fatal(err)
		}
		shared = started
	}
	return shared.newDatabase(t)
}

// NewPostgres starts a server for one test alone, which may stop it.
func NewPostgres(t testing.TB) *Postgres {
	t.Helper()
	p, err := newPostgres()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.remove)
	return p
}

// NewDatabase makes an empty database on this server.
func (p *Postgres) NewDatabase(t testing.TB) string {
	t.Helper()
	return p.newDatabase(t)
}

func (p *Postgres) newDatabase(t testing.TB) string {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), p.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(context.Background())
	name := fmt.Sprintf("test_%d", time.Now().UnixNano())
	if _, err := connection.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return p.url(name)
}

func (p *Postgres) url(database string) string {
	query := url.Values{"host": {p.dir}, "user": {"postgres"}}
	return "postgres:///" + database + "?" + query.Encode()
}

func newPostgres() (*Postgres, error) {
	// A short path: the names of sockets may not have more than some 100 bytes.
	dir, err := os.MkdirTemp("", "flpg")
	if err != nil {
		return nil, err
	}
	p := &Postgres{dir: dir}
	if err := p.initialize(); err != nil {
		p.remove()
		return nil, err
	}
	if err := p.Start(); err != nil {
		p.remove()
		return nil, err
	}
	return p, nil
}

func (p *Postgres) initialize() error {
	identity, err := unprivileged()
	if err != nil {
		return err
	}
	if identity != nil {
		if err := os.Chown(p.dir, int(identity.Uid), int(identity.Gid)); err != nil {
			return err
		}
	}
	initdb, err := p.program("initdb", "-D", p.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if err != nil {
		return err
	}
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return nil
}

func (p *Postgres) data() string { return filepath.Join(p.dir, "data") }

// program prepares one of PostgreSQL's programs. They refuse to run as root,
// and must not outlive the test program.
func (p *Postgres) program(name string, args ...string) (*exec.Cmd, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
		if len(found) == 0 {
			return nil, fmt.Errorf("%s is needed: install Debian's package postgresql (\"make test\" does)", name)
		}
		path = found[len(found)-1]
	}
	identity, err := unprivileged()
	if err != nil {
		return nil, err
	}
	command := exec.Command(path, args...)
	command.Dir = p.dir
	command.SysProcAttr = &syscall.SysProcAttr{Credential: identity, Pdeathsig: syscall.SIGQUIT}
	return command, nil
}

// unprivileged gives the identity to run PostgreSQL under; nil is our own.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		account, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, err
	}
	uid, err1 := strconv.ParseUint(account.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(account.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(err1, err2)
}

// Start starts the server and waits until it answers.
func (p *Postgres) Start() error {
	server, err := p.program("postgres", "-D", p.data(), "-k", p.dir,
		"-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=200")
	if err != nil {
		return err
	}
	p.log.Reset()
	server.Stdout, server.Stderr = &p.log, &p.log
	if err := server.Start(); err != nil {
		return err
	}
	p.command = server
	for deadline := time.Now().Add(30 * time.Second); ; {
		connection, err := pgx.Connect(context.Background(), p.url("postgres"))
		if err == nil {
			return connection.Close(context.Background())
		}
		if time.Now().After(deadline) {
			p.Stop()
			return fmt.Errorf("PostgreSQL did not start: %w\n%s", err, p.log.String())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Stop ends the server at once, as a crash would for its clients.
func (p *Postgres) Stop() {
	if p.command == nil {
		return
	}
	_ = p.command.Process.Signal(syscall.SIGQUIT)
	_ = p.command.Wait()
	p.command = nil
}

func (p *Postgres) remove() {
	p.Stop()
	_ = os.RemoveAll(p.dir)
}
