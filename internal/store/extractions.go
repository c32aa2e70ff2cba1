package store

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"fieldlift"
)

const extractionColumns = `id, account_id, name, parser_id, parser_name, result_mode, document_type, schema, engine, status,
	file_count, page_count, credits_used, unfinished, failed, created_at, updated_at, completed_at`

func scanExtraction(r row) (e fieldlift.Extraction, err error) {
	var documentType, engine *string
	var schema string
	var created, updated int64
	var completed *int64
	err = r.Scan(&e.ID, &e.AccountID, &e.Name, &e.ParserID, &e.ParserName, &e.ResultMode, &documentType, &schema, &engine, &e.Status,
		&e.FileCount, &e.PageCount, &e.CreditsUsed, &e.Unfinished, &e.Failed, &created, &updated, &completed)
	e.DocumentType, e.Schema, e.Engine = textOf(documentType), fieldlift.StoredSchema(schema), fieldlift.EngineChoice(textOf(engine))
	e.CreatedAt, e.UpdatedAt, e.CompletedAt = timeOf(created), timeOf(updated), nullableTime(completed)
	return e, err
}

const documentColumns = `id, extraction_id, account_id, position, filename, content_type, size_bytes, sha256, page_count,
	credits_used, status, error_message, confidence, processing_time_ms, created_at, updated_at, reviewed_at`

func scanDocument(r row) (d fieldlift.Document, err error) {
	into, done := documentInto(&d)
	err = r.Scan(into...)
	done()
	return d, err
}

// documentInto gives what to scan a document's columns into, and what to do
// when that is done.
func documentInto(d *fieldlift.Document) (into []any, done func()) {
	var message *string
	var took, created, updated int64
	var reviewed *int64
	return []any{&d.ID, &d.ExtractionID, &d.AccountID, &d.Position, &d.Filename, &d.ContentType, &d.SizeBytes, &d.SHA256, &d.PageCount,
			&d.CreditsUsed, &d.Status, &message, &d.Confidence, &took, &created, &updated, &reviewed}, func() {
			d.ErrorMessage = textOf(message)
			d.ProcessingTime = time.Duration(took) * time.Millisecond
			d.CreatedAt, d.UpdatedAt, d.ReviewedAt = timeOf(created), timeOf(updated), nullableTime(reviewed)
		}
}

func extractionNotFound(err error, id string) error {
	return notFound(err, fieldlift.ResourceNotFound, "There is no extraction "+id+".")
}

// Extraction finds an extraction of the account with its documents, in the
// order of the submission.
func (s *Store) Extraction(ctx context.Context, accountID, id string) (e fieldlift.Extraction, documents []fieldlift.Document, err error) {
	// Documents first: what is finished in them is counted in the extraction that is read after.
	documents, err = collect(ctx, s.db, scanDocument, `
		SELECT `+documentColumns+` FROM documents WHERE extraction_id = $1 AND account_id = $2 ORDER BY position`, id, accountID)
	if err != nil {
		return e, nil, err
	}
	e, err = s.ExtractionAlone(ctx, accountID, id)
	if err == nil && e.Status.Terminal() {
		// It may have ended between the two readings; now nothing changes any more.
		documents, err = collect(ctx, s.db, scanDocument, `
			SELECT `+documentColumns+` FROM documents WHERE extraction_id = $1 AND account_id = $2 ORDER BY position`, id, accountID)
	}
	return e, documents, err
}

// ExtractionAlone finds an extraction of the account.
func (s *Store) ExtractionAlone(ctx context.Context, accountID, id string) (fieldlift.Extraction, error) {
	e, err := scanExtraction(s.db.queryRow(ctx, `SELECT `+extractionColumns+` FROM extractions WHERE account_id = $1 AND id = $2`, accountID, id))
	return e, extractionNotFound(err, id)
}

// Extractions lists a page of the account's extractions, newest first, and
// tells whether more follow.
func (s *Store) Extractions(ctx context.Context, accountID string, filter fieldlift.ExtractionFilter, page fieldlift.Page) (list []fieldlift.Extraction, more bool, err error) {
	query := `SELECT ` + extractionColumns + ` FROM extractions WHERE account_id = $1`
	args := []any{accountID, page.Limit + 1}
	where := func(condition string, values ...any) {
		places := make([]any, 0, len(values))
		for _, v := range values {
			args = append(args, v)
			places = append(places, len(args))
		}
		query += " AND " + fmt.Sprintf(condition, places...)
	}
	if filter.ParserID != "" {
		where("parser_id = $%d", filter.ParserID)
	}
	if filter.Status != "" {
		where("status = $%d", filter.Status)
	}
	if !filter.Since.IsZero() {
		where("updated_at > $%d", filter.Since.UnixMicro())
	}
	if filter.Search != "" {
		given := "%" + likeEscape.Replace(filter.Search) + "%"
		where(`(lower(name) LIKE lower($%[1]d) ESCAPE '\' OR EXISTS (
			SELECT 1 FROM documents d WHERE d.extraction_id = extractions.id AND lower(d.filename) LIKE lower($%[1]d) ESCAPE '\'))`, given)
	}
	if !page.After.IsZero() {
		where("(created_at, id) < ($%d, $%d)", page.After.At.UnixMicro(), page.After.ID)
	}
	query += ` ORDER BY created_at DESC, id DESC LIMIT $2 + 0` // "+ 0": see Parsers
	list, err = collect(ctx, s.db, scanExtraction, query, args...)
	if len(list) > page.Limit {
		return list[:page.Limit], true, err
	}
	return list, false, err
}

// likeEscape takes the meaning from what LIKE has a meaning for.
var likeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// LastChange tells when something last happened to the account's extractions.
func (s *Store) LastChange(ctx context.Context, accountID string) (time.Time, error) {
	var at int64
	err := s.db.queryRow(ctx, `SELECT changed_at FROM accounts WHERE id = $1`, accountID).Scan(&at)
	return timeOf(at), notFound(err, fieldlift.ResourceNotFound, "There is no such account.")
}

const recordQuery = `
	SELECT d.id, d.extraction_id, d.account_id, d.position, d.filename, d.content_type, d.size_bytes, d.sha256, d.page_count,
		d.credits_used, d.status, d.error_message, d.confidence, d.processing_time_ms, d.created_at, d.updated_at, d.reviewed_at,
		r.data, r.field_metadata, r.validation, r.pages, r.model
	FROM documents d LEFT JOIN results r ON r.document_id = d.id`

func scanRecord(r row) (record fieldlift.Record, err error) {
	into, done := documentInto(&record.Document)
	var data, metadata, validation, pages, model *string
	err = r.Scan(append(into, &data, &metadata, &validation, &pages, &model)...)
	done()
	record.Data, record.Metadata, record.Validation, record.Pages, record.Model = textOf(data), textOf(metadata), textOf(validation), textOf(pages), textOf(model)
	return record, err
}

// Records goes through the finished documents of an extraction with their
// results, in the order of the submission.
func (s *Store) Records(ctx context.Context, accountID, extractionID string) iter.Seq2[fieldlift.Record, error] {
	return func(yield func(fieldlift.Record, error) bool) {
		last := int64(-1)
		for {
			// A few at a time: a client that reads slowly must not hold a connection.
			batch, err := collect(ctx, s.db, scanRecord, recordQuery+`
				WHERE d.extraction_id = $1 AND d.account_id = $2 AND d.status IN ('completed', 'failed') AND d.position > $3
				ORDER BY d.position LIMIT $4 + 0`, extractionID, accountID, last, recordsAtOnce)
			if err != nil {
				yield(fieldlift.Record{}, err)
				return
			}
			for _, record := range batch {
				if !yield(record, nil) {
					return
				}
				last = record.Document.Position
			}
			if len(batch) < recordsAtOnce {
				return
			}
		}
	}
}

// recordsAtOnce bounds how many results are held in memory at once.
const recordsAtOnce = 5

// Record finds one document of an extraction, with its result if it has one.
func (s *Store) Record(ctx context.Context, accountID, extractionID, documentID string) (fieldlift.Record, error) {
	record, err := scanRecord(s.db.queryRow(ctx, recordQuery+` WHERE d.id = $1 AND d.extraction_id = $2 AND d.account_id = $3`,
		documentID, extractionID, accountID))
	return record, notFound(err, fieldlift.ResourceNotFound, "There is no document "+documentID+" in this extraction.")
}

// SameContent gives the keys under which what was read off files may be kept
// that were the same to the byte: of the account's last completed documents,
// and of its samples.
func (s *Store) SameContent(ctx context.Context, accountID, sha256 string, most int) ([]string, error) {
	documents, err := collect(ctx, s.db, scanDocument, `
		SELECT `+documentColumns+` FROM documents WHERE account_id = $1 AND sha256 = $2 AND status = 'completed'
		ORDER BY created_at DESC LIMIT $3 + 0`, accountID, sha256, most)
	if err != nil {
		return nil, err
	}
	samples, err := collect(ctx, s.db, scanSample, `
		SELECT `+sampleColumns+` FROM samples WHERE account_id = $1 AND sha256 = $2
		ORDER BY created_at DESC LIMIT $3 + 0`, accountID, sha256, most)
	keys := make([]string, 0, len(documents)+len(samples))
	for _, d := range documents {
		keys = append(keys, d.PagesKey())
	}
	for _, one := range samples {
		keys = append(keys, one.PagesKey())
	}
	return keys, err
}

// Document finds one document of an extraction, without its result.
func (s *Store) Document(ctx context.Context, accountID, extractionID, documentID string) (fieldlift.Document, error) {
	d, err := scanDocument(s.db.queryRow(ctx, `SELECT `+documentColumns+` FROM documents WHERE id = $1 AND extraction_id = $2 AND account_id = $3`,
		documentID, extractionID, accountID))
	return d, notFound(err, fieldlift.ResourceNotFound, "There is no document "+documentID+" in this extraction.")
}

// DeleteExtraction removes a finished extraction with its documents, results
// and events for good. Their files are the caller's to remove.
func (s *Store) DeleteExtraction(ctx context.Context, accountID, id string) error {
	return s.db.update(ctx, func(tx transaction) error {
		var status fieldlift.ExtractionStatus
		var name string
		err := tx.queryRow(ctx, `SELECT status, name FROM extractions WHERE account_id = $1 AND id = $2`+s.db.forUpdate(), accountID, id).Scan(&status, &name)
		if err != nil {
			return extractionNotFound(err, id)
		}
		if !status.Terminal() {
			return fieldlift.Errorf(fieldlift.Conflict, "The extraction is not finished yet; only a finished one can be deleted.")
		}
		for _, statement := range []string{
			`DELETE FROM events WHERE extraction_id = $1`, // with all deliveries: nothing of it lives on there
			`DELETE FROM corrections WHERE document_id IN (SELECT id FROM documents WHERE extraction_id = $1)`,
			`DELETE FROM model_answers WHERE document_id IN (SELECT id FROM documents WHERE extraction_id = $1)`,
			`DELETE FROM results WHERE document_id IN (SELECT id FROM documents WHERE extraction_id = $1)`,
			`DELETE FROM documents WHERE extraction_id = $1`,
			`DELETE FROM extractions WHERE id = $1`,
		} {
			if _, err := tx.exec(ctx, statement, id); err != nil {
				return err
			}
		}
		return s.note(ctx, tx, accountID, fieldlift.ExtractionDeleted, id, name)
	})
}

// Expired lists some extractions that ended before a time.
func (s *Store) Expired(ctx context.Context, before time.Time, most int) ([]fieldlift.Extraction, error) {
	return collect(ctx, s.db, scanExtraction, `
		SELECT `+extractionColumns+` FROM extractions WHERE completed_at <= $1 ORDER BY completed_at LIMIT $2 + 0`, before.UnixMicro(), most)
}

// HasDocument reports whether a document is known: a file of one that is not
// is an orphan.
func (s *Store) HasDocument(ctx context.Context, id string) (bool, error) {
	var found bool
	err := s.db.queryRow(ctx, `SELECT EXISTS (SELECT 1 FROM documents WHERE id = $1)`, id).Scan(&found)
	return found, err
}
