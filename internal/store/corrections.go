package store

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"time"

	"fieldlift"
	"fieldlift/internal/engine"
)

// Review takes up the review of a document of the account. A document without
// a result cannot be reviewed.
func (s *Store) Review(ctx context.Context, accountID, extractionID, documentID string) (fieldlift.DocumentReview, error) {
	d, _, err := s.review(ctx, s.db, accountID, extractionID, documentID)
	return d, err
}

// Correct does what a person wants done to a document's result, all of it or
// nothing. Data, metadata, validation and confidence change with it; webhooks
// go on being told what the engine gave. The revision is the one that the
// person saw: what changed meanwhile may have moved what he means.
func (s *Store) Correct(ctx context.Context, accountID, extractionID, documentID string, by fieldlift.Reviewer, amendments ...fieldlift.Amendment) (fieldlift.DocumentReview, error) {
	if len(amendments) == 0 || len(amendments) > fieldlift.MaxAmendments {
		return fieldlift.DocumentReview{}, fieldlift.Errorf(fieldlift.InvalidPayload, "Between 1 and %d corrections can be made at once.", fieldlift.MaxAmendments)
	}
	return s.changeReview(ctx, accountID, extractionID, documentID, by, func(r *fieldlift.Review, at time.Time) error {
		for _, a := range amendments {
			if err := r.Do(a, by.Email, at); err != nil {
				return err
			}
		}
		return nil
	})
}

// TakeBack undoes a correction of a document.
func (s *Store) TakeBack(ctx context.Context, accountID, extractionID, documentID string, by fieldlift.Reviewer, number int64) (fieldlift.DocumentReview, error) {
	return s.changeReview(ctx, accountID, extractionID, documentID, by, func(r *fieldlift.Review, at time.Time) error {
		return r.TakeBack(number, by.Email, at)
	})
}

func (s *Store) changeReview(ctx context.Context, accountID, extractionID, documentID string, by fieldlift.Reviewer, change func(*fieldlift.Review, time.Time) error) (out fieldlift.DocumentReview, err error) {
	err = s.db.update(ctx, func(tx transaction) error {
		// The account's row is held to the end: reviewers come one after the other.
		at, err := s.nextChange(ctx, tx, accountID)
		if err != nil {
			return notFound(err, fieldlift.ResourceNotFound, "There is no document "+documentID+" in this extraction.")
		}
		d, confidence, err := s.review(ctx, tx, accountID, extractionID, documentID)
		if err != nil {
			return err
		}
		if by.Seen != fieldlift.AnyRevision && by.Seen != d.Revision {
			return fieldlift.Errorf(fieldlift.Conflict, "The document was changed by someone else meanwhile. Look at it again, and try once more.")
		}
		before := slices.Clone(d.Review.Corrections)
		if err := change(d.Review, timeOf(at)); err != nil {
			return err
		}
		if err := s.keepCorrections(ctx, tx, documentID, before, d.Review.Corrections); err != nil {
			return err
		}
		if out, err = s.keepReview(ctx, tx, d, confidence, at); err != nil {
			return err
		}
		return s.noteCorrection(ctx, tx, d.Record.Document)
	})
	return out, err
}

// review reads a document with its original result and its corrections. It
// gives the original's confidence if that is kept.
func (s *Store) review(ctx context.Context, q querier, accountID, extractionID, documentID string) (d fieldlift.DocumentReview, confidence *float64, err error) {
	nothing := "There is no document " + documentID + " in this extraction."
	if d.Extraction, err = scanExtraction(q.queryRow(ctx, `SELECT `+extractionColumns+` FROM extractions WHERE account_id = $1 AND id = $2`, accountID, extractionID)); err != nil {
		return d, nil, notFound(err, fieldlift.ResourceNotFound, nothing)
	}
	if d.Record, err = scanRecord(q.queryRow(ctx, recordQuery+` WHERE d.id = $1 AND d.extraction_id = $2 AND d.account_id = $3`, documentID, extractionID, accountID)); err != nil {
		return d, nil, notFound(err, fieldlift.ResourceNotFound, nothing)
	}
	if d.Record.Document.Status != fieldlift.DocumentCompleted {
		return d, nil, fieldlift.Errorf(fieldlift.Conflict, "Only a document that is completed can be reviewed.")
	}
	var original fieldlift.Result
	var data, metadata string
	if err := q.queryRow(ctx, `
		SELECT coalesce(original_data, data), coalesce(original_metadata, field_metadata), original_confidence, revision
		FROM results WHERE document_id = $1`, documentID).Scan(&data, &metadata, &confidence, &d.Revision); err != nil {
		return d, nil, notFound(err, fieldlift.ResourceNotFound, nothing)
	}
	original.Data, original.Confidence = json.RawMessage(data), d.Record.Document.Confidence
	if confidence != nil {
		original.Confidence = *confidence
	}
	if err := json.Unmarshal([]byte(metadata), &original.Metadata); err != nil {
		return d, nil, err
	}
	corrections, err := collect(ctx, q, scanCorrection, `
		SELECT `+correctionColumns+` FROM corrections WHERE document_id = $1 ORDER BY number`, documentID)
	if err != nil {
		return d, nil, err
	}
	d.Review, err = fieldlift.NewReview(d.Extraction, original, corrections)
	return d, confidence, err
}

const correctionColumns = `number, kind, pointer, place, after_row, original, value, made_by, made_at, taken_back_by, taken_back_at`

func scanCorrection(r row) (c fieldlift.Correction, err error) {
	var original, value string
	var at int64
	var takenBy *string
	var takenAt *int64
	err = r.Scan(&c.Number, &c.Kind, &c.Pointer, &c.Place, &c.After, &original, &value, &c.By, &at, &takenBy, &takenAt)
	c.Original, c.Value = json.RawMessage(original), json.RawMessage(value)
	c.At, c.TakenBackBy, c.TakenBackAt = timeOf(at), textOf(takenBy), nullableTime(takenAt)
	return c, err
}

// keepCorrections writes the corrections that are new and those that were taken
// back.
func (s *Store) keepCorrections(ctx context.Context, tx transaction, documentID string, before, now []fieldlift.Correction) error {
	for i, c := range now {
		var err error
		switch {
		case i >= len(before):
			_, err = tx.exec(ctx, `
				INSERT INTO corrections (document_id, `+correctionColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
				documentID, c.Number, c.Kind, c.Pointer, c.Place, c.After, string(c.Original), string(c.Value), c.By, c.At.UnixMicro(),
				nullableText(c.TakenBackBy), nullable(c.TakenBackAt))
		case before[i].Holds() && !c.Holds():
			_, err = tx.exec(ctx, `UPDATE corrections SET taken_back_by = $3, taken_back_at = $4 WHERE document_id = $1 AND number = $2`,
				documentID, c.Number, c.TakenBackBy, c.TakenBackAt.UnixMicro())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keepReview writes what a review made of a document's result.
func (s *Store) keepReview(ctx context.Context, tx transaction, d fieldlift.DocumentReview, confidence *float64, at int64) (fieldlift.DocumentReview, error) {
	id := d.Record.Document.ID
	if confidence == nil { // the first correction
		if _, err := tx.exec(ctx, `
			UPDATE results SET original_data = data, original_metadata = field_metadata, original_validation = validation, original_confidence = $2
			WHERE document_id = $1`, id, d.Record.Document.Confidence); err != nil {
			return d, err
		}
	}
	result := d.Review.Result()
	var reviewed *int64
	if d.Review.Holds() {
		reviewed = &at
		if err := s.keepResult(ctx, tx, d, result); err != nil {
			return d, err
		}
	} else if _, err := tx.exec(ctx, `
		UPDATE results SET data = original_data, field_metadata = original_metadata, validation = original_validation WHERE document_id = $1`, id); err != nil {
		return d, err
	}
	if err := tx.queryRow(ctx, `UPDATE results SET revision = revision + 1 WHERE document_id = $1 RETURNING revision`, id).Scan(&d.Revision); err != nil {
		return d, err
	}
	if _, err := tx.exec(ctx, `UPDATE documents SET confidence = $2, reviewed_at = $3, updated_at = $4 WHERE id = $1`, id, result.Confidence, reviewed, at); err != nil {
		return d, err
	}
	if _, err := tx.exec(ctx, `UPDATE extractions SET updated_at = $2 WHERE id = $1`, d.Extraction.ID, at); err != nil {
		return d, err
	}
	var err error
	d.Record, err = scanRecord(tx.queryRow(ctx, recordQuery+` WHERE d.id = $1`, id))
	return d, err
}

func (s *Store) keepResult(ctx context.Context, tx transaction, d fieldlift.DocumentReview, result fieldlift.Result) error {
	result.Validation = engine.ValidateResult(d.Extraction.ResultMode, d.Extraction.Schema.Fields(), result.Data)
	var before []fieldlift.Violation
	if err := json.Unmarshal([]byte(d.Record.Validation), &before); err != nil {
		return err
	}
	for _, v := range before { // how values were had is not changed by correcting them
		if v.Rule == fieldlift.RuleModel {
			result.Validation = append(result.Validation, v)
		}
	}
	texts, err := resultTexts(result)
	if err != nil {
		return err
	}
	_, err = tx.exec(ctx, `UPDATE results SET data = $2, field_metadata = $3, validation = $4 WHERE document_id = $1`,
		d.Record.Document.ID, texts.Data, texts.Metadata, texts.Validation)
	return err
}

// reviewedAtOnce bounds how many reviewed results are held in memory at once.
const reviewedAtOnce = 5

// Reviewed goes through the documents of the account that were reviewed, those
// of an extraction or of a parser when one is named, oldest first.
func (s *Store) Reviewed(ctx context.Context, accountID string, of fieldlift.ReviewedFilter) iter.Seq2[fieldlift.DocumentReview, error] {
	return func(yield func(fieldlift.DocumentReview, error) bool) {
		last := ""
		for {
			found, err := collect(ctx, s.db, func(r row) (ids [2]string, err error) { return ids, r.Scan(&ids[0], &ids[1]) }, `
				SELECT d.extraction_id, d.id FROM documents d JOIN extractions e ON e.id = d.extraction_id
				WHERE d.account_id = $1 AND d.reviewed_at IS NOT NULL AND d.id > $2
					AND ($3 = '' OR d.extraction_id = $3) AND ($4 = '' OR e.parser_id = $4)
				ORDER BY d.id LIMIT $5 + 0`, accountID, last, of.ExtractionID, of.ParserID, reviewedAtOnce)
			if err != nil {
				yield(fieldlift.DocumentReview{}, err)
				return
			}
			for _, ids := range found {
				last = ids[1]
				d, err := s.Review(ctx, accountID, ids[0], ids[1])
				if gone, ok := errors.AsType[*fieldlift.Error](err); ok && gone.Code == fieldlift.ResourceNotFound {
					continue // it was deleted meanwhile
				}
				if !yield(d, err) || err != nil {
					return
				}
			}
			if len(found) < reviewedAtOnce {
				return
			}
		}
	}
}
