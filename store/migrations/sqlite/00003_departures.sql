-- Departures to hosts that have a gap, booked for all processes together. Times
-- are of the database's own clock.

-- +goose Up

-- holder is the process that has the departure, until its lease ends; next_at is
-- the earliest moment of the next one.
CREATE TABLE departures (
    host        TEXT NOT NULL PRIMARY KEY,
    holder      TEXT NOT NULL,
    lease_until INTEGER NOT NULL,
    next_at     INTEGER NOT NULL
) WITHOUT ROWID;

-- Who waits for a host, one row a process: the more urgent first, and of equals
-- who came first. A place is kept until a moment only, lest the dead hold it.
CREATE TABLE waiters (
    host     TEXT NOT NULL,
    holder   TEXT NOT NULL,
    priority INTEGER NOT NULL,
    since    INTEGER NOT NULL,
    until    INTEGER NOT NULL,
    PRIMARY KEY (host, holder)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE waiters;
DROP TABLE departures;
