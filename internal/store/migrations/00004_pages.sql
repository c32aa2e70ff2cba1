-- +goose Up

-- How the text of each page was had: JSON, as it is shown.
ALTER TABLE results ADD COLUMN pages text NOT NULL DEFAULT '[]';

-- The same file may come again, for another parser.
CREATE INDEX documents_by_content ON documents (account_id, sha256);
