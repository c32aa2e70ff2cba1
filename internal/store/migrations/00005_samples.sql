-- +goose Up

-- Files from which fields were detected. One belongs to the parsers whose sample_id it is; when none of them is left, it goes.
CREATE TABLE samples (
    id           text PRIMARY KEY,
    account_id   text NOT NULL REFERENCES accounts (id),
    filename     text NOT NULL,
    content_type text NOT NULL,
    size_bytes   bigint NOT NULL,
    sha256       text NOT NULL,
    page_count   bigint NOT NULL,
    created_at   bigint NOT NULL
);

CREATE INDEX parsers_by_sample ON parsers (sample_id) WHERE sample_id IS NOT NULL;
