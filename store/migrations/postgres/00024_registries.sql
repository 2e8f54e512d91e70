-- Registries: web services that say what to harvest, and their jobs.

-- +goose Up

-- every is in microseconds. etag and modified are the validators of the last
-- listing that was kept whole. warning is why listings are not acted on; accepted
-- the missing jobs that somebody agreed to lose. holder and held_until are the
-- claim of the process that syncs; sync counts these.
CREATE TABLE registries (
    name        text COLLATE "C" PRIMARY KEY,
    url         text COLLATE "C" NOT NULL,
    format      text COLLATE "C" NOT NULL,
    every       bigint NOT NULL,
    header      text COLLATE "C" NOT NULL DEFAULT '',
    paused      text COLLATE "C" NOT NULL DEFAULT '',
    added_at    bigint NOT NULL,
    added_by    text COLLATE "C" NOT NULL DEFAULT '',
    etag        text COLLATE "C" NOT NULL DEFAULT '',
    modified    text COLLATE "C" NOT NULL DEFAULT '',
    asked_at    bigint NOT NULL DEFAULT 0,
    listed_at   bigint NOT NULL DEFAULT 0,
    error       text COLLATE "C" NOT NULL DEFAULT '',
    warning     text COLLATE "C" NOT NULL DEFAULT '',
    accepted    text COLLATE "C" NOT NULL DEFAULT '',
    holder      text COLLATE "C" NOT NULL DEFAULT '',
    held_until  bigint NOT NULL DEFAULT 0
);

-- listed is the digest of spec, applied that of the spec that the campaign was made
-- of. missing counts the listings in a row without the job. stamp is the service's
-- own mark of a change; ran and stopped are the last wishes for a run, and for its
-- end, that were fulfilled; again is the run that must end first. reported is
-- the digest of the last report that the service took, sequence its number.
CREATE TABLE registry_jobs (
    registry    text COLLATE "C" NOT NULL,
    id          text COLLATE "C" NOT NULL,
    campaign    text COLLATE "C" NOT NULL,
    state       text COLLATE "C" NOT NULL,
    spec        text COLLATE "C" NOT NULL DEFAULT '',
    listed      text COLLATE "C" NOT NULL DEFAULT '',
    applied     text COLLATE "C" NOT NULL DEFAULT '',
    missing     bigint NOT NULL DEFAULT 0,
    problem     text COLLATE "C" NOT NULL DEFAULT '',
    stamp       text COLLATE "C" NOT NULL DEFAULT '',
    ran         text COLLATE "C" NOT NULL DEFAULT '',
    stopped     text COLLATE "C" NOT NULL DEFAULT '',
    again       text COLLATE "C" NOT NULL DEFAULT '',
    reported    text COLLATE "C" NOT NULL DEFAULT '',
    reported_at bigint NOT NULL DEFAULT 0,
    sequence    bigint NOT NULL DEFAULT 0,
    refused     text COLLATE "C" NOT NULL DEFAULT '',
    PRIMARY KEY (registry, id)
);
CREATE UNIQUE INDEX registry_jobs_campaign ON registry_jobs (campaign);

-- +goose Down
DROP TABLE registry_jobs;
DROP TABLE registries;
