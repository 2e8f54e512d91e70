-- Pages as they came are stored with the page of documents that was read from
-- them, in the same transaction.

-- +goose Up

-- packed is 1 where content is compressed. The digest is of what it was before.
ALTER TABLE blobs ADD COLUMN packed bigint NOT NULL DEFAULT 0;

-- +goose Down
SELECT 'a store that has compressed pages is not made one that cannot read them';
