-- The fields of documents are compressed together with their bodies.

-- +goose Up

-- fields_size is how many bytes of the version's pack, from pack_at on, are its
-- fields; the body follows. 0: they are in the column fields.
ALTER TABLE versions ADD COLUMN fields_size INTEGER NOT NULL DEFAULT 0;

-- +goose Down
SELECT 'a store whose fields are compressed is not made one that cannot read them';
