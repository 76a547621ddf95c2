-- Replays (D-124): a shop's own past, played in a sandbox shop of its own. One per shop; the rows below belong to the replay's shop, except for this one.
CREATE TABLE replays (
    shop_id uuid NOT NULL,
    replay_shop uuid NOT NULL,
    status text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    orders integer DEFAULT 0 NOT NULL,
    refused integer DEFAULT 0 NOT NULL,
    rows integer DEFAULT 0 NOT NULL,
    played integer DEFAULT 0 NOT NULL,
    day date,
    error text DEFAULT '' NOT NULL,
    notes text DEFAULT '' NOT NULL,
    result text DEFAULT '' NOT NULL,
    PRIMARY KEY (shop_id),
    CONSTRAINT replays_status_check CHECK ((status = ANY (ARRAY['reading'::text, 'playing'::text, 'finished'::text, 'failed'::text, 'erasing'::text])))
);

-- Input of a replay that was not played yet, by the day on which it comes; sealed.
CREATE TABLE replay_parts (
    shop_id uuid NOT NULL,
    day date NOT NULL,
    kind text NOT NULL,
    place integer NOT NULL,
    name text DEFAULT '' NOT NULL,
    rows integer NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (shop_id, day, kind, place),
    CONSTRAINT replay_parts_kind_check CHECK ((kind = ANY (ARRAY['orders-file'::text, 'statement-file'::text, 'decisions-file'::text, 'orders'::text, 'statement'::text, 'decisions'::text])))
);

-- What became of each posting on the day on which it came, beside what the other system had decided (NULL: nothing is known).
CREATE TABLE replay_outcomes (
    shop_id uuid NOT NULL,
    posting_id text NOT NULL,
    came_on date NOT NULL,
    outcome text NOT NULL,
    ours text[] NOT NULL,
    theirs text[],
    verdict text DEFAULT '' NOT NULL,
    our_facts text[] DEFAULT '{}' NOT NULL,
    their_facts text[] DEFAULT '{}' NOT NULL,
    PRIMARY KEY (shop_id, posting_id)
);
CREATE INDEX replay_outcomes_to_see ON replay_outcomes USING btree (shop_id, outcome, verdict);
