-- An item under which workers die again and again, without a page between.

-- +goose Up

-- stuck counts the workers that died under an item since its last page, which was
-- stuck_at.
ALTER TABLE run_items ADD COLUMN stuck INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_items ADD COLUMN stuck_at INTEGER NOT NULL DEFAULT 0;

-- +goose Down
SELECT 'a store that knows stuck items is not made one that does not';
