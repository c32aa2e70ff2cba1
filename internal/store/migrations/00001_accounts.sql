-- Times are microseconds since 1970 in UTC; JSON is text and never queried into.

-- +goose Up
CREATE TABLE accounts (
    id            text PRIMARY KEY,
    email         text NOT NULL UNIQUE,
    name          text NOT NULL,
    password_hash text NOT NULL,
    created_at    bigint NOT NULL
);

CREATE TABLE keys (
    id           text PRIMARY KEY,
    account_id   text NOT NULL REFERENCES accounts (id),
    name         text NOT NULL,
    hash         text NOT NULL UNIQUE,
    hint         text NOT NULL,
    created_at   bigint NOT NULL,
    expires_at   bigint,
    revoked_at   bigint,
    last_used_at bigint
);

-- A label names one key that works; a revoked key gives its label free.
CREATE UNIQUE INDEX keys_by_name ON keys (account_id, name) WHERE revoked_at IS NULL;

CREATE TABLE purchases (
    id           text PRIMARY KEY,
    account_id   text NOT NULL REFERENCES accounts (id),
    source       text NOT NULL,
    credits      bigint NOT NULL CHECK (credits > 0),
    remaining    bigint NOT NULL CHECK (remaining >= 0 AND remaining <= credits),
    purchased_at bigint NOT NULL,
    expires_at   bigint
);

CREATE INDEX purchases_by_account ON purchases (account_id);

-- What was paid for, once for each subject, and from which purchases.
CREATE TABLE charges (
    subject    text PRIMARY KEY,
    account_id text NOT NULL REFERENCES accounts (id),
    credits    bigint NOT NULL CHECK (credits >= 0),
    charged_at bigint NOT NULL
);

CREATE INDEX charges_by_account ON charges (account_id, charged_at);

CREATE TABLE debits (
    subject     text NOT NULL REFERENCES charges (subject),
    purchase_id text NOT NULL REFERENCES purchases (id),
    credits     bigint NOT NULL CHECK (credits > 0),
    PRIMARY KEY (subject, purchase_id)
);

CREATE TABLE parsers (
    id            text PRIMARY KEY,
    account_id    text NOT NULL REFERENCES accounts (id),
    name          text NOT NULL,
    description   text NOT NULL,
    result_mode   text NOT NULL,
    document_type text,
    schema        text,
    sample_id     text,
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL,
    deleted_at    bigint
);

-- A deleted parser gives its name free.
CREATE UNIQUE INDEX parsers_by_name ON parsers (account_id, name) WHERE deleted_at IS NULL;
CREATE INDEX parsers_by_age ON parsers (account_id, created_at, id) WHERE deleted_at IS NULL;
