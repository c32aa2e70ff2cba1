package apptest

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// S3 is a throw-away S3 server on the loopback interface: Versity's gateway
// over a folder. It checks signatures and checksums, as Amazon's does.
type S3 struct {
	dir     string // holds the buckets
	program string
	address string // host and port; known after the first start
	command *exec.Cmd
	ended   chan struct{} // closed when the command has
	log     bytes.Buffer
}

const (
	s3Bucket    = "fieldlift"
	s3AccessKey = "fieldlift-tests"
	s3SecretKey = "a secret of the tests"
)

// NewS3 starts an S3 server with an empty bucket for one test, sets the
// credentials for it in the environment, and gives the bucket's address.
func NewS3(t testing.TB) (blobURL string) {
	t.Helper()
	return StartS3(t).URL()
}

// StartS3 does the same for a test that stops the server and starts it again.
func StartS3(t testing.TB) *S3 {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", s3AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", s3SecretKey)
	t.Setenv("AWS_SESSION_TOKEN", "")
	// Whatever else this machine is set up for, its tests do not use.
	for _, name := range []string{"AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_CA_BUNDLE"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", os.DevNull)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
	program, err := gateway()
	if err != nil {
		t.Fatal(err)
	}
	s := &S3{dir: t.TempDir(), program: program}
	for _, name := range []string{s.buckets(), filepath.Join(s.buckets(), s3Bucket), s.metadata()} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(s.Stop)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

// gateway is asked for once a test program: even to find it cached takes a while.
var gateway = sync.OnceValues(buildGateway)

// buildGateway builds the server, or finds it in Go's cache, and gives its
// path. It has a module of its own, so that what it depends on is not in ours.
func buildGateway() (string, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	build := exec.Command("go", "tool", "-n", "versitygw")
	build.Dir = filepath.Join(strings.TrimSpace(string(root)), "tools", "versitygw")
	// The same build serves the tests and those under the race detector.
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	var log bytes.Buffer
	build.Stderr = &log
	out, err := build.Output()
	if err != nil {
		return "", fmt.Errorf("build the S3 server: %w\n%s", err, log.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// URL is the bucket's address, as the service takes it.
func (s *S3) URL() string {
	query := url.Values{"endpoint": {"http://" + s.address}, "region": {"us-east-1"}, "path_style": {"true"}}
	return "s3://" + s3Bucket + "?" + query.Encode()
}

func (s *S3) buckets() string  { return filepath.Join(s.dir, "buckets") }
func (s *S3) metadata() string { return filepath.Join(s.dir, "metadata") }

// Start starts the server and waits until it answers.
func (s *S3) Start() error {
	if s.address != "" {
		return s.listen(s.address)
	}
	var err error
	for range 5 { // another program may take a free port before the server does
		var address string
		if address, err = freeAddress(); err != nil {
			return err
		}
		if err = s.listen(address); err == nil {
			s.address = address
			return nil
		}
	}
	return err
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

func (s *S3) listen(address string) error {
	server := exec.Command(s.program, "--port", address, "--quiet", "--keep-alive", "--health", "/health",
		"posix", "--sidecar", s.metadata(), s.buckets())
	server.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+s3AccessKey, "ROOT_SECRET_KEY="+s3SecretKey)
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // it must not outlive the test program
	s.log.Reset()
	server.Stdout, server.Stderr = &s.log, &s.log
	if err := server.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = server.Wait()
		close(ended)
	}()
	s.command, s.ended = server, ended
	deadline := time.After(30 * time.Second)
	for {
		response, err := http.Get("http://" + address + "/health")
		if err == nil {
			_ = response.Body.Close()
		}
		select {
		case <-ended: // the port was taken, and it was another that answered
			return fmt.Errorf("the S3 server ended: %s", s.log.String())
		case <-deadline:
			s.Stop()
			return fmt.Errorf("the S3 server did not start: %w\n%s", err, s.log.String())
		case <-time.After(10 * time.Millisecond):
			if err == nil && response.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
}

// Stop ends the server at once, as a crash would for its clients.
func (s *S3) Stop() {
	if s.command == nil {
		return
	}
	_ = s.command.Process.Kill()
	<-s.ended
	s.command = nil
}
