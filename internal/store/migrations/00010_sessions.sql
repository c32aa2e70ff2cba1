-- +goose Up

-- Browsers in which people have signed in; of a session's secret only the hash is kept.
CREATE TABLE sessions (
    id           text PRIMARY KEY,
    account_id   text NOT NULL REFERENCES accounts (id),
    hash         text NOT NULL UNIQUE,
    agent        text NOT NULL,
    address      text NOT NULL,
    created_at   bigint NOT NULL,
    last_seen_at bigint NOT NULL,
    expires_at   bigint NOT NULL
);

CREATE INDEX sessions_by_account ON sessions (account_id, last_seen_at);
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- How often something was tried of late that must not be tried often, such as signing in from an address.
CREATE TABLE throttles (
    bucket   text PRIMARY KEY,
    tries    bigint NOT NULL,
    last_at  bigint NOT NULL
);

CREATE INDEX throttles_by_age ON throttles (last_at);
