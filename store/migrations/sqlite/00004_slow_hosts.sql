-- Hosts that are asked more slowly, because what they answered said that they were
-- in trouble.

-- +goose Up

-- slow is the gap in microseconds, 0: none of its own; slow_since is when it began.
ALTER TABLE host_states ADD COLUMN slow INTEGER NOT NULL DEFAULT 0;
ALTER TABLE host_states ADD COLUMN slow_why TEXT NOT NULL DEFAULT '';
ALTER TABLE host_states ADD COLUMN slow_since INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE host_states DROP COLUMN slow_since;
ALTER TABLE host_states DROP COLUMN slow_why;
ALTER TABLE host_states DROP COLUMN slow;
