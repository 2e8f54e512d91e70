-- Pages as they came are stored with the page of documents that was read from
-- them, in the same transaction.

-- +goose Up

-- packed is 1 where content is compressed. The digest is of what it was before.
CREATE TABLE blobs (
    digest  TEXT NOT NULL,
    created INTEGER NOT NULL,
    packed  INTEGER NOT NULL,
    content BLOB NOT NULL
);
CREATE UNIQUE INDEX blobs_digest ON blobs (digest);
CREATE INDEX blobs_created ON blobs (created, digest);

-- +goose Down
SELECT 'a store that has raw pages is not made one that looks for them in files';
