-- The certificates of the only authorities that may vouch for a host.

-- +goose Up
ALTER TABLE hosts ADD COLUMN ca TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE hosts DROP COLUMN ca;
