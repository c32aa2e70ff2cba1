-- +goose Up

-- What of the spending is set aside for calls under way, and not settled yet. Past its time, which each call moves, it counts
-- as spent: who set it aside was killed.
ALTER TABLE model_spending ADD COLUMN reserved_tokens bigint NOT NULL DEFAULT 0;
ALTER TABLE model_spending ADD COLUMN reserved_micros bigint NOT NULL DEFAULT 0;
ALTER TABLE model_spending ADD COLUMN reserved_until bigint NOT NULL DEFAULT 0;
