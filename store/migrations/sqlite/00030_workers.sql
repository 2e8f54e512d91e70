-- Who takes work from this store, and since when an item is with a worker.

-- +goose Up

-- process tells two processes of one identity apart. until is when a worker that
-- stays silent counts as gone, seen_at when it spoke last, both by the database's
-- clock. drain is who asked it to take nothing new.
CREATE TABLE workers (
    identity     TEXT NOT NULL PRIMARY KEY,
    process      TEXT NOT NULL,
    host         TEXT NOT NULL,
    version      TEXT NOT NULL,
    queues       TEXT NOT NULL,
    state        TEXT NOT NULL,
    why          TEXT NOT NULL,
    slots        INTEGER NOT NULL,
    memory_limit INTEGER NOT NULL,
    memory_max   INTEGER NOT NULL,
    memory_used  INTEGER NOT NULL,
    started_at   INTEGER NOT NULL,
    seen_at      INTEGER NOT NULL,
    until        INTEGER NOT NULL,
    drain        TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;

ALTER TABLE run_items ADD COLUMN claimed_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX run_items_claimed ON run_items (run) WHERE state = 'claimed';

-- +goose Down
SELECT 'a store that knows its workers is not made one that does not';
