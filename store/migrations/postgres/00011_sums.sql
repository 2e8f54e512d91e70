-- What shows that a version is as it was written, and that none is missing.

-- +goose Up

-- sums is two CRC-32C: of what a version says, and of its body where that is not
-- kept under its digest; 0: from before. The sequence cut counts versions that
-- were removed: with those that are there they make up the change numbers.
ALTER TABLE versions ADD COLUMN sums bigint NOT NULL DEFAULT 0;
INSERT INTO sequences (name, value) SELECT 'cut', s.value - (SELECT count(*) FROM versions) FROM sequences s WHERE s.name = 'change';

-- +goose Down
SELECT 'a store that can be verified is not made one that cannot';
