-- What people were told is wrong, so that they are told when it is over.

-- +goose Up

-- rule is the notify rule that a message is of. given_up is when it was last tried
-- in vain, for good; 0: it was sent, or is tried again.
ALTER TABLE outbox ADD COLUMN rule text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE outbox ADD COLUMN given_up bigint NOT NULL DEFAULT 0;
UPDATE outbox SET given_up = created WHERE sent_at = 0 AND next_at = 9223372036854775807;
CREATE INDEX outbox_unsent ON outbox (campaign) WHERE sent_at = 0;

-- An alert is there from the message that announces it to the one that says it is
-- over. entry and key are '' for a rule about runs.
CREATE TABLE alerts (
    campaign text COLLATE "C" NOT NULL,
    rule     text COLLATE "C" NOT NULL,
    entry    text COLLATE "C" NOT NULL,
    key      text COLLATE "C" NOT NULL,
    outcome  text COLLATE "C" NOT NULL,
    message  bigint NOT NULL,
    at       bigint NOT NULL,
    PRIMARY KEY (campaign, rule, entry, key)
);
CREATE INDEX alerts_message ON alerts (message);

-- +goose Down
DROP TABLE alerts;
DROP INDEX outbox_unsent;
ALTER TABLE outbox DROP COLUMN given_up;
ALTER TABLE outbox DROP COLUMN rule;
