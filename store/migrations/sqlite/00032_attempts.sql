-- Each attempt at an item, and what was logged about a run: kept as long as the
-- items of the run.

-- +goose Up

-- An attempt that did not close its item. The last one, and one under way, are the
-- row of the item itself. began is when a worker took the item.
CREATE TABLE attempts (
    run    INTEGER NOT NULL,
    ord    INTEGER NOT NULL,
    began  INTEGER NOT NULL,
    ended  INTEGER NOT NULL,
    worker TEXT NOT NULL,
    how    TEXT NOT NULL,
    kind   TEXT NOT NULL,
    error  TEXT NOT NULL,
    pages  INTEGER NOT NULL,
    PRIMARY KEY (run, ord, began)
) WITHOUT ROWID;

CREATE TABLE run_logs (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    run     INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    level   INTEGER NOT NULL,
    item    TEXT NOT NULL,
    worker  TEXT NOT NULL,
    message TEXT NOT NULL,
    more    TEXT NOT NULL
);
CREATE INDEX run_logs_run ON run_logs (run, id);

-- How many lines of a run came: those up to the cap are kept. grave counts warnings
-- and errors, which have a cap of their own.
CREATE TABLE run_log_counts (
    run   INTEGER NOT NULL PRIMARY KEY,
    plain INTEGER NOT NULL,
    grave INTEGER NOT NULL
);

-- +goose Down
DROP TABLE run_log_counts;
DROP TABLE run_logs;
DROP TABLE attempts;
