package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"fieldlift"
)

// CreateParser makes a parser; its name must be free in the account.
func (s *Store) CreateParser(ctx context.Context, p fieldlift.Parser) (fieldlift.Parser, error) {
	err := s.db.update(ctx, func(tx transaction) error {
		var err error
		p, err = s.createParser(ctx, tx, p)
		return err
	})
	return p, err
}

func (s *Store) createParser(ctx context.Context, tx transaction, p fieldlift.Parser) (fieldlift.Parser, error) {
	p.ID = fieldlift.NewID(fieldlift.ParserPrefix)
	p.CreatedAt = s.clock()
	p.UpdatedAt = p.CreatedAt
	_, err := tx.exec(ctx, `
		INSERT INTO parsers (id, account_id, name, description, result_mode, document_type, schema, engine, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		p.ID, p.AccountID, p.Name, p.Description, p.ResultMode, nullableText(p.DocumentType), nullableText(p.Schema.String()),
		nullableText(string(p.Engine)), p.CreatedAt.UnixMicro(), p.UpdatedAt.UnixMicro())
	if errors.Is(err, errUnique) {
		return p, nameTaken(p.Name)
	}
	if err != nil {
		return p, err
	}
	return p, s.note(ctx, tx, p.AccountID, fieldlift.ParserCreated, p.ID, p.Name)
}

func nameTaken(name string) error {
	return &fieldlift.Error{
		Code:    fieldlift.Conflict,
		Message: fmt.Sprintf("A parser named %q exists already.", name),
		Details: []fieldlift.Detail{{Field: "name", Issue: "duplicate", Message: "Choose a name that no other parser of the account has."}},
	}
}

const parserColumns = `id, account_id, name, description, result_mode, document_type, schema, engine, sample_id, created_at, updated_at`

func scanParser(r row) (p fieldlift.Parser, err error) {
	var documentType, schema, engine, sample *string
	var created, updated int64
	err = r.Scan(&p.ID, &p.AccountID, &p.Name, &p.Description, &p.ResultMode, &documentType, &schema, &engine, &sample, &created, &updated)
	p.DocumentType, p.Schema, p.SampleID = textOf(documentType), fieldlift.StoredSchema(textOf(schema)), textOf(sample)
	p.Engine, p.CreatedAt, p.UpdatedAt = fieldlift.EngineChoice(textOf(engine)), timeOf(created), timeOf(updated)
	return p, err
}

func parserNotFound(err error, id string) error {
	return notFound(err, fieldlift.ParserNotFound, "There is no parser "+id+".")
}

// Parser finds a parser of the account.
func (s *Store) Parser(ctx context.Context, accountID, id string) (fieldlift.Parser, error) {
	p, err := scanParser(s.db.queryRow(ctx, `
		SELECT `+parserColumns+` FROM parsers WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL`, accountID, id))
	return p, parserNotFound(err, id)
}

// ParserNamed finds the id of the account's parser of that name.
func (s *Store) ParserNamed(ctx context.Context, accountID, name string) (id string, err error) {
	err = s.db.queryRow(ctx, `SELECT id FROM parsers WHERE account_id = $1 AND name = $2 AND deleted_at IS NULL`, accountID, name).Scan(&id)
	return id, notFound(err, fieldlift.ParserNotFound, fmt.Sprintf("The account has no parser named %q.", name))
}

// Parsers lists a page of the account's parsers, newest first, and tells
// whether more follow.
func (s *Store) Parsers(ctx context.Context, accountID string, page fieldlift.Page) (list []fieldlift.Parser, more bool, err error) {
	query := `SELECT ` + parserColumns + ` FROM parsers WHERE account_id = $1 AND deleted_at IS NULL`
	args := []any{accountID, page.Limit + 1}
	if !page.After.IsZero() {
		query += ` AND (created_at, id) < ($3, $4)`
		args = append(args, page.After.At.UnixMicro(), page.After.ID)
	}
	// "+ 0": SQLite plans a statement anew whenever a bare parameter there is bound.
	query += ` ORDER BY created_at DESC, id DESC LIMIT $2 + 0`
	list, err = collect(ctx, s.db, scanParser, query, args...)
	if len(list) > page.Limit {
		return list[:page.Limit], true, err
	}
	return list, false, err
}

// UpdateParser sets what the change holds and leaves the rest.
func (s *Store) UpdateParser(ctx context.Context, accountID, id string, change fieldlift.ParserChange) (fieldlift.Parser, error) {
	args := []any{accountID, id, s.clock().UnixMicro()}
	// Time moves on with every update, even on a clock that was set back.
	assignments := []string{"updated_at = CASE WHEN updated_at < $3 THEN $3 ELSE updated_at + 1 END"}
	set := func(column string, value any) {
		args = append(args, value)
		assignments = append(assignments, fmt.Sprintf("%s = $%d", column, len(args)))
	}
	if change.Name != nil {
		set("name", *change.Name)
	}
	if change.Description != nil {
		set("description", *change.Description)
	}
	if change.ResultMode != nil {
		set("result_mode", *change.ResultMode)
	}
	if change.DocumentType != nil {
		set("document_type", nullableText(*change.DocumentType))
	}
	if change.Schema != nil {
		set("schema", nullableText(change.Schema.String()))
	}
	if change.Engine != nil {
		set("engine", nullableText(string(*change.Engine)))
	}
	if len(args) == 3 {
		return s.Parser(ctx, accountID, id)
	}
	var p fieldlift.Parser
	err := s.db.update(ctx, func(tx transaction) error {
		var err error
		p, err = scanParser(tx.queryRow(ctx, `
			UPDATE parsers SET `+strings.Join(assignments, ", ")+`
			WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL RETURNING `+parserColumns, args...))
		if err != nil {
			return err
		}
		return s.note(ctx, tx, accountID, fieldlift.ParserChanged, p.ID, p.Name)
	})
	if errors.Is(err, errUnique) {
		return p, nameTaken(*change.Name)
	}
	return p, parserNotFound(err, id)
}

// DeleteParser takes a parser out of service and gives its name free; what it
// has extracted stays.
func (s *Store) DeleteParser(ctx context.Context, accountID, id string) error {
	return s.db.update(ctx, func(tx transaction) error {
		var name string
		if err := tx.queryRow(ctx, `
			UPDATE parsers SET deleted_at = $3 WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL RETURNING name`,
			accountID, id, s.clock().UnixMicro()).Scan(&name); err != nil {
			return parserNotFound(err, id)
		}
		return s.note(ctx, tx, accountID, fieldlift.ParserDeleted, id, name)
	})
}
