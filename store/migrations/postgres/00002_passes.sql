-- Full passes: what an item listed, and in which of its passes for the last time.

-- +goose Up

-- pass is the number of the pass under way, else of the last one, and pass_begun
-- its beginning. pass_state is 0 while none is under way, 1 while the source lists,
-- 2 once the list is whole and what is no longer on it is being deleted. pass_run
-- is the run that noted listings last: a checkpoint of another run was moved
-- without that, so there may be documents that nobody noted; unlisted is when that
-- was found out, 0 once they were looked at.
ALTER TABLE items ADD COLUMN pass bigint NOT NULL DEFAULT 0;
ALTER TABLE items ADD COLUMN pass_state bigint NOT NULL DEFAULT 0;
ALTER TABLE items ADD COLUMN pass_run bigint NOT NULL DEFAULT 0;
ALTER TABLE items ADD COLUMN pass_begun bigint NOT NULL DEFAULT 0;
ALTER TABLE items ADD COLUMN passed_at bigint NOT NULL DEFAULT 0;
ALTER TABLE items ADD COLUMN pass_tried bigint NOT NULL DEFAULT 0;
ALTER TABLE items ADD COLUMN pass_note text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN unlisted bigint NOT NULL DEFAULT 0;

-- Only items whose entry says `refresh` have rows here. In the order of an item's
-- sweep; the index answers who else lists a document, and a new pass does not
-- touch it.
CREATE TABLE listings (
    item       bigint NOT NULL,
    collection text COLLATE "C" NOT NULL,
    id         text COLLATE "C" NOT NULL,
    pass       bigint NOT NULL,
    PRIMARY KEY (item, collection, id)
);
CREATE INDEX listings_document ON listings (collection, id);

-- +goose Down
SELECT 'a store that knows passes is not made one that does not';
