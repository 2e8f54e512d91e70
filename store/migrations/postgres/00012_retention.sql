-- What retention looks for, so that it finds it without reading whole tables.

-- +goose Up

CREATE INDEX versions_replaced ON versions (at, number) WHERE before > 0;
CREATE INDEX ledger_raw_at ON ledger (at, id) WHERE raw <> '';
CREATE INDEX quarantine_settled ON quarantine (at, id) WHERE (accepted > 0 OR resolved > 0);
CREATE INDEX runs_kept ON runs (campaign, recorded, started_at DESC, id DESC) WHERE cleaned = 0;
CREATE INDEX outbox_run ON outbox (run);

-- +goose Down
SELECT 'the indexes cost little';
