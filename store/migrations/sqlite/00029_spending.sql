-- What campaigns with a budget have spent, by entry, day (20261122, in the campaign's
-- time zone) and run. The row of day 0 holds nothing: who spends locks it.

-- +goose Up
CREATE TABLE spending (
    campaign  TEXT NOT NULL,
    entry     TEXT NOT NULL,
    day       INTEGER NOT NULL,
    run       INTEGER NOT NULL,
    requests  INTEGER NOT NULL,
    bytes     INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    PRIMARY KEY (campaign, entry, day, run)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE spending;
