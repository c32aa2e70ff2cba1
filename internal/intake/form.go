package intake

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"unicode/utf8"

	"fieldlift"
)

// form is what every form has: texts that are given once, and mistakes, which
// are collected so that one answer names them all.
type form struct {
	parts int
	given map[string]bool // texts
	found []fieldlift.Detail
}

// submissionForm is a submission as the client sent it, its files in a folder.
type submissionForm struct {
	form
	parserID string
	name     string
	files    []spooled
}

// spooled is a file that waits on disk.
type spooled struct {
	path   string
	name   string // as the client calls it
	size   int64
	sha256 string
}

// read goes through the parts of a body.
func (f *form) read(body *multipart.Reader, limits Limits, readPart func(*multipart.Part) error) error {
	f.given = map[string]bool{}
	for {
		part, err := body.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return bodyError(err, limits)
		}
		if f.parts++; f.parts > mostParts {
			return fieldlift.Errorf(fieldlift.InvalidPayload, "The body has more than %d parts.", mostParts)
		}
		if err := readPart(part); err != nil {
			return err
		}
	}
}

// readSubmission streams a submission to disk.
func (in *Intake) readSubmission(body *multipart.Reader, dir string) (submissionForm, error) {
	var f submissionForm
	err := f.read(body, in.Limits, func(part *multipart.Part) error { return in.readPart(&f, part, dir) })
	if err != nil {
		return f, err
	}
	if f.parserID == "" {
		f.refuse("parser_id", "required", "parser_id is required.")
	}
	if len(f.files) == 0 {
		f.refuse("files", "required", "files is required: at least one file.")
	}
	if len(f.files) > in.Limits.Files {
		f.refuse("files", "max_items", fmt.Sprintf("At most %d files can be submitted at once.", in.Limits.Files))
	}
	if f.name != "" {
		f.found = append(f.found, fieldlift.CheckName("name", f.name, fieldlift.MaxExtractionName)...)
	}
	return f, f.err()
}

// err gives everything that was found wrong as one error, or nil.
func (f *form) err() error {
	if len(f.found) > 0 {
		return fieldlift.Invalid(f.found...)
	}
	return nil
}

// refuse notes a mistake, once however often it is made.
func (f *form) refuse(field, issue, message string) {
	if d := (fieldlift.Detail{Field: field, Issue: issue, Message: message}); !slices.Contains(f.found, d) {
		f.found = append(f.found, d)
	}
}

const (
	// mostText bounds a form field that is not a file.
	mostText = 4 << 10
	// mostParts is far more than the files and fields that there are.
	mostParts = 1000
)

func (in *Intake) readPart(f *submissionForm, part *multipart.Part, dir string) error {
	switch part.FormName() {
	case "parser_id":
		return f.readText(part, &f.parserID, mostText, in.Limits)
	case "name":
		return f.readText(part, &f.name, mostText, in.Limits)
	case "files", "files[]":
		if part.FileName() == "" {
			f.refuse("files", "type", "files must be sent as files, each with a file name.")
			return nil
		}
		if len(f.files) > in.Limits.Files {
			return nil // refused already; the rest is read over
		}
		file, err := in.spool(part, filepath.Join(dir, strconv.Itoa(len(f.files))))
		if err != nil {
			return err
		}
		f.files = append(f.files, file)
	}
	return nil // other parts are ignored, as unknown keys are
}

// readText reads a field. One that comes twice is refused: which of them the
// client means, two programs on the way might decide differently.
func (f *form) readText(part *multipart.Part, into *string, most int, limits Limits) error {
	text, err := io.ReadAll(io.LimitReader(part, int64(most)+1))
	if err != nil {
		return bodyError(err, limits)
	}
	field := part.FormName()
	if len(text) > most || !utf8.Valid(text) {
		return fieldlift.Invalid(fieldlift.Detail{Field: field, Issue: "format", Message: field + " must be text of at most a few kilobytes."})
	}
	if f.given[field] {
		f.refuse(field, "repeated", field+" must be given once.")
	}
	f.given[field] = true
	*into = string(text)
	return nil
}

func (in *Intake) spool(part *multipart.Part, path string) (spooled, error) {
	f := spooled{path: path, name: fieldlift.CleanFilename(part.FileName())}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return f, diskError(err)
	}
	defer file.Close()
	hash := sha256.New()
	f.size, err = io.Copy(io.MultiWriter(file, hash), io.LimitReader(part, in.Limits.FileBytes+1))
	if err != nil {
		return f, bodyError(err, in.Limits)
	}
	if f.size > in.Limits.FileBytes {
		return f, tooLarge("%s: the file is larger than the limit of %s.", f.name, megabytes(in.Limits.FileBytes))
	}
	f.sha256 = hex.EncodeToString(hash.Sum(nil))
	if err := file.Close(); err != nil {
		return f, diskError(err)
	}
	return f, nil
}

// ErrTooLarge marks refusals for size.
var ErrTooLarge = errors.New("larger than a limit")

func tooLarge(format string, args ...any) error {
	told := fieldlift.Errorf(fieldlift.InvalidPayload, format, args...)
	told.Err = ErrTooLarge
	return told
}

// bodyError says what is wrong with a body that cannot be read on.
func bodyError(err error, limits Limits) error {
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return tooLarge("The request is larger than the limit of %s.", megabytes(limits.RequestBytes))
	}
	if _, ours := errors.AsType[*os.PathError](err); ours {
		return diskError(err)
	}
	return &fieldlift.Error{Code: fieldlift.InvalidPayload, Message: "The body is not complete multipart/form-data.", Err: err}
}

// diskError is for a disk that is full or broken: not the client's fault, and
// mended without us.
func diskError(err error) error {
	return &fieldlift.Error{
		Code: fieldlift.ServiceUnavailable, Message: "Files cannot be taken in right now. Try again in a few seconds.", Err: err,
	}
}

func megabytes(n int64) string { return strconv.FormatInt(n/1_000_000, 10) + " MB" }
