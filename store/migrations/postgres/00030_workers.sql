-- Who takes work from this store, and since when an item is with a worker.

-- +goose Up

-- process tells two processes of one identity apart. until is when a worker that
-- stays silent counts as gone, seen_at when it spoke last, both by the database's
-- clock. drain is who asked it to take nothing new.
CREATE TABLE workers (
    identity     text NOT NULL PRIMARY KEY,
    process      text NOT NULL,
    host         text NOT NULL,
    version      text NOT NULL,
    queues       text NOT NULL,
    state        text NOT NULL,
    why          text NOT NULL,
    slots        bigint NOT NULL,
    memory_limit bigint NOT NULL,
    memory_max   bigint NOT NULL,
    memory_used  bigint NOT NULL,
    started_at   bigint NOT NULL,
    seen_at      bigint NOT NULL,
    until        bigint NOT NULL,
    drain        text NOT NULL DEFAULT ''
);

ALTER TABLE run_items ADD COLUMN claimed_at bigint NOT NULL DEFAULT 0;
CREATE INDEX run_items_claimed ON run_items (run) WHERE state = 'claimed';

-- +goose Down
SELECT 'a store that knows its workers is not made one that does not';
