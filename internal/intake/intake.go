// Package intake accepts submissions, and samples for parsers: it takes the
// files in, sees what they are, counts their pages, keeps them, and has the
// store accept them in one act. What it refuses leaves nothing behind. It does
// not extract, and what fields a sample has it is told.
package intake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"mime/multipart"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"fieldlift"
	"fieldlift/internal/blob"
	"fieldlift/internal/reader"
)

// Store is what this package asks of the store.
type Store interface {
	accounts
	Replay(ctx context.Context, accountID, key, fingerprint string) (fieldlift.Accepted, bool, error)
	Submit(ctx context.Context, s fieldlift.Submission) (fieldlift.Accepted, bool, error)
}

// accounts is what accepting anything asks.
type accounts interface {
	Parser(ctx context.Context, accountID, id string) (fieldlift.Parser, error)
	Available(ctx context.Context, accountID string) (int64, error)
}

// Inspector tells what a file is and how many pages it has.
type Inspector interface {
	Inspect(ctx context.Context, path string) (reader.Info, error)
}

// Limits bound what is taken in.
type Limits struct {
	FileBytes    int64
	RequestBytes int64
	Files        int
}

// Intake accepts submissions.
type Intake struct {
	Store     Store
	Inspector Inspector
	Blobs     blob.Bucket
	SpoolDir  string // where files wait while they are read
	Limits    Limits
	Log       *slog.Logger
}

// Accept takes a submission from a multipart body. replayed tells that the
// idempotency key was used before and this is what was accepted then.
func (in *Intake) Accept(ctx context.Context, accountID, idempotencyKey string, body *multipart.Reader) (accepted fieldlift.Accepted, replayed bool, err error) {
	dir, remove, err := in.spoolFolder("submission-*")
	if err != nil {
		return accepted, false, err
	}
	defer remove()
	form, formError := in.readSubmission(body, dir)
	fingerprint := form.fingerprint()
	if idempotencyKey != "" {
		// A key that was used before is answered as then, whatever comes with it.
		if accepted, found, err := in.Store.Replay(ctx, accountID, idempotencyKey, fingerprint); err != nil || found {
			return accepted, found, err
		}
	}
	if formError != nil {
		return accepted, false, formError
	}
	parser, err := in.parser(ctx, accountID, form.parserID)
	if err != nil {
		return accepted, false, err
	}
	submission := fieldlift.Submission{
		Extraction: fieldlift.Extraction{
			ID: fieldlift.NewID(fieldlift.ExtractionPrefix), AccountID: accountID, Name: form.name, ParserID: parser.ID, ParserName: parser.Name,
			ResultMode: parser.ResultMode, DocumentType: parser.DocumentType, Schema: parser.Schema, Engine: parser.Engine,
		},
		IdempotencyKey: idempotencyKey,
		Fingerprint:    fingerprint,
	}
	if err := in.inspect(ctx, form.files, &submission); err != nil {
		return accepted, false, err
	}
	if err := afford(ctx, in.Store, accountID, submission.Pages()); err != nil {
		if idempotencyKey != "" {
			// The credits may have gone to a request with the same key that was quicker.
			if accepted, found, replayError := in.Store.Replay(ctx, accountID, idempotencyKey, fingerprint); replayError == nil && found {
				return accepted, true, nil
			}
		}
		return accepted, false, err
	}
	if err := in.keep(ctx, form.files, submission.Documents); err != nil {
		return accepted, false, err
	}
	// The files are in: it is settled now, even if the client goes away meanwhile.
	settling, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	accepted, replayed, err = in.Store.Submit(settling, submission)
	if replayed || refused(err) {
		in.discard(ctx, keysOf(submission.Documents)...)
	}
	return accepted, replayed, err
}

// spoolFolder makes a folder for the files of one request.
func (in *Intake) spoolFolder(pattern string) (dir string, remove func(), err error) {
	if err := os.MkdirAll(in.SpoolDir, 0o700); err != nil {
		return "", nil, diskError(err)
	}
	if dir, err = os.MkdirTemp(in.SpoolDir, pattern); err != nil {
		return "", nil, diskError(err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil // what stays is cleared at the next start
}

// refused tells an error that says no from one that says nothing: when the
// database was lost at the last moment, the submission may have been accepted,
// and its files must stay. If it was not, they are orphans, for the keeper.
func refused(err error) bool {
	told, ok := errors.AsType[*fieldlift.Error](err)
	return ok && told.Code != fieldlift.ServiceUnavailable && told.Code != fieldlift.InternalError
}

// Replay gives what was accepted under an idempotency key before, for a
// request that has no form.
func (in *Intake) Replay(ctx context.Context, accountID, idempotencyKey string) (fieldlift.Accepted, bool, error) {
	if idempotencyKey == "" {
		return fieldlift.Accepted{}, false, nil
	}
	return in.Store.Replay(ctx, accountID, idempotencyKey, "")
}

// settleTimeout bounds the one act in which a submission is accepted.
const settleTimeout = 30 * time.Second

func (in *Intake) parser(ctx context.Context, accountID, id string) (fieldlift.Parser, error) {
	if !fieldlift.ValidID(fieldlift.ParserPrefix, id) {
		return fieldlift.Parser{}, fieldlift.Errorf(fieldlift.ParserNotFound, "There is no parser %s.", id)
	}
	parser, err := in.Store.Parser(ctx, accountID, id)
	if err == nil && parser.Schema.IsZero() {
		return parser, fieldlift.Errorf(fieldlift.ParserNotConfigured, "The parser %q has no schema yet; give it fields first.", parser.Name)
	}
	return parser, err
}

// mostInspection bounds the look at all files of a submission, the wait for
// those of others included. Each alone is bounded by the reader.
const mostInspection = 5 * time.Minute

// inspect counts the pages of all files, several at a time; one bad file
// refuses them all, and is named.
func (in *Intake) inspect(ctx context.Context, files []spooled, s *fieldlift.Submission) error {
	bounded, cancel := context.WithTimeout(ctx, mostInspection)
	defer cancel()
	s.Documents = make([]fieldlift.Document, len(files))
	group, inspecting := errgroup.WithContext(bounded)
	group.SetLimit(runtime.NumCPU())
	for i, f := range files {
		group.Go(func() error {
			info, err := in.Inspector.Inspect(inspecting, f.path)
			if err != nil {
				return naming(f.name, fmt.Sprintf("files[%d]", i), err)
			}
			s.Documents[i] = fieldlift.Document{
				ID: fieldlift.NewID(fieldlift.DocumentPrefix), ExtractionID: s.Extraction.ID, Filename: f.name,
				ContentType: info.ContentType, SizeBytes: f.size, SHA256: f.sha256, PageCount: int64(info.Pages),
			}
			return nil
		})
	}
	err := group.Wait()
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return &fieldlift.Error{
			Code: fieldlift.ServiceUnavailable, Message: "The files could not be looked at in time. Try again, with fewer files at once.", Err: err,
		}
	}
	return err
}

// naming puts the name of the file into an error about it.
func naming(name, field string, err error) error {
	e, ok := errors.AsType[*fieldlift.Error](err)
	if !ok || e.Code == fieldlift.ServiceUnavailable {
		return err
	}
	message := name + ": " + e.Message
	return &fieldlift.Error{
		Code: e.Code, Message: message, Err: e.Err,
		Details: []fieldlift.Detail{{Field: field, Issue: strings.ToLower(string(e.Code)), Message: message}},
	}
}

// afford refuses early what the store would refuse at the end: before the
// files are kept.
func afford(ctx context.Context, store accounts, accountID string, pages int64) error {
	available, err := store.Available(ctx, accountID)
	if err != nil {
		return err
	}
	_, err = fieldlift.Spend([]fieldlift.Purchase{{Remaining: available}}, pages)
	return err
}

func (in *Intake) keep(ctx context.Context, files []spooled, documents []fieldlift.Document) error {
	for i, f := range files {
		if err := in.put(ctx, f, documents[i].BlobKey()); err != nil {
			in.discard(ctx, keysOf(documents[:i+1])...)
			return err
		}
	}
	return nil
}

func (in *Intake) put(ctx context.Context, f spooled, key string) error {
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	return in.Blobs.Put(ctx, key, file, f.size)
}

func keysOf(documents []fieldlift.Document) []string {
	keys := make([]string, 0, len(documents))
	for _, d := range documents {
		keys = append(keys, d.BlobKey())
	}
	return keys
}

// discard removes files that were kept for nothing, even if the client has
// gone. What cannot be removed now the keeper finds later.
func (in *Intake) discard(ctx context.Context, keys ...string) {
	if err := in.Blobs.Delete(context.WithoutCancel(ctx), keys...); err != nil {
		in.Log.WarnContext(ctx, "files that are not needed could not be removed", "error", err)
	}
}

// fingerprint tells requests apart that were sent with one idempotency key.
func (f submissionForm) fingerprint() string {
	hash := sha256.New()
	_, _ = fmt.Fprintf(hash, "%q %q", f.parserID, f.name)
	for _, file := range f.files {
		_, _ = fmt.Fprintf(hash, " %q %s", file.name, file.sha256)
	}
	return hex.EncodeToString(hash.Sum(nil))
}
