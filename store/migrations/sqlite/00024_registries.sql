-- Registries: web services that say what to harvest, and their jobs.

-- +goose Up

-- every is in microseconds. etag and modified are the validators of the last
-- listing that was kept whole. warning is why listings are not acted on; accepted
-- the missing jobs that somebody agreed to lose. holder and held_until are the
-- claim of the process that syncs; sync counts these.
CREATE TABLE registries (
    name        TEXT PRIMARY KEY,
    url         TEXT NOT NULL,
    format      TEXT NOT NULL,
    every       INTEGER NOT NULL,
    header      TEXT NOT NULL DEFAULT '',
    paused      TEXT NOT NULL DEFAULT '',
    added_at    INTEGER NOT NULL,
    added_by    TEXT NOT NULL DEFAULT '',
    etag        TEXT NOT NULL DEFAULT '',
    modified    TEXT NOT NULL DEFAULT '',
    asked_at    INTEGER NOT NULL DEFAULT 0,
    listed_at   INTEGER NOT NULL DEFAULT 0,
    error       TEXT NOT NULL DEFAULT '',
    warning     TEXT NOT NULL DEFAULT '',
    accepted    TEXT NOT NULL DEFAULT '',
    holder      TEXT NOT NULL DEFAULT '',
    held_until  INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- listed is the digest of spec, applied that of the spec that the campaign was made
-- of. missing counts the listings in a row without the job. stamp is the service's
-- own mark of a change; ran and stopped are the last wishes for a run, and for its
-- end, that were fulfilled; again is the run that must end first. reported is
-- the digest of the last report that the service took, sequence its number.
CREATE TABLE registry_jobs (
    registry    TEXT NOT NULL,
    id          TEXT NOT NULL,
    campaign    TEXT NOT NULL,
    state       TEXT NOT NULL,
    spec        TEXT NOT NULL DEFAULT '',
    listed      TEXT NOT NULL DEFAULT '',
    applied     TEXT NOT NULL DEFAULT '',
    missing     INTEGER NOT NULL DEFAULT 0,
    problem     TEXT NOT NULL DEFAULT '',
    stamp       TEXT NOT NULL DEFAULT '',
    ran         TEXT NOT NULL DEFAULT '',
    stopped     TEXT NOT NULL DEFAULT '',
    again       TEXT NOT NULL DEFAULT '',
    reported    TEXT NOT NULL DEFAULT '',
    reported_at INTEGER NOT NULL DEFAULT 0,
    sequence    INTEGER NOT NULL DEFAULT 0,
    refused     TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (registry, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX registry_jobs_campaign ON registry_jobs (campaign);

-- +goose Down
DROP TABLE registry_jobs;
DROP TABLE registries;
