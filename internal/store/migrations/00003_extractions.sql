-- +goose Up

-- changed_at orders what happens to an account's extractions: each change takes the next one, in the order of commits,
-- so that a poller who asks for what came after a moment misses nothing. served_at is when one of its documents was last
-- begun: whose turn was longest ago is next.
ALTER TABLE accounts ADD COLUMN changed_at bigint NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN served_at bigint NOT NULL DEFAULT 0;

CREATE TABLE extractions (
    id            text PRIMARY KEY,
    account_id    text NOT NULL REFERENCES accounts (id),
    name          text NOT NULL,
    -- The parser as it was when the extraction was submitted.
    parser_id     text NOT NULL REFERENCES parsers (id),
    parser_name   text NOT NULL,
    result_mode   text NOT NULL,
    document_type text,
    schema        text NOT NULL,
    status        text NOT NULL,
    file_count    bigint NOT NULL,
    page_count    bigint NOT NULL,
    credits_used  bigint NOT NULL,
    unfinished    bigint NOT NULL CHECK (unfinished >= 0),
    failed        bigint NOT NULL,
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL,
    completed_at  bigint
);

CREATE INDEX extractions_by_age ON extractions (account_id, created_at, id);
CREATE INDEX extractions_by_change ON extractions (account_id, updated_at);
CREATE INDEX extractions_by_end ON extractions (completed_at) WHERE completed_at IS NOT NULL;

CREATE TABLE documents (
    id                 text PRIMARY KEY,
    extraction_id      text NOT NULL REFERENCES extractions (id),
    account_id         text NOT NULL REFERENCES accounts (id),
    position           bigint NOT NULL,
    filename           text NOT NULL,
    content_type       text NOT NULL,
    size_bytes         bigint NOT NULL,
    sha256             text NOT NULL,
    page_count         bigint NOT NULL,
    credits_used       bigint NOT NULL,
    status             text NOT NULL,
    error_message      text,
    confidence         double precision NOT NULL DEFAULT 0,
    processing_time_ms bigint NOT NULL DEFAULT 0,
    created_at         bigint NOT NULL,
    updated_at         bigint NOT NULL,
    -- Whoever begins a document takes the next attempt; a finish with an older one changes nothing.
    attempt            bigint NOT NULL DEFAULT 0,
    crashes            bigint NOT NULL DEFAULT 0,
    postponements      bigint NOT NULL DEFAULT 0,
    available_at       bigint NOT NULL,
    heartbeat_at       bigint
);

CREATE UNIQUE INDEX documents_by_extraction ON documents (extraction_id, position);
CREATE INDEX documents_waiting ON documents (account_id, available_at, position) WHERE status = 'queued';
CREATE INDEX documents_running ON documents (heartbeat_at) WHERE status = 'processing';

-- What was extracted: JSON, as it is shown.
CREATE TABLE results (
    document_id    text PRIMARY KEY REFERENCES documents (id),
    data           text NOT NULL,
    field_metadata text NOT NULL,
    validation     text NOT NULL
);

CREATE TABLE idempotency_keys (
    account_id  text NOT NULL REFERENCES accounts (id),
    key         text NOT NULL,
    fingerprint text NOT NULL,
    answer      text NOT NULL,
    created_at  bigint NOT NULL,
    PRIMARY KEY (account_id, key)
);

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
