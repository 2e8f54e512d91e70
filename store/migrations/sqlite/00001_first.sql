-- Times are microseconds since 1970 UTC, 0 is "not set". JSON is text, '' is
-- "not set". Names of things are text once, in campaigns and items; everything
-- else points at them by number, so that a rename moves two rows.

-- +goose Up

CREATE TABLE meta (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Numbers that are handed out inside the transaction that uses them: commit
-- order, without holes that a reader could fall into, never used again.
CREATE TABLE sequences (
    name  TEXT NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO sequences (name, value) VALUES ('change', 0);

CREATE TABLE campaigns (
    name    TEXT NOT NULL PRIMARY KEY,
    project TEXT NOT NULL,
    version INTEGER NOT NULL,
    paused  TEXT NOT NULL DEFAULT '',
    removed INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TABLE definitions (
    campaign   TEXT NOT NULL,
    version    INTEGER NOT NULL,
    digest     TEXT NOT NULL,
    spec       TEXT NOT NULL,
    author     TEXT NOT NULL,
    file       TEXT NOT NULL,
    line       INTEGER NOT NULL,
    revision   TEXT NOT NULL,
    applied_at INTEGER NOT NULL,
    PRIMARY KEY (campaign, version)
);

CREATE TABLE hosts (
    project     TEXT NOT NULL,
    name        TEXT NOT NULL,
    every       INTEGER NOT NULL,
    connections INTEGER NOT NULL,
    robots      TEXT NOT NULL,
    source      TEXT NOT NULL,
    PRIMARY KEY (project, name)
) WITHOUT ROWID;

CREATE TABLE host_states (
    name       TEXT NOT NULL PRIMARY KEY,
    rest_until INTEGER NOT NULL DEFAULT 0,
    rest_why   TEXT NOT NULL DEFAULT '',
    paused     TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;

CREATE TABLE lists (
    digest TEXT NOT NULL PRIMARY KEY,
    rows   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE list_parts (
    digest TEXT NOT NULL,
    part   INTEGER NOT NULL,
    lines  BLOB NOT NULL,
    PRIMARY KEY (digest, part)
);

CREATE TABLE events (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    at   INTEGER NOT NULL,
    who  TEXT NOT NULL,
    verb TEXT NOT NULL,
    what TEXT NOT NULL,
    note TEXT NOT NULL
);
CREATE INDEX events_what ON events (what, at);

-- A cleaned run keeps its row as a stub, because documents, ledger and
-- checkpoints go on naming it.
CREATE TABLE runs (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id      TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    campaign    TEXT NOT NULL,
    lane        TEXT NOT NULL,
    version     INTEGER NOT NULL,
    state       TEXT NOT NULL,
    exclusive   INTEGER NOT NULL,
    recorded    INTEGER NOT NULL DEFAULT 0,
    outcome     TEXT NOT NULL DEFAULT '',
    why         TEXT NOT NULL DEFAULT '',
    trigger_by  TEXT NOT NULL,
    started_by  TEXT NOT NULL,
    retry_of    TEXT NOT NULL,
    overrides   TEXT NOT NULL,
    processors  INTEGER NOT NULL,
    due_at      INTEGER NOT NULL,
    started_at  INTEGER NOT NULL,
    closed_at   INTEGER NOT NULL DEFAULT 0,
    deadline    INTEGER NOT NULL,
    stop        TEXT NOT NULL DEFAULT '',
    paused      TEXT NOT NULL DEFAULT '',
    items       INTEGER NOT NULL DEFAULT 0,
    tally       TEXT NOT NULL DEFAULT '',
    totals      TEXT NOT NULL DEFAULT '',
    summary     TEXT NOT NULL DEFAULT '',
    epoch       INTEGER NOT NULL,
    cleaned     INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX runs_run_id ON runs (run_id);
CREATE UNIQUE INDEX runs_gate ON runs (campaign, lane) WHERE exclusive = 1 AND state IN ('opening', 'open');
CREATE INDEX runs_campaign ON runs (campaign, started_at);
CREATE INDEX runs_started ON runs (started_at);
CREATE INDEX runs_workflow ON runs (workflow_id);
CREATE INDEX runs_live ON runs (state) WHERE state <> 'closed';

-- The changes of an item lie between first_change and last_change: that bounds a
-- search among versions, which has no index by item, because each new document
-- would have to pay for it.
CREATE TABLE items (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    campaign     TEXT NOT NULL,
    entry        TEXT NOT NULL,
    key          TEXT NOT NULL,
    fetcher      TEXT NOT NULL DEFAULT '',
    label        TEXT NOT NULL DEFAULT '',
    host         TEXT NOT NULL DEFAULT '',
    outcome      TEXT NOT NULL DEFAULT '',
    severity     INTEGER NOT NULL DEFAULT -1,
    kind         TEXT NOT NULL DEFAULT '',
    why          TEXT NOT NULL DEFAULT '',
    streak       INTEGER NOT NULL DEFAULT 0,
    last_run     INTEGER NOT NULL DEFAULT 0,
    last_at      INTEGER NOT NULL DEFAULT 0,
    last_good    INTEGER NOT NULL DEFAULT 0,
    last_new     INTEGER NOT NULL DEFAULT 0,
    last_listed  INTEGER NOT NULL DEFAULT 0,
    first_change INTEGER NOT NULL DEFAULT 0,
    last_change  INTEGER NOT NULL DEFAULT 0,
    documents    INTEGER NOT NULL DEFAULT 0,
    first_seen   INTEGER NOT NULL,
    paused       TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX items_name ON items (campaign, entry, key);

CREATE TABLE checkpoints (
    item       INTEGER NOT NULL,
    lane       TEXT NOT NULL,
    version    INTEGER NOT NULL,
    value      TEXT NOT NULL,
    params     TEXT NOT NULL,
    extraction TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    run        INTEGER NOT NULL,
    PRIMARY KEY (item, lane)
) WITHOUT ROWID;

-- What a claim's census reads stands first. seq is the last committed page, and
-- page its tally: what a page whose COMMIT answer was lost is answered with.
CREATE TABLE run_items (
    run          INTEGER NOT NULL,
    ord          INTEGER NOT NULL,
    state        TEXT NOT NULL DEFAULT 'open',
    epoch        INTEGER NOT NULL DEFAULT 0,
    lost         INTEGER NOT NULL DEFAULT 0,
    not_before   INTEGER NOT NULL DEFAULT 0,
    item         INTEGER NOT NULL,
    attempts     INTEGER NOT NULL DEFAULT 0,
    throttles    INTEGER NOT NULL DEFAULT 0,
    seq          INTEGER NOT NULL DEFAULT 0,
    done         INTEGER NOT NULL DEFAULT 0,
    total        INTEGER NOT NULL DEFAULT 0,
    listed       INTEGER NOT NULL DEFAULT 0,
    new          INTEGER NOT NULL DEFAULT 0,
    changed      INTEGER NOT NULL DEFAULT 0,
    same         INTEGER NOT NULL DEFAULT 0,
    deleted      INTEGER NOT NULL DEFAULT 0,
    quarantined  INTEGER NOT NULL DEFAULT 0,
    asked        INTEGER NOT NULL DEFAULT 0,
    bytes        INTEGER NOT NULL DEFAULT 0,
    not_modified INTEGER NOT NULL DEFAULT 0,
    partial      INTEGER NOT NULL DEFAULT 0,
    live         INTEGER NOT NULL DEFAULT 0,
    page         TEXT NOT NULL DEFAULT '',
    started_at   INTEGER NOT NULL DEFAULT 0,
    closed_at    INTEGER NOT NULL DEFAULT 0,
    outcome      TEXT NOT NULL DEFAULT '',
    why          TEXT NOT NULL DEFAULT '',
    kind         TEXT NOT NULL DEFAULT '',
    error        TEXT NOT NULL DEFAULT '',
    worker       TEXT NOT NULL DEFAULT '',
    warnings     TEXT NOT NULL DEFAULT '',
    label        TEXT NOT NULL,
    fetcher      TEXT NOT NULL,
    host         TEXT NOT NULL,
    policy       TEXT NOT NULL,
    params       TEXT NOT NULL,
    PRIMARY KEY (run, ord)
) WITHOUT ROWID;
CREATE UNIQUE INDEX run_items_item ON run_items (run, item);

-- The newest attempt that asked for a range: an older one gets nothing more.
CREATE TABLE claims (
    run   INTEGER NOT NULL,
    lo    INTEGER NOT NULL,
    hi    INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    PRIMARY KEY (run, lo, hi)
) WITHOUT ROWID;

-- Every version of every document, by change number: the change feed, the
-- history and the content in one table that only grows at its end.
CREATE TABLE versions (
    number     INTEGER NOT NULL PRIMARY KEY,
    item       INTEGER NOT NULL,
    run        INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    op         INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    before     INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    published  INTEGER,
    size       INTEGER NOT NULL,
    pack       INTEGER NOT NULL,
    pack_at    INTEGER NOT NULL,
    collection TEXT NOT NULL,
    id         TEXT NOT NULL,
    kind       TEXT NOT NULL,
    url        TEXT NOT NULL,
    title      TEXT NOT NULL,
    parent     TEXT NOT NULL,
    media_type TEXT NOT NULL,
    hash       BLOB NOT NULL,
    body_ref   TEXT NOT NULL,
    fields     TEXT NOT NULL,
    body       BLOB
);
CREATE INDEX versions_body_ref ON versions (body_ref) WHERE body_ref <> '';

-- Bodies of neighbouring documents, compressed together: a third of the time and
-- of the space that compressing each alone would take. live counts the versions
-- that point here.
CREATE TABLE packs (
    id      INTEGER PRIMARY KEY,
    live    INTEGER NOT NULL,
    content BLOB NOT NULL
);

-- The current version of each document, and what a write compares with.
CREATE TABLE documents (
    collection TEXT NOT NULL,
    id         TEXT NOT NULL,
    number     INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    deleted    INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    hash       BLOB NOT NULL,
    PRIMARY KEY (collection, id)
) WITHOUT ROWID;

CREATE TABLE ledger (
    id          INTEGER PRIMARY KEY,
    run         INTEGER NOT NULL,
    ord         INTEGER NOT NULL,
    seq         INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,
    item        INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    status      INTEGER NOT NULL,
    bytes       INTEGER NOT NULL,
    took        INTEGER NOT NULL,
    waited      INTEGER NOT NULL,
    retry_after INTEGER NOT NULL,
    method      TEXT NOT NULL,
    url         TEXT NOT NULL,
    host        TEXT NOT NULL,
    kind        TEXT NOT NULL,
    error       TEXT NOT NULL,
    raw         TEXT NOT NULL,
    note        TEXT NOT NULL,
    worker      TEXT NOT NULL
);
CREATE INDEX ledger_run ON ledger (run, ord);
CREATE INDEX ledger_raw ON ledger (raw) WHERE raw <> '';

CREATE TABLE quarantine (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    item     INTEGER NOT NULL,
    run      INTEGER NOT NULL,
    seq      INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    record   TEXT NOT NULL,
    reason   TEXT NOT NULL,
    size     INTEGER NOT NULL,
    bytes    BLOB,
    accepted INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX quarantine_run ON quarantine (run);
CREATE INDEX quarantine_item ON quarantine (item);

CREATE TABLE outbox (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    run      INTEGER NOT NULL,
    campaign TEXT NOT NULL,
    address  TEXT NOT NULL,
    payload  TEXT NOT NULL,
    created  INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at  INTEGER NOT NULL,
    sent_at  INTEGER NOT NULL DEFAULT 0,
    error    TEXT NOT NULL DEFAULT ''
);
CREATE INDEX outbox_due ON outbox (next_at) WHERE sent_at = 0;

-- +goose Down
SELECT 'there is no way back to before the first version';
