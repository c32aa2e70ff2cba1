-- +goose Up

CREATE INDEX samples_by_content ON samples (account_id, sha256);
