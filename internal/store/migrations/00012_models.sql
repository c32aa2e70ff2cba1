-- +goose Up

-- Who finds values: layout, model or auto; NULL leaves it to the server.
ALTER TABLE parsers ADD COLUMN engine text;
ALTER TABLE extractions ADD COLUMN engine text;

-- What a model did for the document, and what that took: JSON, as it is shown. NULL: none took part.
ALTER TABLE results ADD COLUMN model text;

-- What a model answered, so that no page is asked about twice. An answer goes with the document that asked for it.
CREATE TABLE model_answers (
    account_id  text NOT NULL REFERENCES accounts (id),
    key         text NOT NULL,
    document_id text NOT NULL REFERENCES documents (id),
    answer      text NOT NULL,
    created_at  bigint NOT NULL,
    PRIMARY KEY (account_id, key)
);

CREATE INDEX model_answers_by_document ON model_answers (document_id);

-- What models took, by account and day (UTC); it stays when documents go. Costs are millionths, by the prices of the day.
CREATE TABLE model_spending (
    account_id    text NOT NULL REFERENCES accounts (id),
    day           text NOT NULL,
    model         text NOT NULL,
    calls         bigint NOT NULL,
    input_tokens  bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cost_micros   bigint NOT NULL,
    PRIMARY KEY (account_id, day, model)
);

CREATE INDEX model_spending_by_day ON model_spending (day);
