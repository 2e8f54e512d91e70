-- The gap that a host's own robots.txt asks for, for all workers.

-- +goose Up

-- delay is in microseconds, and holds until delay_until by the database's clock.
ALTER TABLE host_states ADD COLUMN delay INTEGER NOT NULL DEFAULT 0;
ALTER TABLE host_states ADD COLUMN delay_until INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE host_states DROP COLUMN delay_until;
ALTER TABLE host_states DROP COLUMN delay;
