-- FinTS on the pages (docs/decisions/138-fints-with-a-person.md): dialogues in which a person answers the bank, and files
-- that go by FinTS. The PIN is in neither.

-- question: what the bank asks, sealed; asked: how many questions there were, so that an answer is to one of them.
-- answer: of a person, sealed, until the dialogue reads it. outcome: a report for each file that was fetched, as JSON.
-- alive_until: by then the process that holds the dialogue has renewed it. All moments are of the real clock.
CREATE TABLE fints_dialogues (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    accounts text[] NOT NULL,
    file_id text NOT NULL DEFAULT '',
    person text NOT NULL,
    status text NOT NULL,
    asked integer NOT NULL DEFAULT 0,
    question text NOT NULL DEFAULT '',
    answer text NOT NULL DEFAULT '',
    outcome text NOT NULL DEFAULT '[]',
    error text,
    began_at timestamptz NOT NULL,
    alive_until timestamptz NOT NULL,
    ended_at timestamptz,
    PRIMARY KEY (shop_id, id)
);
-- Two tabs do not ask the bank at the same time.
CREATE UNIQUE INDEX fints_dialogues_open ON fints_dialogues (shop_id) WHERE status IN ('RUNNING', 'ASKING');

-- A transfer file that goes by FinTS. phase: recorded before each message that the bank may act on. said: what the bank
-- answered, or why it is not known. decided_by: the person who looked into the bank's list.
CREATE TABLE fints_uploads (
    shop_id uuid NOT NULL,
    file_id text NOT NULL,
    dialogue_id text NOT NULL,
    status text NOT NULL,
    phase text NOT NULL,
    said text,
    decided_by text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    sent_at timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, file_id)
);
