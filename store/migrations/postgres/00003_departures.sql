-- Departures to hosts that have a gap, booked for all processes together. Times
-- are of the database's own clock.

-- +goose Up

-- holder is the process that has the departure, until its lease ends; next_at is
-- the earliest moment of the next one.
CREATE TABLE departures (
    host        text COLLATE "C" NOT NULL PRIMARY KEY,
    holder      text COLLATE "C" NOT NULL,
    lease_until bigint NOT NULL,
    next_at     bigint NOT NULL
) WITH (fillfactor = 50);

-- Who waits for a host, one row a process: the more urgent first, and of equals
-- who came first. A place is kept until a moment only, lest the dead hold it.
CREATE TABLE waiters (
    host     text COLLATE "C" NOT NULL,
    holder   text COLLATE "C" NOT NULL,
    priority bigint NOT NULL,
    since    bigint NOT NULL,
    until    bigint NOT NULL,
    PRIMARY KEY (host, holder)
) WITH (fillfactor = 50);

-- +goose Down
DROP TABLE waiters;
DROP TABLE departures;
