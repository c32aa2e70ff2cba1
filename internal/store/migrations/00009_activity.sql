-- +goose Up

-- Who did what in an account. What was done to may be gone, so its name is kept, and nothing refers to it.
CREATE TABLE activities (
    id         text PRIMARY KEY,
    account_id text NOT NULL REFERENCES accounts (id),
    at         bigint NOT NULL,
    actor_kind text NOT NULL,
    actor_name text NOT NULL,
    act_group  text NOT NULL,
    act        text NOT NULL,
    subject    text NOT NULL,
    name       text NOT NULL
);

CREATE INDEX activities_by_account ON activities (account_id, at, id);
CREATE INDEX activities_by_group ON activities (account_id, act_group, at, id);
CREATE INDEX activities_by_age ON activities (at);

-- Those who run the service see figures of all accounts.
ALTER TABLE accounts ADD COLUMN is_admin boolean NOT NULL DEFAULT false;
-- How many of its documents have ended, ever.
ALTER TABLE accounts ADD COLUMN documents bigint NOT NULL DEFAULT 0;
CREATE INDEX accounts_by_age ON accounts (created_at, id);

-- Which node works on a document, or did last.
ALTER TABLE documents ADD COLUMN node text;
CREATE INDEX documents_failed ON documents (updated_at) WHERE status = 'failed';

-- What ended on a day (its number since 1970, UTC), for each parser and speed: within_ms is the least step that the
-- processing time does not pass. Extractions may be deleted; that they were is not forgotten here.
CREATE TABLE usage_days (
    account_id text NOT NULL REFERENCES accounts (id),
    day        bigint NOT NULL,
    parser_id  text NOT NULL REFERENCES parsers (id),
    within_ms  bigint NOT NULL,
    documents  bigint NOT NULL,
    pages      bigint NOT NULL,
    failures   bigint NOT NULL,
    took_ms    bigint NOT NULL,
    PRIMARY KEY (account_id, day, within_ms, parser_id)
);

-- What was charged on a day.
CREATE TABLE spending_days (
    account_id text NOT NULL REFERENCES accounts (id),
    day        bigint NOT NULL,
    credits    bigint NOT NULL,
    PRIMARY KEY (account_id, day)
);

INSERT INTO spending_days (account_id, day, credits)
SELECT account_id, charged_at / 86400000000, sum(credits) FROM charges GROUP BY account_id, charged_at / 86400000000;

INSERT INTO usage_days (account_id, day, parser_id, within_ms, documents, pages, failures, took_ms)
WITH steps (within_ms) AS (
    VALUES (10), (15), (20), (30), (50), (70), (100), (150), (200), (300), (500), (700), (1000), (1500), (2000), (3000), (5000), (7000),
        (10000), (15000), (20000), (30000), (50000), (70000), (100000), (150000), (200000), (300000), (500000), (700000), (1000000),
        (9000000000000)
), ended AS (
    SELECT d.account_id, d.updated_at / 86400000000 AS day, e.parser_id, d.status, d.page_count, d.processing_time_ms AS took_ms,
        (SELECT min(s.within_ms) FROM steps s WHERE s.within_ms >= d.processing_time_ms) AS within_ms
    FROM documents d JOIN extractions e ON e.id = d.extraction_id
    WHERE d.status IN ('completed', 'failed')
)
SELECT account_id, day, parser_id, within_ms, count(*), sum(page_count), sum(CASE WHEN status = 'failed' THEN 1 ELSE 0 END), sum(took_ms)
FROM ended GROUP BY account_id, day, parser_id, within_ms;

UPDATE accounts SET documents = (SELECT count(*) FROM documents d WHERE d.account_id = accounts.id AND d.status IN ('completed', 'failed'));
