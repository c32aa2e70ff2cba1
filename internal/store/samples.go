package store

import (
	"context"
	"time"

	"fieldlift"
)

const sampleColumns = `id, account_id, filename, content_type, size_bytes, sha256, page_count, created_at`

func scanSample(r row) (s fieldlift.Sample, err error) {
	var created int64
	err = r.Scan(&s.ID, &s.AccountID, &s.Filename, &s.ContentType, &s.SizeBytes, &s.SHA256, &s.PageCount, &created)
	s.CreatedAt = timeOf(created)
	return s, err
}

// Sample finds a sample that a parser of the account has.
func (s *Store) Sample(ctx context.Context, accountID, id string) (fieldlift.Sample, error) {
	return s.sample(ctx, s.db, accountID, id)
}

func (s *Store) sample(ctx context.Context, q querier, accountID, id string) (fieldlift.Sample, error) {
	found, err := scanSample(q.queryRow(ctx, `
		SELECT `+sampleColumns+` FROM samples WHERE account_id = $1 AND id = $2
			AND EXISTS (SELECT 1 FROM parsers WHERE sample_id = $2 AND deleted_at IS NULL)`, accountID, id))
	return found, notFound(err, fieldlift.ResourceNotFound, "There is no sample "+id+".")
}

// AcceptDetection gives a parser the schema that was detected, keeps the sample
// and charges for its pages, in one transaction. A document type is set where
// there is none. The sample that the parser had goes, unless others have it.
func (s *Store) AcceptDetection(ctx context.Context, d fieldlift.Detection) (out fieldlift.Detected, err error) {
	err = s.db.update(ctx, func(tx transaction) error {
		out = fieldlift.Detected{CreditsUsed: d.Sample.PageCount}
		// The account's row is held to the end: samples that parsers share come and go one after the other.
		if _, err := s.nextChange(ctx, tx, d.Sample.AccountID); err != nil {
			return err
		}
		before, err := scanParser(tx.queryRow(ctx, `
			SELECT `+parserColumns+` FROM parsers WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL`+s.db.forUpdate(), d.Sample.AccountID, d.ParserID))
		if err != nil {
			return parserNotFound(err, d.ParserID)
		}
		if err := before.MayDetect(d.Replace); err != nil {
			return err
		}
		if err := s.keepSample(ctx, tx, d); err != nil {
			return err
		}
		out.Parser, err = scanParser(tx.queryRow(ctx, `
			UPDATE parsers SET schema = $2, sample_id = $3, document_type = coalesce(document_type, $4),
				updated_at = CASE WHEN updated_at < $5 THEN $5 ELSE updated_at + 1 END
			WHERE id = $1 RETURNING `+parserColumns,
			d.ParserID, fieldlift.SchemaOf(d.Proposal.Fields).String(), d.Sample.ID, nullableText(d.Proposal.DocumentType), s.clock().UnixMicro()))
		if err != nil {
			return err
		}
		if err := s.dropSample(ctx, tx, before.SampleID, &out); err != nil {
			return err
		}
		if err := s.note(ctx, tx, d.Sample.AccountID, fieldlift.SchemaDetected, d.ParserID, out.Parser.Name); err != nil {
			return err
		}
		return s.charge(ctx, tx, d.Sample.AccountID, d.ID, d.Sample.PageCount)
	})
	return out, err
}

// keepSample adds a new sample, and makes sure that an old one is still there.
func (s *Store) keepSample(ctx context.Context, tx transaction, d fieldlift.Detection) error {
	if d.Stored {
		_, err := s.sample(ctx, tx, d.Sample.AccountID, d.Sample.ID)
		return err
	}
	one := d.Sample
	_, err := tx.exec(ctx, `INSERT INTO samples (`+sampleColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		one.ID, one.AccountID, one.Filename, one.ContentType, one.SizeBytes, one.SHA256, one.PageCount, s.clock().UnixMicro())
	return err
}

// dropSample removes a sample that no parser has any more.
func (s *Store) dropSample(ctx context.Context, tx transaction, id string, out *fieldlift.Detected) error {
	if id == "" {
		return nil
	}
	dropped, err := tx.exec(ctx, `
		DELETE FROM samples WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM parsers WHERE sample_id = $1 AND deleted_at IS NULL)`, id)
	if dropped > 0 {
		out.Replaced = fieldlift.Sample{ID: id}
	}
	return err
}

// ForgetSamples drops some samples all of whose parsers were deleted before a
// time, and gives them, for their files to be removed.
func (s *Store) ForgetSamples(ctx context.Context, before time.Time, most int) (dropped []fieldlift.Sample, err error) {
	err = s.db.update(ctx, func(tx transaction) error {
		dropped, err = collect(ctx, tx, scanSample, `
			DELETE FROM samples WHERE id IN (
				SELECT s.id FROM samples s WHERE NOT EXISTS (
					SELECT 1 FROM parsers p WHERE p.sample_id = s.id AND (p.deleted_at IS NULL OR p.deleted_at > $1)
				) LIMIT $2 + 0
			) RETURNING `+sampleColumns, before.UnixMicro(), most)
		return err
	})
	return dropped, err
}

// HasSample reports whether a sample is known: a file of one that is not is an
// orphan.
func (s *Store) HasSample(ctx context.Context, id string) (bool, error) {
	var found bool
	err := s.db.queryRow(ctx, `SELECT EXISTS (SELECT 1 FROM samples WHERE id = $1)`, id).Scan(&found)
	return found, err
}
