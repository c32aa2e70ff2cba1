-- +goose Up

-- Which key secrets are sealed with: a node that has another one cannot read them, and must not seal more.
CREATE TABLE sealing (
    id          text PRIMARY KEY CHECK (id = 'key'),
    fingerprint text NOT NULL
);

CREATE TABLE webhooks (
    id              text PRIMARY KEY,
    account_id      text NOT NULL REFERENCES accounts (id),
    kind            text NOT NULL,
    parser_id       text REFERENCES parsers (id),
    url             text NOT NULL,
    events          text NOT NULL, -- with commas between them
    is_active       boolean NOT NULL,
    paused_reason   text,
    -- Sealed; the previous one signs beside the other until its time is over.
    signing_secret  text NOT NULL,
    previous_secret text,
    previous_until  bigint,
    static_secret   text,
    created_at      bigint NOT NULL,
    deleted_at      bigint
);

CREATE INDEX webhooks_by_age ON webhooks (account_id, created_at, id) WHERE deleted_at IS NULL;

-- What has happened: written in the transaction in which it happened, so that it is told if and only if it did.
CREATE TABLE events (
    id            text PRIMARY KEY,
    account_id    text NOT NULL REFERENCES accounts (id),
    extraction_id text REFERENCES extractions (id),
    type          text NOT NULL,
    payload       text NOT NULL,
    created_at    bigint NOT NULL
);

CREATE INDEX events_by_extraction ON events (extraction_id);
CREATE INDEX events_by_age ON events (created_at);

CREATE TABLE deliveries (
    id            text PRIMARY KEY,
    webhook_id    text NOT NULL REFERENCES webhooks (id),
    event_id      text NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    extraction_id text,
    type          text NOT NULL,
    status        text NOT NULL,
    attempts      bigint NOT NULL DEFAULT 0,
    -- The time of the event: first tries go in this order within an extraction.
    happened_at   bigint NOT NULL,
    created_at    bigint NOT NULL,
    -- When it is tried next; NULL when it is over. Whoever tries it moves this beyond the time a try can take, so that
    -- it comes back by itself when he dies, and takes the next fence: an end with an older one changes nothing.
    next_at       bigint,
    fence         bigint NOT NULL DEFAULT 0,
    claimed       boolean NOT NULL DEFAULT false
);

CREATE INDEX deliveries_by_age ON deliveries (webhook_id, created_at, id);
CREATE INDEX deliveries_by_event ON deliveries (event_id);
CREATE INDEX deliveries_waiting ON deliveries (webhook_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX deliveries_untried ON deliveries (webhook_id, extraction_id, happened_at) WHERE attempts = 0 AND next_at IS NOT NULL;
CREATE INDEX deliveries_claimed ON deliveries (id) WHERE claimed;

CREATE TABLE attempts (
    delivery_id  text NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    retry_count  bigint NOT NULL,
    webhook_id   text NOT NULL,
    type         text NOT NULL,
    status       text NOT NULL,
    status_code  bigint NOT NULL,
    error        text,
    response     text NOT NULL,
    attempted_at bigint NOT NULL,
    took_us      bigint NOT NULL,
    PRIMARY KEY (delivery_id, retry_count)
);

CREATE INDEX attempts_by_age ON attempts (webhook_id, attempted_at);
