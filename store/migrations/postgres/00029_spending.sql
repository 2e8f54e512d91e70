-- What campaigns with a budget have spent, by entry, day (20261122, in the campaign's
-- time zone) and run. The row of day 0 holds nothing: who spends locks it.

-- +goose Up
CREATE TABLE spending (
    campaign  text NOT NULL,
    entry     text NOT NULL,
    day       bigint NOT NULL,
    run       bigint NOT NULL,
    requests  bigint NOT NULL,
    bytes     bigint NOT NULL,
    documents bigint NOT NULL,
    PRIMARY KEY (campaign, entry, day, run)
);

-- +goose Down
DROP TABLE spending;
