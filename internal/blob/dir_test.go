package blob_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"fieldlift"
	"fieldlift/internal/blob"
)

// files gives what is in a folder and below, with its permissions.
func files(t *testing.T, folder string) []string {
	t.Helper()
	found := []string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		found = append(found, info.Mode().String()+" "+name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func wantFiles(t *testing.T, folder string, want ...string) {
	t.Helper()
	if got := files(t, folder); !slices.Equal(got, want) {
		t.Errorf("there are %q, want %q", got, want)
	}
}

func TestDirLeavesNothingBehindAndNothingOpenToOthers(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	b := open(t, "", data)
	put(t, b, "ext_1/doc_1", "x")
	put(t, b, "ext_2/a/b/doc_2", "x")
	if err := b.Put(t.Context(), "ext_3/doc_3", iotest.ErrReader(io.ErrClosedPipe), 1); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
	if err := b.Check(t.Context()); err != nil {
		t.Error(err)
	}
	wantFiles(t, data, "drwx------ blobs", "drwx------ blobs/.tmp", "drwx------ blobs/ext_1", "-rw------- blobs/ext_1/doc_1",
		"drwx------ blobs/ext_2", "drwx------ blobs/ext_2/a", "drwx------ blobs/ext_2/a/b", "-rw------- blobs/ext_2/a/b/doc_2")
	if err := b.Delete(t.Context(), "ext_1/doc_1", "ext_2/a/b/doc_2"); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, data, "drwx------ blobs", "drwx------ blobs/.tmp")
}

func TestDirRemovesTheRestsOfCrashes(t *testing.T) {
	data := t.TempDir()
	put(t, open(t, "", data), "ext_1/doc_1", "x")
	blobs := filepath.Join(data, blob.FolderName)
	for name, age := range map[string]time.Duration{".tmp/old": 2 * time.Hour, ".tmp/new": time.Minute, "ext_1/doc_1": 48 * time.Hour} {
		name = filepath.Join(blobs, name)
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, "", data)
	wantFiles(t, blobs, "drwx------ .tmp", "-rw------- .tmp/new", "drwx------ ext_1", "-rw------- ext_1/doc_1")
	wantKeys(t, b, "", "ext_1/doc_1")
}

func TestDirFollowsNoLinkOutside(t *testing.T) {
	outside, data := t.TempDir(), t.TempDir()
	b := open(t, "", data)
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(data, blob.FolderName, "out")); err != nil {
		t.Fatal(err)
	}
	if f, err := b.Open(t.Context(), "out/secret"); err == nil {
		t.Errorf("it opens %v", f)
	}
	if err := b.Put(t.Context(), "out/new", strings.NewReader("x"), 1); err == nil {
		t.Error("it writes outside")
	}
	if err := b.Delete(t.Context(), "out/secret"); err == nil {
		t.Error("it deletes outside")
	}
	wantKeys(t, b, "")
	wantFiles(t, outside, "-rw------- secret")
}

func TestDirTellsAFileFromAFolder(t *testing.T) {
	b := open(t, "", t.TempDir())
	put(t, b, "ext_1/doc_1", "x")
	for _, key := range []string{"ext_1", "ext_1/doc_1/part"} {
		if err := b.Put(t.Context(), key, strings.NewReader("y"), 1); err == nil || fieldlift.CodeOf(err) != fieldlift.InternalError {
			t.Errorf("Put of %s: %v", key, err)
		}
	}
	wantContent(t, b, "ext_1/doc_1", "x")
	wantKeys(t, b, "", "ext_1/doc_1")
}

func TestDirThatCannotBeWrittenIsUnavailable(t *testing.T) {
	data := t.TempDir()
	b := open(t, "", data)
	put(t, b, "ext_1/doc_1", "x")
	if err := os.RemoveAll(filepath.Join(data, blob.FolderName)); err != nil {
		t.Fatal(err)
	}
	wantUnavailable(t, b.Check(t.Context()))
	wantUnavailable(t, b.Put(t.Context(), "ext_1/doc_1", strings.NewReader("x"), 1))
	wantMissing(t, b, "ext_1/doc_1")
}

func wantUnavailable(t *testing.T, err error) {
	t.Helper()
	e, ok := errors.AsType[*fieldlift.Error](err)
	if !ok || e.Code != fieldlift.ServiceUnavailable || e.Err == nil ||
		e.Message != "The file store is temporarily unavailable. Try again in a few seconds." {
		t.Errorf("the error is %v, want SERVICE_UNAVAILABLE", err)
	}
}
