-- The items that list a document. documents.item is the item whose it is: the one
-- that brought its current version, else one that lists it still. listings has the
-- others, and all that an item with passes listed. items.documents counts what is
-- an item's and not deleted.

-- +goose Up

ALTER TABLE documents ADD COLUMN item bigint NOT NULL DEFAULT 0;
UPDATE documents SET item = (SELECT v.item FROM versions v WHERE v.number = documents.number);

-- Until now it was not noted what an item without passes listed unchanged: those
-- that brought a version are known.
INSERT INTO listings (item, collection, id, pass)
	SELECT DISTINCT v.item, v.collection, v.id, 0::bigint FROM versions v JOIN documents d ON d.collection = v.collection AND d.id = v.id
	WHERE d.deleted = 0 AND v.op <> 2 AND v.item <> d.item
	ON CONFLICT (item, collection, id) DO NOTHING;

WITH counted AS (SELECT item, count(*) AS n FROM documents WHERE deleted = 0 GROUP BY item)
UPDATE items SET documents = coalesce((SELECT c.n FROM counted c WHERE c.item = items.id), 0);

-- What the last pass left alive because other items list it, as JSON.
ALTER TABLE items ADD COLUMN pass_held text COLLATE "C" NOT NULL DEFAULT '';

-- +goose Down
SELECT 'a store that knows who lists a document is not made one that does not';
