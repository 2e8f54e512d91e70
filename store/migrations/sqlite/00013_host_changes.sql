-- What was said about hosts since a worker looked last.

-- +goose Up

-- changed counts all changes, changed_at is when, by the database's clock. The
-- sequence 'host files' is the change at which files said something else.
ALTER TABLE host_states ADD COLUMN changed INTEGER NOT NULL DEFAULT 1;
ALTER TABLE host_states ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;
UPDATE host_states SET changed_at = CAST(unixepoch('subsec') * 1000000 AS INTEGER);
CREATE INDEX host_states_changed ON host_states (changed);
INSERT INTO sequences (name, value) VALUES ('hosts', 1), ('host files', 1);

-- +goose Down
SELECT 'a store that counts changes of hosts is not made one that does not';
