-- +goose Up

-- What a person did to a document's result. It is made of the original and of the corrections that hold.
CREATE TABLE corrections (
    document_id   text NOT NULL REFERENCES documents (id),
    number        bigint NOT NULL, -- from 1
    kind          text NOT NULL,
    pointer       text NOT NULL,
    place         text NOT NULL,
    after_row     text NOT NULL,
    original      text NOT NULL, -- JSON
    value         text NOT NULL, -- JSON
    made_by       text NOT NULL, -- an e-mail address
    made_at       bigint NOT NULL,
    taken_back_by text,
    taken_back_at bigint,
    PRIMARY KEY (document_id, number)
);

-- The result as the engine gave it, from the first correction on. What webhooks are told is read from here, so that
-- every try of a delivery has the same bytes.
ALTER TABLE results ADD COLUMN original_data text;
ALTER TABLE results ADD COLUMN original_metadata text;
ALTER TABLE results ADD COLUMN original_validation text;
ALTER TABLE results ADD COLUMN original_confidence double precision;
-- Grows with every change; whoever corrects says which one he has seen.
ALTER TABLE results ADD COLUMN revision bigint NOT NULL DEFAULT 0;

-- When a document was last corrected; NULL when no correction holds.
ALTER TABLE documents ADD COLUMN reviewed_at bigint;
CREATE INDEX documents_reviewed ON documents (account_id, id) WHERE reviewed_at IS NOT NULL;

CREATE INDEX extractions_by_parser ON extractions (account_id, parser_id, created_at, id);
CREATE INDEX extractions_by_status ON extractions (account_id, status, created_at, id);
-- Names of files are searched.
CREATE INDEX documents_by_filename ON documents (extraction_id, filename);
