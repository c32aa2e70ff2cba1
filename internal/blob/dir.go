package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Dir keeps files in a folder, each under its key. Several processes may use
// the folder at once.
type Dir struct {
	root *os.Root // no key leads out of it, nor does a link
}

const (
	// unfinished holds files that are being written; no key begins with a dot.
	unfinished = ".tmp"
	// A file that was not written to for so long is the rest of a crash.
	leftoverAge = time.Hour
	// Each time that a Put finds its folder gone, or finds it and then not, a
	// Delete has come between.
	mostTries = 100
)

func openDir(name string) (*Dir, error) {
	if err := os.MkdirAll(filepath.Join(name, unfinished), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of files: %w", err)
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, fmt.Errorf("open the folder of files: %w", err)
	}
	d := &Dir{root}
	if err := errors.Join(d.removeLeftovers(), d.sync("."), syncFolder(filepath.Dir(name))); err != nil {
		return nil, errors.Join(fmt.Errorf("open the folder of files: %w", err), root.Close())
	}
	return d, nil
}

// removeLeftovers spares what other processes are writing now.
func (d *Dir) removeLeftovers() error {
	return d.walk(unfinished, func(name string, info fs.FileInfo) error {
		if time.Since(info.ModTime()) < leftoverAge {
			return nil
		}
		return ignore(d.root.Remove(name), fs.ErrNotExist)
	})
}

// Put writes beside and renames, so that a file under a key is always whole.
func (d *Dir) Put(ctx context.Context, key string, content io.Reader, size int64) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	part := path.Join(unfinished, rand.Text())
	from := &source{ctx: ctx, content: content}
	err := d.write(part, from, size)
	if err == nil {
		err = d.place(ctx, part, key)
	}
	if err != nil {
		_ = d.root.Remove(part)
	}
	if failed := from.failure(); failed != nil {
		return failed
	}
	return dirError(err)
}

func (d *Dir) write(name string, from *source, size int64) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = from.copyTo(f, size)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// place moves a finished file to its key, and makes the name last.
func (d *Dir) place(ctx context.Context, part, key string) error {
	folder := path.Dir(key)
	var err error
	for range mostTries {
		if err = ctx.Err(); err != nil {
			return err
		}
		if err = d.root.MkdirAll(folder, 0o700); err == nil {
			err = d.root.Rename(part, key)
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return err
	}
	// All folders above may be new: made by us, or by a Put that has not come
	// to this line yet. One that is gone went with the file.
	for {
		if err := ignore(d.sync(folder), fs.ErrNotExist); err != nil {
			return err
		}
		if folder == "." {
			return nil
		}
		folder = path.Dir(folder)
	}
}

// Open opens a file. That it may be replaced or deleted meanwhile does not
// disturb its reader.
func (d *Dir) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := d.root.Open(key)
	if absent(err) {
		return nil, fmt.Errorf("%s: %w", key, ErrNotFound)
	}
	if err != nil {
		return nil, dirError(err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(dirError(err), f.Close())
	}
	if !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s: %w", key, ErrNotFound), f.Close())
	}
	return f, nil
}

// Delete removes files and the folders that become empty by it.
func (d *Dir) Delete(ctx context.Context, keys ...string) error {
	for _, key := range keys {
		if err := checkKey(key); err != nil {
			return err
		}
	}
	changed := map[string]bool{} // folders to sync: what is deleted must not come back
	var failed []error
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			failed = append(failed, err)
			break
		}
		folder, err := d.remove(key)
		changed[folder] = true
		failed = append(failed, err)
	}
	for folder := range changed {
		if err := d.sync(folder); err != nil && !absent(err) {
			failed = append(failed, err)
		}
	}
	return dirError(errors.Join(failed...))
}

// remove gives the folder that the file, or the outermost of its folders that
// became empty, was in.
func (d *Dir) remove(key string) (folder string, err error) {
	folder = path.Dir(key)
	// To remove what is a folder with files is refused by the system, and no
	// file of ours has that key.
	if err := d.root.Remove(key); err != nil && !absent(err) && !errors.Is(err, fs.ErrExist) {
		return folder, err
	}
	// The system removes only folders that are empty, and a Put that finds its
	// folder gone makes it again: neither needs to know of the other.
	for folder != "." && d.removeFolder(folder) == nil {
		folder = path.Dir(folder)
	}
	return folder, nil
}

// removeFolder looks first: Remove would take a file as well, and the key's
// folder may be one if such a key was never put.
func (d *Dir) removeFolder(name string) error {
	info, err := d.root.Lstat(name)
	if err == nil && !info.IsDir() {
		return syscall.ENOTDIR
	}
	return ignore(d.root.Remove(name), fs.ErrNotExist)
}

// List walks the folders that the prefix leaves open.
func (d *Dir) List(ctx context.Context, prefix string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if err := checkPrefix(prefix); err != nil {
			yield(Entry{}, err)
			return
		}
		start := "."
		if i := strings.LastIndexByte(prefix, '/'); i >= 0 {
			start = prefix[:i]
		}
		err := d.walk(start, func(name string, info fs.FileInfo) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case !validKey(name): // ours that are not finished, or a stranger's
				return fs.SkipDir
			case info.IsDir() && !strings.HasPrefix(name+"/", prefix) && !strings.HasPrefix(prefix, name+"/"):
				return fs.SkipDir
			case !info.Mode().IsRegular() || !strings.HasPrefix(name, prefix):
				return nil
			case !yield(Entry{Key: name, Size: info.Size(), ModTime: info.ModTime()}, nil):
				return fs.SkipAll
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.SkipAll) {
			yield(Entry{}, dirError(err))
		}
	}
}

// walk visits what is in a folder and below. Unlike fs.WalkDir it never holds
// a whole folder in memory, and passes over what goes meanwhile.
func (d *Dir) walk(folder string, visit func(name string, info fs.FileInfo) error) error {
	f, err := d.root.Open(folder)
	if absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(256)
		for _, entry := range entries {
			if err := d.visit(path.Join(folder, entry.Name()), visit); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) || absent(err) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (d *Dir) visit(name string, visit func(name string, info fs.FileInfo) error) error {
	info, err := d.root.Lstat(name)
	if absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	err = visit(name, info)
	if errors.Is(err, fs.SkipDir) {
		return nil
	}
	if err != nil || !info.IsDir() {
		return err
	}
	return d.walk(name, visit)
}

// Check writes a file and removes it.
func (d *Dir) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	name := path.Join(unfinished, rand.Text())
	content := "ok"
	err := d.write(name, &source{ctx: ctx, content: strings.NewReader(content)}, int64(len(content)))
	return dirError(errors.Join(err, d.root.Remove(name)))
}

// sync makes the names in a folder outlive a power cut.
func (d *Dir) sync(folder string) error {
	f, err := d.root.Open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

func syncFolder(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// absent says of an error that nothing has the name, be it because what
// should be a folder is a file.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func ignore(err, passed error) error {
	if errors.Is(err, passed) {
		return nil
	}
	return err
}

// dirError tells a disk that is full, broken or read-only, which is mended
// without us, from a mistake of ours.
func dirError(err error) error {
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR) || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, ok := errors.AsType[syscall.Errno](err); ok || errors.Is(err, context.DeadlineExceeded) {
		return unavailable(err)
	}
	return err
}
