-- When a host rests, its items that were not tried yet wait with the one that it refused.

-- +goose Up
CREATE INDEX run_items_host ON run_items (run, host, not_before) WHERE state = 'open' AND started_at = 0;

-- +goose Down
DROP INDEX run_items_host;
