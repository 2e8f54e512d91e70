-- When something was named last, so that what nothing names any more can go.

-- +goose Up

-- seen_at is when a list was saved, or found to be named, last.
ALTER TABLE lists ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
UPDATE lists SET seen_at = CAST(unixepoch('subsec') * 1000000 AS INTEGER);
CREATE INDEX events_at ON events (at, id);

-- +goose Down
SELECT 'a store that knows what is used is not made one that does not';
