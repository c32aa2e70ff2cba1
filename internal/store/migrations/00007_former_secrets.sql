-- +goose Up

-- Signing secrets that were replaced; sealed. Each signs beside the new one until its time is over.
CREATE TABLE former_secrets (
    webhook_id  text NOT NULL REFERENCES webhooks (id),
    secret      text NOT NULL,
    valid_until bigint NOT NULL,
    PRIMARY KEY (webhook_id, secret)
);

INSERT INTO former_secrets (webhook_id, secret, valid_until)
SELECT id, previous_secret, previous_until FROM webhooks WHERE previous_secret IS NOT NULL AND previous_until IS NOT NULL;

ALTER TABLE webhooks DROP COLUMN previous_secret;
ALTER TABLE webhooks DROP COLUMN previous_until;
