-- A record that could not be read has one row for its item and lane, however often
-- it is rejected, until it is read, or somebody accepts it.

-- +goose Up

-- name is the record's identity within its item: its id, or a digest. '' is what
-- came in place of the source's answer. since is when it was first rejected, at
-- when last; place is how to ask for it again.
ALTER TABLE quarantine ADD COLUMN lane text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE quarantine ADD COLUMN name text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE quarantine ADD COLUMN place text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE quarantine ADD COLUMN since bigint NOT NULL DEFAULT 0;
ALTER TABLE quarantine ADD COLUMN times bigint NOT NULL DEFAULT 1;
ALTER TABLE quarantine ADD COLUMN resolved bigint NOT NULL DEFAULT 0;

UPDATE quarantine SET since = at, lane = coalesce((SELECT r.lane FROM runs r WHERE r.id = quarantine.run), ''),
    name = CASE WHEN record <> '' AND length(record) <= 200 THEN record ELSE 'q-' || id END;
DELETE FROM quarantine WHERE EXISTS (SELECT 1 FROM quarantine y WHERE y.item = quarantine.item AND y.lane = quarantine.lane AND y.name = quarantine.name AND y.id > quarantine.id);
UPDATE quarantine SET resolved = at WHERE kind <> 'bad_record';

DROP INDEX quarantine_item;
CREATE UNIQUE INDEX quarantine_name ON quarantine (item, lane, name);
CREATE INDEX quarantine_open ON quarantine (item) WHERE accepted = 0 AND resolved = 0;

-- quarantined counts an item's rows that are neither resolved nor accepted.
ALTER TABLE items ADD COLUMN quarantined bigint NOT NULL DEFAULT 0;
UPDATE items SET quarantined = (SELECT count(*) FROM quarantine q WHERE q.item = items.id AND q.accepted = 0 AND q.resolved = 0)
    WHERE id IN (SELECT item FROM quarantine WHERE accepted = 0 AND resolved = 0);

-- +goose Down
SELECT 'a store that remembers unread records is not made one that forgets them';
