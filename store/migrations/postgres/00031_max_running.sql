-- How many runs of a registry's campaigns may go on at once; 0: no bound.

-- +goose Up
ALTER TABLE registries ADD COLUMN max_running bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE registries DROP COLUMN max_running;
