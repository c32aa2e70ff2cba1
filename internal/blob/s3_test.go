package blob_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/internal/apptest"
	"fieldlift/internal/blob"
)

func TestS3PrefixesDivideABucket(t *testing.T) {
	address := apptest.NewS3(t)
	all, one, two := open(t, address, ""), open(t, withPrefix(address, "one"), ""), open(t, withPrefix(address, "two/"), "")
	put(t, one, "ext_1/doc", "of one")
	put(t, two, "ext_1/doc", "of two")
	wantContent(t, one, "ext_1/doc", "of one")
	wantContent(t, all, "two/ext_1/doc", "of two")
	wantKeys(t, one, "", "ext_1/doc")
	wantKeys(t, all, "", "one/ext_1/doc", "two/ext_1/doc")
	if err := one.Delete(t.Context(), "ext_1/doc"); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, all, "", "two/ext_1/doc")
}

func TestS3ThatIsAwayIsUnavailable(t *testing.T) {
	server := apptest.StartS3(t)
	b := open(t, server.URL(), "")
	put(t, b, "ext_1/doc", "x")
	server.Stop()
	wantUnavailable(t, b.Check(t.Context()))
	wantUnavailable(t, b.Put(t.Context(), "ext_1/doc", strings.NewReader("y"), 1))
	wantUnavailable(t, b.Delete(t.Context(), "ext_1/doc"))
	_, err := b.Open(t.Context(), "ext_1/doc")
	wantUnavailable(t, err)
	for _, err := range b.List(t.Context(), "") {
		wantUnavailable(t, err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	wantContent(t, b, "ext_1/doc", "x")
}

func TestS3ThatRefusesUsIsNotUnavailable(t *testing.T) {
	address := apptest.NewS3(t)
	for name, b := range map[string]blob.Bucket{
		"a bucket that is not there": open(t, strings.Replace(address, "s3://", "s3://no-", 1), ""),
		"a wrong secret": func() blob.Bucket {
			t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
			return open(t, address, "")
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			if err := b.Check(t.Context()); fieldlift.CodeOf(err) != fieldlift.InternalError {
				t.Errorf("Check: %v", err)
			}
			f, err := b.Open(t.Context(), "ext_1/doc")
			if err == nil {
				_ = f.Close()
			}
			if fieldlift.CodeOf(err) != fieldlift.InternalError || strings.Contains(err.Error(), blob.ErrNotFound.Error()) {
				t.Errorf("Open: %v", err)
			}
		})
	}
}

// fake answers in place of an S3 server.
func fake(t *testing.T, answer http.HandlerFunc) blob.Bucket {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "fake")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "fake")
	return open(t, "s3://bucket?endpoint="+url.QueryEscape(server.URL), "")
}

func TestS3IsAskedAgain(t *testing.T) {
	tries, got := 0, ""
	b := fake(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = string(body)
		if tries++; tries < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	put(t, b, "ext_1/doc", "the content")
	if tries != 3 || got != "the content" {
		t.Errorf("%d tries, the last with %q", tries, got)
	}
}

func TestS3GetsNoChecksumThatOlderServersRefuse(t *testing.T) {
	b := fake(t, func(w http.ResponseWriter, r *http.Request) {
		hash := r.Header.Get("X-Amz-Content-Sha256")
		for name := range r.Header {
			if r.Method != http.MethodPost && (strings.HasPrefix(name, "X-Amz-Checksum") || strings.HasPrefix(name, "X-Amz-Sdk-Checksum")) || name == "X-Amz-Trailer" {
				t.Errorf("%s has the header %s", r.Method, name)
			}
		}
		if r.Method == http.MethodPut && len(hash) != 64 {
			t.Errorf("the content is not signed: %s", hash)
		}
		if r.Method == http.MethodPost {
			if r.Header.Get("Content-Md5") == "" {
				t.Error("a batch is deleted without Content-MD5")
			}
			_, _ = io.WriteString(w, "<DeleteResult/>")
		}
	})
	put(t, b, "ext_1/doc", "x")
	if err := b.Delete(t.Context(), "ext_1/doc"); err != nil {
		t.Error(err)
	}
	wantContent(t, b, "ext_1/doc", "")
}

func TestS3ThatBreaksOffWithinAFileIsUnavailable(t *testing.T) {
	b := fake(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
	})
	f, err := b.Open(t.Context(), "ext_1/doc")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := io.ReadAll(f)
	wantUnavailable(t, err)
	if string(got) != "half" {
		t.Errorf("%q", got)
	}
}

func TestS3NamesWhatItCouldNotDelete(t *testing.T) {
	code := ""
	b := fake(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<DeleteResult><Error><Key>ext_1/doc</Key><Code>"+code+"</Code><Message>No.</Message></Error></DeleteResult>")
	})
	code = "AccessDenied"
	if err := b.Delete(t.Context(), "ext_1/doc"); err == nil || !strings.Contains(err.Error(), "delete ext_1/doc: AccessDenied: No.") {
		t.Error(err)
	}
	code = "SlowDown"
	wantUnavailable(t, b.Delete(t.Context(), "ext_1/doc"))
	code = "NoSuchKey"
	if err := b.Delete(t.Context(), "ext_1/doc"); err != nil {
		t.Error(err)
	}
}

func TestS3WaitsNoLongerThanItsCaller(t *testing.T) {
	silent := make(chan struct{})
	b := fake(t, func(http.ResponseWriter, *http.Request) { <-silent })
	t.Cleanup(func() { close(silent) }) // before the server closes
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	wantUnavailable(t, b.Check(ctx))
}

func TestAddressesThatAreRefused(t *testing.T) {
	t.Setenv("AWS_REGION", "eu-central-1")
	for _, good := range []string{"s3://bucket", "s3://bucket/", "s3://bucket/a/b", "s3://bucket?region=eu-west-1", "s3://bucket?endpoint=http://[::1]:9000/s3&path_style=false"} {
		if _, err := blob.Open(t.Context(), good, ""); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, want := range map[string]string{
		"bucket":                                  "must look like s3://",
		"file:///tmp":                             "must look like s3://",
		"s3://":                                   "must look like s3://",
		"s3://key:hunter2@bucket":                 "must not hold credentials",
		"s3://bucket:hunter2/%zz":                 "is not a URL",
		"s3://bucket?region=hunter2%zz":           "has a query",
		"s3://bucket/a/../b":                      "has the prefix",
		"s3://bucket?secret_key=hunter2":          `has the parameter "secret_key"`,
		"s3://bucket?path_style=maybe":            "true or false is needed",
		"s3://bucket?endpoint=localhost:9000":     "must begin with http://",
		"s3://bucket?endpoint=http://a:hunter2@b": "must not hold credentials",
		"s3://bucket?endpoint=http://b?x=y":       "must not have a query",
	} {
		_, err := blob.Open(t.Context(), bad, "")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %q", bad, err, want)
		}
	}
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	if _, err := blob.Open(t.Context(), "s3://bucket", ""); err == nil || !strings.Contains(err.Error(), "set AWS_REGION") {
		t.Errorf("without a region: %v", err)
	}
}
