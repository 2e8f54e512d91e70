-- A run's items are one queue: whoever has a free hand takes what is due next.

-- +goose Up

-- place is an item's turn among those that were not tried yet: by priority, then
-- with entries and hosts alternating. seat is which of a run's activities holds
-- it.
ALTER TABLE run_items ADD COLUMN queue TEXT NOT NULL DEFAULT '';
ALTER TABLE run_items ADD COLUMN place BIGINT NOT NULL DEFAULT 0;
ALTER TABLE run_items ADD COLUMN seat BIGINT NOT NULL DEFAULT 0;
UPDATE run_items SET place = ord & 4294967295 WHERE state <> 'closed';
CREATE INDEX run_items_queue ON run_items (run, queue, state, not_before, place, ord) WHERE state <> 'closed';

-- The newest attempt on each seat: an older one gets nothing more. Seat -1 holds
-- the moment before which all attempts are over.
DROP TABLE claims;
CREATE TABLE claims (
    run   BIGINT NOT NULL,
    queue TEXT NOT NULL,
    seat  BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    PRIMARY KEY (run, queue, seat)
);

-- +goose Down
SELECT 'a store with one queue is not made one with ranges';
