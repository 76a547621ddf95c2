-- The tables of the first release, made by `lab/baseline.py` of the migrations that led to it. Policies, rights on
-- tables of shops and the eraser of the audit log are written by store/row_security.py in the same transaction.

CREATE FUNCTION amount_text(minor bigint, digits smallint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE digits WHEN 2 THEN (((minor)::numeric * 0.01))::text WHEN 0 THEN (((minor)::numeric * 1.00))::text WHEN 3 THEN (((minor)::numeric * 0.001))::text ELSE (((minor)::numeric * 0.0001))::text END;

CREATE FUNCTION date_text(day date) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN to_char((day)::timestamp with time zone, 'DD-MM-YYYY'::text);

CREATE FUNCTION minor_at_rate(minor bigint, digits smallint, rate numeric, other_digits integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (((minor)::numeric * power((10)::numeric, (other_digits)::numeric)) < ((rate * power((10)::numeric, (digits)::numeric)) * ('999999999999999'::bigint)::numeric)) THEN (div(((((2 * minor))::numeric * power((10)::numeric, (other_digits)::numeric)) + (rate * power((10)::numeric, (digits)::numeric))), (((2)::numeric * rate) * power((10)::numeric, (digits)::numeric))))::bigint ELSE NULL::bigint END;

CREATE TABLE shops (
    shop_id uuid NOT NULL,
    name text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    api boolean DEFAULT true NOT NULL,
    access text DEFAULT 'read-write'::text NOT NULL,
    currency text NOT NULL,
    country text NOT NULL,
    timezone text NOT NULL,
    language text DEFAULT 'en'::text NOT NULL,
    holder text DEFAULT ''::text NOT NULL,
    street text DEFAULT ''::text NOT NULL,
    house_number text DEFAULT ''::text NOT NULL,
    postcode text DEFAULT ''::text NOT NULL,
    city text DEFAULT ''::text NOT NULL,
    sandbox boolean DEFAULT false NOT NULL,
    sandbox_now timestamp with time zone,
    letters boolean DEFAULT false NOT NULL,
    accounts_locked boolean DEFAULT false NOT NULL,
    caution text DEFAULT 'normal'::text NOT NULL,
    learning boolean DEFAULT true NOT NULL,
    learnt text DEFAULT ''::text NOT NULL,
    tolerance_minor bigint DEFAULT 0 NOT NULL,
    fee_tolerance_minor bigint DEFAULT 0 NOT NULL,
    discount_basis_points integer DEFAULT 0 NOT NULL,
    callbacks boolean DEFAULT false NOT NULL,
    callback_url text DEFAULT ''::text NOT NULL,
    callback_access_code text NOT NULL,
    callback_success text DEFAULT '200'::text NOT NULL,
    callbacks_paused_at timestamp with time zone,
    webhook_secret text NOT NULL,
    webhook_secret_old text DEFAULT ''::text NOT NULL,
    webhook_secret_old_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    sandbox_held_until timestamp with time zone,
    transfer_version text DEFAULT '09'::text NOT NULL,
    refund_runs boolean DEFAULT true NOT NULL,
    reminders boolean DEFAULT false NOT NULL,
    payment_information boolean DEFAULT false NOT NULL,
    mail_from text DEFAULT ''::text NOT NULL,
    mail_name text DEFAULT ''::text NOT NULL,
    reply_to text DEFAULT ''::text NOT NULL,
    dunning_plan text DEFAULT ''::text NOT NULL,
    sandbox_bank_silent boolean DEFAULT false NOT NULL,
    sandbox_told_until date,
    sandbox_stands boolean DEFAULT false NOT NULL,
    keep_mail_days integer DEFAULT 365,
    statements_api boolean DEFAULT false NOT NULL,
    refund_limit_minor bigint DEFAULT 50000 NOT NULL,
    refund_day_limit_minor bigint DEFAULT 500000 NOT NULL,
    refund_four_eyes_minor bigint DEFAULT 1000000 NOT NULL,
    callback_ports integer[] DEFAULT '{}'::integer[] NOT NULL,
    invoice_quota_mb integer,
    ordersync_guard boolean DEFAULT false NOT NULL,
    callback_grace_seconds integer DEFAULT 10 NOT NULL,
    request_log text DEFAULT 'bodies'::text NOT NULL,
    second_factor text DEFAULT 'off'::text NOT NULL,
    ledger_chart text DEFAULT 'SKR04'::text NOT NULL,
    ledger_bank text DEFAULT ''::text NOT NULL,
    ledger_debtors text DEFAULT ''::text NOT NULL,
    ledger_revenue text DEFAULT ''::text NOT NULL,
    ledger_fees text DEFAULT ''::text NOT NULL,
    ledger_clearing text DEFAULT ''::text NOT NULL,
    datev_consultant text DEFAULT ''::text NOT NULL,
    datev_client text DEFAULT ''::text NOT NULL,
    fiscal_year_month smallint DEFAULT 1 NOT NULL,
    accent text DEFAULT ''::text NOT NULL,
    contact_email text DEFAULT ''::text NOT NULL,
    contact_phone text DEFAULT ''::text NOT NULL,
    website text DEFAULT ''::text NOT NULL,
    legal_footer text DEFAULT ''::text NOT NULL,
    refund_requests boolean DEFAULT true NOT NULL,
    letter_paper text DEFAULT ''::text NOT NULL,
    letters_by text DEFAULT 'printer'::text NOT NULL,
    invoice_letters text DEFAULT 'cover'::text NOT NULL,
    letter_duplex boolean DEFAULT false NOT NULL,
    letter_colour boolean DEFAULT false NOT NULL,
    letter_alert_days integer DEFAULT 3 NOT NULL,
    lapse_after_days integer,
    payment_thanks boolean DEFAULT false NOT NULL,
    letter_print_hour integer,
    print_key text DEFAULT ''::text NOT NULL,
    keep_payer_days integer DEFAULT 730,
    keep_order_years integer DEFAULT 10,
    keep_deleted_days integer DEFAULT 30 NOT NULL,
    deleted_at timestamp with time zone,
    purged_at timestamp with time zone,
    exports text DEFAULT ''::text NOT NULL,
    export_every text DEFAULT 'off'::text NOT NULL,
    export_to text DEFAULT 'folder'::text NOT NULL,
    exported_until date,
    datev_tax_keys text DEFAULT ''::text NOT NULL,
    datev_rates text DEFAULT ''::text NOT NULL,
    datev_links text DEFAULT ''::text NOT NULL,
    keep_invoice_days integer,
    keep_drop_days integer,
    bank_charge_basis_points integer DEFAULT 500 NOT NULL,
    bank_charge_limit_minor bigint DEFAULT 3000 NOT NULL,
    reminder_minimum_minor bigint DEFAULT 100 NOT NULL,
    fees_bounded_since timestamp with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    transfer_characters text DEFAULT ''::text NOT NULL,
    setup_skipped text[] DEFAULT '{}'::text[] NOT NULL,
    trial_mail_at timestamp with time zone,
    live_at timestamp with time zone,
    invoice_terms boolean DEFAULT true NOT NULL,
    imprint_url text DEFAULT ''::text NOT NULL,
    privacy_url text DEFAULT ''::text NOT NULL,
    ledger_credits text DEFAULT ''::text NOT NULL,
    ledger_income text DEFAULT ''::text NOT NULL,
    ledger_losses text DEFAULT ''::text NOT NULL,
    use_credit boolean DEFAULT false NOT NULL,
    ledger_reminder_fees text DEFAULT ''::text NOT NULL,
    ledger_transit text DEFAULT ''::text NOT NULL,
    ledger_set_paid text DEFAULT ''::text NOT NULL,
    ledger_currency text DEFAULT ''::text NOT NULL,
    CONSTRAINT shops_accent_check CHECK ((accent ~ '^(#[0-9a-f]{6})?$'::text)),
    CONSTRAINT shops_access_check CHECK ((access = ANY (ARRAY['read-write'::text, 'read-only'::text]))),
    CONSTRAINT shops_bank_charge_basis_points_check CHECK (((bank_charge_basis_points >= 0) AND (bank_charge_basis_points <= 2000))),
    CONSTRAINT shops_bank_charge_limit_minor_check CHECK ((bank_charge_limit_minor >= 0)),
    CONSTRAINT shops_callback_grace_seconds_check CHECK (((callback_grace_seconds >= 0) AND (callback_grace_seconds <= 300))),
    CONSTRAINT shops_callback_success_check CHECK ((callback_success = ANY (ARRAY['200'::text, '2xx'::text]))),
    CONSTRAINT shops_caution_check CHECK ((caution = ANY (ARRAY['cautious'::text, 'normal'::text, 'bold'::text]))),
    CONSTRAINT shops_datev_links_check CHECK ((datev_links = ANY (ARRAY[''::text, 'BEDI'::text, 'DDMS'::text]))),
    CONSTRAINT shops_discount_basis_points_check CHECK (((discount_basis_points >= 0) AND (discount_basis_points <= 2000))),
    CONSTRAINT shops_export_every_check CHECK ((export_every = ANY (ARRAY['off'::text, 'day'::text, 'week'::text, 'month'::text]))),
    CONSTRAINT shops_fee_tolerance_minor_check CHECK ((fee_tolerance_minor >= 0)),
    CONSTRAINT shops_fiscal_year_month_check CHECK (((fiscal_year_month >= 1) AND (fiscal_year_month <= 12))),
    CONSTRAINT shops_invoice_letters_check CHECK ((invoice_letters = ANY (ARRAY['cover'::text, 'as-is'::text, 'off'::text]))),
    CONSTRAINT shops_invoice_quota_mb_check CHECK ((invoice_quota_mb > 0)),
    CONSTRAINT shops_keep_deleted_days_check CHECK ((keep_deleted_days > 0)),
    CONSTRAINT shops_keep_drop_days_check CHECK ((keep_drop_days > 0)),
    CONSTRAINT shops_keep_invoice_days_check CHECK ((keep_invoice_days > 0)),
    CONSTRAINT shops_keep_mail_days_check CHECK ((keep_mail_days > 0)),
    CONSTRAINT shops_keep_order_years_check CHECK ((keep_order_years >= 8)),
    CONSTRAINT shops_keep_payer_days_check CHECK ((keep_payer_days > 0)),
    CONSTRAINT shops_lapse_after_days_check CHECK ((lapse_after_days > 0)),
    CONSTRAINT shops_ledger_chart_check CHECK ((ledger_chart = ANY (ARRAY['SKR03'::text, 'SKR04'::text]))),
    CONSTRAINT shops_letter_alert_days_check CHECK ((letter_alert_days > 0)),
    CONSTRAINT shops_letter_paper_check CHECK ((letter_paper = ANY (ARRAY[''::text, 'din-5008'::text, 'swiss-right'::text, 'swiss-left'::text]))),
    CONSTRAINT shops_letter_print_hour_check CHECK (((letter_print_hour >= 0) AND (letter_print_hour <= 23))),
    CONSTRAINT shops_letters_by_check CHECK ((letters_by = ANY (ARRAY['printer'::text, 'provider'::text]))),
    CONSTRAINT shops_refund_day_limit_minor_check CHECK ((refund_day_limit_minor >= 0)),
    CONSTRAINT shops_refund_four_eyes_minor_check CHECK ((refund_four_eyes_minor >= 0)),
    CONSTRAINT shops_refund_limit_minor_check CHECK ((refund_limit_minor >= 0)),
    CONSTRAINT shops_reminder_minimum_minor_check CHECK ((reminder_minimum_minor >= 0)),
    CONSTRAINT shops_request_log_check CHECK ((request_log = ANY (ARRAY['off'::text, 'requests'::text, 'bodies'::text]))),
    CONSTRAINT shops_second_factor_check CHECK ((second_factor = ANY (ARRAY['off'::text, 'money'::text, 'all'::text]))),
    CONSTRAINT shops_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'deleted'::text]))),
    CONSTRAINT shops_tolerance_minor_check CHECK ((tolerance_minor >= 0)),
    CONSTRAINT shops_transfer_characters_check CHECK ((transfer_characters = ANY (ARRAY[''::text, 'sepa'::text, 'umlauts'::text]))),
    CONSTRAINT shops_transfer_version_check CHECK ((transfer_version = ANY (ARRAY['09'::text, '03'::text])))
);

ALTER TABLE ONLY shops
    ADD CONSTRAINT shops_pkey PRIMARY KEY (shop_id);

CREATE TABLE api_keys (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    hash bytea NOT NULL,
    hint text NOT NULL,
    label text DEFAULT ''::text NOT NULL,
    scope text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT api_keys_scope_check CHECK ((scope ~ '^(read|orders|refunds|statements|collection|read-write)(,(read|orders|refunds|statements|collection|read-write))*$'::text))
);

ALTER TABLE ONLY api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (shop_id, id);

ALTER TABLE ONLY api_keys
    ADD CONSTRAINT api_keys_shop_id_hash_key UNIQUE (shop_id, hash);

CREATE TABLE bank_accounts (
    shop_id uuid NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    bic text DEFAULT ''::text NOT NULL,
    bank_name text DEFAULT ''::text NOT NULL,
    holder text DEFAULT ''::text NOT NULL,
    confirmed boolean NOT NULL,
    csv_profile text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY bank_accounts
    ADD CONSTRAINT bank_accounts_pkey PRIMARY KEY (shop_id, account, currency);

CREATE TABLE orders (
    shop_id uuid NOT NULL,
    number text NOT NULL,
    doc text NOT NULL,
    type text NOT NULL,
    order_date date NOT NULL,
    due_date date,
    currency text NOT NULL,
    digits smallint NOT NULL,
    amount_minor bigint NOT NULL,
    exchange_rate numeric,
    status text NOT NULL,
    mark text,
    postings_minor bigint DEFAULT 0 NOT NULL,
    refunded_minor bigint DEFAULT 0 NOT NULL,
    last_posting_date date,
    reference text NOT NULL,
    payment_info_at timestamp with time zone,
    dunning_level integer DEFAULT 0 NOT NULL,
    initial_dunning_level integer DEFAULT 0 NOT NULL,
    stop_reminder boolean DEFAULT false NOT NULL,
    event_count integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    mail_problem text DEFAULT ''::text NOT NULL,
    reference_given boolean DEFAULT false NOT NULL,
    reminders_stopped boolean DEFAULT false NOT NULL,
    submitted_at timestamp with time zone,
    since_date date DEFAULT '0001-01-01'::date NOT NULL,
    mail_refusal text DEFAULT ''::text NOT NULL,
    rate_before numeric,
    made_here boolean DEFAULT false NOT NULL,
    invoice_terms text DEFAULT ''::text NOT NULL,
    CONSTRAINT orders_mark_check CHECK ((mark = ANY (ARRAY['PAID'::text, 'CANCELLED'::text, 'DISAPPEARED'::text, 'LEGACY'::text, 'COLLECTION'::text])))
)
WITH (autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='5000');

ALTER TABLE ONLY orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (shop_id, number);

CREATE INDEX orders_by_change ON orders USING btree (shop_id, updated_at);

CREATE INDEX orders_by_date ON orders USING btree (shop_id, order_date, number);

CREATE INDEX orders_by_last_posting ON orders USING btree (shop_id, last_posting_date) WHERE (last_posting_date IS NOT NULL);

CREATE UNIQUE INDEX orders_by_reference ON orders USING btree (shop_id, reference);

CREATE INDEX orders_by_status ON orders USING btree (shop_id, status, order_date, number);

CREATE INDEX orders_made_here ON orders USING btree (shop_id, order_date DESC, number DESC) WHERE made_here;

CREATE INDEX orders_of_unusual_rates ON orders USING btree (shop_id, number) WHERE (rate_before IS NOT NULL);

CREATE INDEX orders_open ON orders USING btree (shop_id, created_at) WHERE (status = ANY (ARRAY['UNPAID'::text, 'PAID_PARTIAL'::text]));

CREATE INDEX orders_with_mail_problem ON orders USING btree (shop_id, created_at) WHERE ((mail_problem <> ''::text) AND (status = ANY (ARRAY['UNPAID'::text, 'PAID_PARTIAL'::text])));

CREATE TABLE match_keys (
    shop_id uuid NOT NULL,
    key bigint NOT NULL,
    number text NOT NULL,
    while_open boolean NOT NULL
)
WITH (autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='50000');

ALTER TABLE ONLY match_keys
    ADD CONSTRAINT match_keys_pkey PRIMARY KEY (shop_id, key, number);

CREATE INDEX match_keys_by_number ON match_keys USING btree (number, shop_id) INCLUDE (while_open);

CREATE TABLE invoices (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    invoice_number text NOT NULL,
    file_key text NOT NULL,
    media_type text NOT NULL,
    size_bytes bigint NOT NULL,
    sha256 bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    terms text DEFAULT ''::text NOT NULL
);

ALTER TABLE ONLY invoices
    ADD CONSTRAINT invoices_pkey PRIMARY KEY (shop_id, order_number, invoice_number);

CREATE TABLE imports (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    file_name text NOT NULL,
    sha256 bytea NOT NULL,
    format text NOT NULL,
    version text NOT NULL,
    size_bytes bigint NOT NULL,
    status text NOT NULL,
    result text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    undone_at timestamp with time zone,
    channel text NOT NULL,
    CONSTRAINT imports_channel_check CHECK ((channel = ANY (ARRAY['api'::text, 'drop-folder'::text, 'fints'::text, 'command-line'::text, 'area'::text, 'sandbox-bank'::text, 'unknown'::text]))),
    CONSTRAINT imports_status_check CHECK ((status = ANY (ARRAY['BOOKED'::text, 'UNDONE'::text])))
);

ALTER TABLE ONLY imports
    ADD CONSTRAINT imports_pkey PRIMARY KEY (shop_id, id);

CREATE INDEX imports_by_file ON imports USING btree (shop_id, sha256);

CREATE TABLE statements (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    import_id text NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    format text NOT NULL,
    source text NOT NULL,
    statement_id text NOT NULL,
    sequence text NOT NULL,
    first_date date,
    last_date date,
    opening_minor bigint,
    closing_minor bigint,
    booked_minor bigint NOT NULL,
    flags text[] DEFAULT '{}'::text[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    page integer,
    since_date date DEFAULT '0001-01-01'::date NOT NULL,
    course text
);

ALTER TABLE ONLY statements
    ADD CONSTRAINT statements_pkey PRIMARY KEY (shop_id, id);

CREATE INDEX statements_by_account ON statements USING btree (shop_id, account, currency, last_date);

CREATE INDEX statements_by_import ON statements USING btree (shop_id, import_id);

CREATE TABLE import_errors (
    shop_id uuid NOT NULL,
    import_id text NOT NULL,
    "position" integer NOT NULL,
    line integer NOT NULL,
    reason text NOT NULL,
    raw text NOT NULL,
    resolved_at timestamp with time zone,
    resolved_by text DEFAULT ''::text NOT NULL,
    statement_id text DEFAULT ''::text NOT NULL,
    resolved_minor bigint,
    reason_message text DEFAULT ''::text NOT NULL
);

ALTER TABLE ONLY import_errors
    ADD CONSTRAINT import_errors_pkey PRIMARY KEY (shop_id, import_id, "position");

CREATE TABLE postings (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    import_id text NOT NULL,
    statement_id text NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    digits smallint NOT NULL,
    amount_minor bigint NOT NULL,
    booking_date date NOT NULL,
    value_date date,
    bank_reference text NOT NULL,
    entry_reference text NOT NULL,
    batch_id text NOT NULL,
    is_return boolean NOT NULL,
    end_to_end_id text NOT NULL,
    counterparty_name text NOT NULL,
    counterparty_iban text NOT NULL,
    remittance text NOT NULL,
    facts text NOT NULL,
    source text NOT NULL,
    format text NOT NULL,
    status text NOT NULL,
    by_hand boolean DEFAULT false NOT NULL,
    aside_reason text DEFAULT ''::text NOT NULL,
    collective boolean DEFAULT false NOT NULL,
    allocated_minor bigint DEFAULT 0 NOT NULL,
    decision text DEFAULT ''::text NOT NULL,
    decided_at timestamp with time zone,
    rematch_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    taken_back text[] DEFAULT '{}'::text[] NOT NULL,
    counterparty_has_iban boolean DEFAULT false NOT NULL,
    counterparty_account_end text DEFAULT ''::text NOT NULL,
    by_rule text DEFAULT ''::text NOT NULL,
    since_date date DEFAULT '0001-01-01'::date NOT NULL,
    matched_by text DEFAULT ''::text NOT NULL,
    CONSTRAINT postings_source_check CHECK ((source = ANY (ARRAY['FINAL'::text, 'INTRADAY'::text, 'NOTIFICATION'::text]))),
    CONSTRAINT postings_status_check CHECK ((status = ANY (ARRAY['matched'::text, 'suggested'::text, 'unmatched'::text, 'ignored'::text])))
)
WITH (autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='5000');

ALTER TABLE ONLY postings
    ADD CONSTRAINT postings_pkey PRIMARY KEY (shop_id, id);

CREATE INDEX postings_announced ON postings USING btree (shop_id, booking_date) WHERE (source <> 'FINAL'::text);

CREATE INDEX postings_automatic ON postings USING btree (shop_id, decided_at DESC, id DESC) WHERE ((status = 'matched'::text) AND (NOT by_hand));

CREATE INDEX postings_by_account_end ON postings USING btree (shop_id, counterparty_account_end) WHERE (counterparty_account_end <> ''::text);

CREATE INDEX postings_by_day ON postings USING btree (shop_id, account, booking_date, amount_minor);

CREATE INDEX postings_by_counterparty ON postings USING btree (shop_id, counterparty_iban, booking_date) WHERE (counterparty_iban <> ''::text);

CREATE INDEX postings_by_created ON postings USING btree (shop_id, created_at, id);

CREATE INDEX postings_by_amount ON postings USING btree (shop_id, account, amount_minor, booking_date);

CREATE INDEX postings_by_end_to_end ON postings USING btree (shop_id, end_to_end_id) WHERE (end_to_end_id <> ''::text);

CREATE INDEX postings_by_entry ON postings USING btree (shop_id, account, entry_reference) WHERE (entry_reference <> ''::text);

CREATE INDEX postings_by_import ON postings USING btree (shop_id, import_id);

CREATE INDEX postings_decided ON postings USING btree (shop_id, decided_at DESC, id DESC) WHERE (by_hand AND (status = ANY (ARRAY['matched'::text, 'ignored'::text])));

CREATE INDEX postings_naming ON postings USING btree (shop_id, booking_date) WHERE ((counterparty_name <> ''::text) OR (counterparty_iban <> ''::text) OR (remittance <> ''::text));

CREATE INDEX postings_of_payouts ON postings USING btree (shop_id, counterparty_iban, booking_date) WHERE collective;

CREATE INDEX postings_open ON postings USING btree (shop_id, status, booking_date) WHERE (status = ANY (ARRAY['suggested'::text, 'unmatched'::text]));

CREATE INDEX postings_received ON postings USING btree (shop_id, booking_date) INCLUDE (currency, amount_minor) WHERE ((amount_minor > 0) AND (NOT is_return));

CREATE INDEX postings_recognised ON postings USING btree (shop_id, id) WHERE ((status = 'ignored'::text) AND (NOT by_hand));

CREATE INDEX postings_to_rematch ON postings USING btree (shop_id, decided_at NULLS FIRST, id) WHERE (rematch_at IS NOT NULL);

CREATE TABLE alerts (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    text text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    resolved_at timestamp with time zone,
    resolved_by_hand boolean DEFAULT false NOT NULL,
    code text DEFAULT ''::text NOT NULL,
    named jsonb DEFAULT '{}'::jsonb NOT NULL
);

ALTER TABLE ONLY alerts
    ADD CONSTRAINT alerts_pkey PRIMARY KEY (shop_id, id);

CREATE UNIQUE INDEX alerts_open ON alerts USING btree (shop_id, kind, subject) WHERE (resolved_at IS NULL);

CREATE TABLE posting_keys (
    shop_id uuid NOT NULL,
    key bigint NOT NULL,
    posting_id text NOT NULL
)
WITH (autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='5000');

ALTER TABLE ONLY posting_keys
    ADD CONSTRAINT posting_keys_pkey PRIMARY KEY (shop_id, key, posting_id);

CREATE INDEX posting_keys_by_posting ON posting_keys USING btree (shop_id, posting_id);

CREATE TABLE allocations (
    shop_id uuid NOT NULL,
    posting_id text NOT NULL,
    order_number text NOT NULL,
    amount_minor bigint NOT NULL,
    order_amount_minor bigint NOT NULL,
    kind text NOT NULL,
    by_hand boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    withheld_minor bigint DEFAULT 0 NOT NULL,
    fee_kind text,
    CONSTRAINT allocations_fee_kind_check CHECK ((fee_kind = ANY (ARRAY['COMMISSION'::text, 'DELIVERY_FEE'::text, 'PAYMENT_FEE'::text, 'BANK_CHARGE'::text, 'CASH_DISCOUNT'::text, 'REMINDER_FEE'::text]))),
    CONSTRAINT allocations_fees_have_a_kind CHECK (((withheld_minor <> 0) = (fee_kind IS NOT NULL))),
    CONSTRAINT allocations_kind_check CHECK ((kind = ANY (ARRAY['payment'::text, 'return'::text, 'outgoing'::text, 'refund'::text, 'refund-return'::text]))),
    CONSTRAINT allocations_of_something CHECK (((amount_minor <> 0) OR (withheld_minor <> 0)))
)
WITH (autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='5000');

ALTER TABLE ONLY allocations
    ADD CONSTRAINT allocations_pkey PRIMARY KEY (shop_id, posting_id, order_number);

CREATE INDEX allocations_by_order ON allocations USING btree (shop_id, order_number);

CREATE INDEX allocations_returned ON allocations USING btree (shop_id, order_number) WHERE (kind = 'return'::text);

CREATE INDEX allocations_withheld ON allocations USING btree (shop_id, posting_id) WHERE (withheld_minor <> 0);

CREATE TABLE refunds (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    order_number text NOT NULL,
    external_reference text NOT NULL,
    reference text NOT NULL,
    amount_minor bigint NOT NULL,
    currency text NOT NULL,
    digits smallint NOT NULL,
    order_amount_minor bigint NOT NULL,
    planned_date date NOT NULL,
    execution_date date,
    status text NOT NULL,
    iban text DEFAULT ''::text NOT NULL,
    bic text DEFAULT ''::text NOT NULL,
    holder text DEFAULT ''::text NOT NULL,
    bank_code text DEFAULT ''::text NOT NULL,
    transfer_file_id text DEFAULT ''::text NOT NULL,
    posting_id text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    attempt integer DEFAULT 1 NOT NULL,
    iban_given boolean DEFAULT false NOT NULL,
    held_reason text DEFAULT ''::text NOT NULL,
    account_version integer DEFAULT 1 NOT NULL,
    account_named_at timestamp with time zone,
    filed bigint NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    ask_at timestamp with time zone,
    ask_note text DEFAULT ''::text NOT NULL,
    restored boolean DEFAULT false NOT NULL,
    ask_note_message text DEFAULT ''::text NOT NULL,
    CONSTRAINT refunds_amount_minor_check CHECK ((amount_minor > 0)),
    CONSTRAINT refunds_attempt_check CHECK ((attempt > 0))
);

ALTER TABLE ONLY refunds
    ADD CONSTRAINT refunds_pkey PRIMARY KEY (shop_id, id);

CREATE UNIQUE INDEX refunds_by_external_reference ON refunds USING btree (shop_id, external_reference);

CREATE UNIQUE INDEX refunds_by_filing ON refunds USING btree (shop_id, filed);

CREATE INDEX refunds_by_order ON refunds USING btree (shop_id, order_number);

CREATE UNIQUE INDEX refunds_by_reference ON refunds USING btree (shop_id, reference);

CREATE INDEX refunds_due ON refunds USING btree (shop_id, planned_date) WHERE (status = 'NEW'::text);

CREATE INDEX refunds_pending ON refunds USING btree (shop_id, planned_date) WHERE (status = ANY (ARRAY['NEW'::text, 'BANKDETAILS_MISSING'::text]));

CREATE INDEX refunds_to_ask ON refunds USING btree (shop_id, ask_at) WHERE (ask_at IS NOT NULL);

CREATE TABLE transfer_files (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    message_id text NOT NULL,
    payment_information_id text NOT NULL,
    execution_date date NOT NULL,
    transfers integer NOT NULL,
    total_minor bigint NOT NULL,
    version text NOT NULL,
    content bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    written_at timestamp with time zone,
    discarded_at timestamp with time zone
);

ALTER TABLE ONLY transfer_files
    ADD CONSTRAINT transfer_files_pkey PRIMARY KEY (shop_id, id);

CREATE INDEX transfer_files_by_batch ON transfer_files USING btree (shop_id, payment_information_id);

CREATE UNIQUE INDEX transfer_files_by_message ON transfer_files USING btree (shop_id, message_id);

CREATE INDEX transfer_files_unwritten ON transfer_files USING btree (shop_id, id) WHERE (written_at IS NULL);

CREATE TABLE reminders (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    dunning_level integer NOT NULL,
    sent_date date NOT NULL,
    fee_minor bigint NOT NULL,
    email boolean NOT NULL,
    letter boolean NOT NULL
);

ALTER TABLE ONLY reminders
    ADD CONSTRAINT reminders_pkey PRIMARY KEY (shop_id, order_number, dunning_level);

CREATE TABLE collections (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    partner text NOT NULL,
    file text NOT NULL,
    status text NOT NULL,
    active boolean NOT NULL,
    id text DEFAULT ''::text NOT NULL,
    handed_over_at timestamp with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    warned_on date,
    claim_minor bigint DEFAULT 0 NOT NULL,
    fees_minor bigint DEFAULT 0 NOT NULL,
    interest_minor bigint DEFAULT 0 NOT NULL,
    lump_minor bigint DEFAULT 0 NOT NULL,
    told_open_minor bigint DEFAULT 0 NOT NULL,
    due_on date,
    interest_until date,
    CONSTRAINT collections_status CHECK ((status = ANY (ARRAY['SUBMITTED'::text, 'ACCEPTED'::text, 'REJECTED'::text, 'PRELEGAL'::text, 'INSTALMENT'::text, 'LEGAL'::text, 'PAID'::text, 'PAID_PARTIAL'::text, 'WITHDRAWN'::text, 'UNCOLLECTIBLE'::text])))
);

ALTER TABLE ONLY collections
    ADD CONSTRAINT collections_pkey PRIMARY KEY (shop_id, order_number);

CREATE INDEX collections_by_file ON collections USING btree (shop_id, file) WHERE (file <> ''::text);

CREATE TABLE collection_events (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    "position" integer NOT NULL,
    at timestamp with time zone NOT NULL,
    description text NOT NULL
);

ALTER TABLE ONLY collection_events
    ADD CONSTRAINT collection_events_pkey PRIMARY KEY (shop_id, order_number, "position");

CREATE TABLE event_counters (
    shop_id uuid NOT NULL,
    last_seq bigint DEFAULT 0 NOT NULL,
    last_refund bigint DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY event_counters
    ADD CONSTRAINT event_counters_pkey PRIMARY KEY (shop_id);

CREATE TABLE events (
    shop_id uuid NOT NULL,
    seq bigint NOT NULL,
    order_number text NOT NULL,
    order_seq integer NOT NULL,
    from_status text NOT NULL,
    to_status text NOT NULL,
    cause text NOT NULL,
    at timestamp with time zone NOT NULL
)
WITH (autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='5000');

ALTER TABLE ONLY events
    ADD CONSTRAINT events_pkey PRIMARY KEY (shop_id, seq);

CREATE UNIQUE INDEX events_by_order ON events USING btree (shop_id, order_number, order_seq);

CREATE TABLE callbacks (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    event_seq bigint,
    order_number text NOT NULL,
    order_seq integer NOT NULL,
    status text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    queued_at timestamp with time zone NOT NULL,
    first_due_at timestamp with time zone,
    due_at timestamp with time zone,
    claimed_until timestamp with time zone,
    last_error text DEFAULT ''::text NOT NULL,
    finished_at timestamp with time zone,
    last_error_message text DEFAULT ''::text NOT NULL,
    CONSTRAINT callbacks_status_check CHECK ((status = ANY (ARRAY['WAITING'::text, 'PENDING'::text, 'DELIVERED'::text, 'GIVEN_UP'::text, 'PAUSED'::text, 'OFF'::text, 'WITHDRAWN'::text])))
)
WITH (autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='5000');

ALTER TABLE ONLY callbacks
    ADD CONSTRAINT callbacks_pkey PRIMARY KEY (shop_id, id);

CREATE UNIQUE INDEX callbacks_by_event ON callbacks USING btree (shop_id, event_seq) WHERE (event_seq IS NOT NULL);

CREATE INDEX callbacks_by_order ON callbacks USING btree (shop_id, order_number, order_seq);

CREATE INDEX callbacks_by_queued ON callbacks USING btree (shop_id, queued_at, id);

CREATE INDEX callbacks_due ON callbacks USING btree (shop_id, due_at) WHERE (status = 'PENDING'::text);

CREATE INDEX callbacks_given_up ON callbacks USING btree (shop_id, finished_at) WHERE (status = 'GIVEN_UP'::text);

CREATE INDEX callbacks_held ON callbacks USING btree (shop_id, status, queued_at) WHERE (status = ANY (ARRAY['WAITING'::text, 'PAUSED'::text, 'GIVEN_UP'::text]));

CREATE TABLE callback_attempts (
    shop_id uuid NOT NULL,
    callback_id text NOT NULL,
    attempt integer NOT NULL,
    at timestamp with time zone NOT NULL,
    elapsed_ms integer NOT NULL,
    http_status integer,
    error text NOT NULL,
    request text NOT NULL,
    answer text NOT NULL,
    next_try_at timestamp with time zone,
    error_message text DEFAULT ''::text NOT NULL
);

ALTER TABLE ONLY callback_attempts
    ADD CONSTRAINT callback_attempts_pkey PRIMARY KEY (shop_id, callback_id, attempt);

CREATE INDEX callback_attempts_by_time ON callback_attempts USING btree (shop_id, at);

CREATE TABLE sandbox_bookings (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    place integer NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    booking_date date NOT NULL,
    deliver_at timestamp with time zone NOT NULL,
    formats text[] NOT NULL,
    delivered_twice boolean NOT NULL,
    facts text NOT NULL,
    order_numbers text[] NOT NULL,
    delivered_at timestamp with time zone
);

ALTER TABLE ONLY sandbox_bookings
    ADD CONSTRAINT sandbox_bookings_pkey PRIMARY KEY (shop_id, id);

CREATE INDEX sandbox_bookings_by_day ON sandbox_bookings USING btree (shop_id, account, booking_date, place);

CREATE INDEX sandbox_bookings_due ON sandbox_bookings USING btree (shop_id, deliver_at) WHERE (delivered_at IS NULL);

CREATE TABLE sandbox_files (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    format text NOT NULL,
    booking_date date NOT NULL,
    content bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    imported_at timestamp with time zone
);

ALTER TABLE ONLY sandbox_files
    ADD CONSTRAINT sandbox_files_pkey PRIMARY KEY (shop_id, id);

CREATE INDEX sandbox_files_waiting ON sandbox_files USING btree (shop_id, id) WHERE (imported_at IS NULL);

-- The key keeps an attempt from going out twice: its EndToEndId stands in one file.
CREATE TABLE transfers (
    shop_id uuid NOT NULL,
    end_to_end_id text NOT NULL,
    refund_id text NOT NULL,
    attempt integer NOT NULL,
    file_id text NOT NULL,
    amount_minor bigint NOT NULL,
    iban text NOT NULL,
    holder text NOT NULL,
    status text NOT NULL,
    bank_status text DEFAULT ''::text NOT NULL,
    bank_code text DEFAULT ''::text NOT NULL,
    debit_posting_id text DEFAULT ''::text NOT NULL,
    return_posting_id text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    released boolean DEFAULT false NOT NULL,
    CONSTRAINT transfers_amount_minor_check CHECK ((amount_minor > 0)),
    CONSTRAINT transfers_status_check CHECK ((status = ANY (ARRAY['RELEASED'::text, 'REJECTED'::text, 'BOOKED'::text, 'RETURNED'::text, 'DISCARDED'::text])))
);

ALTER TABLE ONLY transfers
    ADD CONSTRAINT transfers_pkey PRIMARY KEY (shop_id, end_to_end_id);

CREATE INDEX transfers_by_debit ON transfers USING btree (shop_id, debit_posting_id) WHERE (debit_posting_id <> ''::text);

CREATE INDEX transfers_by_file ON transfers USING btree (shop_id, file_id);

CREATE UNIQUE INDEX transfers_by_refund ON transfers USING btree (shop_id, refund_id, attempt);

CREATE INDEX transfers_by_return ON transfers USING btree (shop_id, return_posting_id) WHERE (return_posting_id <> ''::text);

CREATE INDEX transfers_by_time ON transfers USING btree (shop_id, created_at);

CREATE INDEX transfers_unanswered ON transfers USING btree (shop_id, file_id) WHERE (status = 'RELEASED'::text);

-- The simulated bank takes our transfer files: which it has taken, and what it is told to do with which refund.
CREATE TABLE sandbox_transfer_files (
    shop_id uuid NOT NULL,
    file_id text NOT NULL,
    taken_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY sandbox_transfer_files
    ADD CONSTRAINT sandbox_transfer_files_pkey PRIMARY KEY (shop_id, file_id);

CREATE TABLE sandbox_refund_outcomes (
    shop_id uuid NOT NULL,
    external_reference text NOT NULL,
    outcome text NOT NULL,
    reason text NOT NULL,
    CONSTRAINT sandbox_refund_outcomes_outcome_check CHECK ((outcome = ANY (ARRAY['booked'::text, 'rejected'::text, 'returned'::text])))
);

ALTER TABLE ONLY sandbox_refund_outcomes
    ADD CONSTRAINT sandbox_refund_outcomes_pkey PRIMARY KEY (shop_id, external_reference);

-- Connections to banks that hand out statements (FinTS). The PIN is not here: it is asked for at each fetch.
CREATE TABLE bank_connections (
    shop_id uuid NOT NULL,
    account text NOT NULL,
    bank_code text NOT NULL,
    server_url text NOT NULL,
    user_name text NOT NULL,
    tan_mechanism text DEFAULT ''::text NOT NULL,
    tan_medium text DEFAULT ''::text NOT NULL,
    system_id text DEFAULT ''::text NOT NULL,
    consent_until date,
    last_fetched_at timestamp with time zone
);

ALTER TABLE ONLY bank_connections
    ADD CONSTRAINT bank_connections_pkey PRIMARY KEY (shop_id, account);

-- Due work of a shop: one row per kind, with when it is due by the shop's clock. due_at NULL: it waits for a cause. A claim is a lease by the real clock. wakes counts requests, so that one that comes while the job runs is not lost.
CREATE TABLE shop_jobs (
    shop_id uuid NOT NULL,
    kind text NOT NULL,
    due_at timestamp with time zone,
    claim text DEFAULT ''::text NOT NULL,
    claimed_until timestamp with time zone,
    wakes integer DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp with time zone,
    last_error text DEFAULT ''::text NOT NULL,
    last_done_at timestamp with time zone,
    last_result text DEFAULT ''::text NOT NULL,
    done bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY shop_jobs
    ADD CONSTRAINT shop_jobs_pkey PRIMARY KEY (shop_id, kind);

CREATE INDEX shop_jobs_due ON shop_jobs USING btree (shop_id, due_at);

-- What happened how often since the shop exists, for /metrics; counted in the transaction in which it happens.
CREATE TABLE tallies (
    shop_id uuid NOT NULL,
    name text NOT NULL,
    total bigint NOT NULL
);

ALTER TABLE ONLY tallies
    ADD CONSTRAINT tallies_pkey PRIMARY KEY (shop_id, name);

CREATE TABLE reminder_dues (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    due_at timestamp with time zone,
    claimed_until timestamp with time zone,
    held text DEFAULT ''::text NOT NULL,
    known_at timestamp with time zone NOT NULL,
    recipient text DEFAULT ''::text NOT NULL,
    paid_at timestamp with time zone
);

ALTER TABLE ONLY reminder_dues
    ADD CONSTRAINT reminder_dues_pkey PRIMARY KEY (shop_id, order_number);

CREATE INDEX reminder_dues_by_recipient ON reminder_dues USING btree (shop_id, recipient) WHERE (due_at IS NOT NULL);

CREATE INDEX reminder_dues_due ON reminder_dues USING btree (shop_id, due_at) WHERE (due_at IS NOT NULL);

CREATE TABLE mails (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    order_number text NOT NULL,
    dunning_level integer NOT NULL,
    status text NOT NULL,
    message_id text NOT NULL,
    recipient text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    content bytea DEFAULT '\x'::bytea NOT NULL,
    fee_minor bigint NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    error text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    forgotten boolean DEFAULT false NOT NULL,
    order_seq integer,
    correction integer DEFAULT 0 NOT NULL,
    told_minor bigint,
    thanks boolean DEFAULT false NOT NULL,
    provider_id text DEFAULT ''::text NOT NULL,
    error_message text DEFAULT ''::text NOT NULL,
    CONSTRAINT mails_correction_check CHECK ((correction >= 0)),
    CONSTRAINT mails_finished CHECK (((status = 'PENDING'::text) = (finished_at IS NULL))),
    CONSTRAINT mails_forgotten CHECK (((NOT forgotten) OR ((status <> 'PENDING'::text) AND (recipient = ''::text) AND (subject = ''::text) AND (content = '\x'::bytea)))),
    CONSTRAINT mails_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'SENT'::text, 'KEPT'::text, 'REFUSED'::text, 'BOUNCED'::text, 'WITHDRAWN'::text])))
);

ALTER TABLE ONLY mails
    ADD CONSTRAINT mails_pkey PRIMARY KEY (shop_id, id);

CREATE UNIQUE INDEX mails_by_level ON mails USING btree (shop_id, order_number, thanks, dunning_level, correction) WHERE (status = ANY (ARRAY['PENDING'::text, 'SENT'::text, 'KEPT'::text]));

CREATE INDEX mails_by_message ON mails USING btree (shop_id, message_id);

CREATE INDEX mails_by_order ON mails USING btree (shop_id, order_number);

CREATE INDEX mails_by_provider ON mails USING btree (shop_id, provider_id) WHERE (provider_id <> ''::text);

CREATE INDEX mails_to_forget ON mails USING btree (shop_id, finished_at) WHERE ((finished_at IS NOT NULL) AND (NOT forgotten));

CREATE INDEX mails_unsettled ON mails USING btree (shop_id, id) WHERE (status = ANY (ARRAY['PENDING'::text, 'REFUSED'::text, 'BOUNCED'::text]));

CREATE TABLE mail_texts (
    shop_id uuid NOT NULL,
    kind text NOT NULL,
    language text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL
);

ALTER TABLE ONLY mail_texts
    ADD CONSTRAINT mail_texts_pkey PRIMARY KEY (shop_id, kind, language);

-- Which orders an open posting is proposed for first, so that of two equal orders each gets one of two payments.
CREATE TABLE first_suggestions (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    posting_id text NOT NULL,
    booking_date date NOT NULL
);

ALTER TABLE ONLY first_suggestions
    ADD CONSTRAINT first_suggestions_pkey PRIMARY KEY (shop_id, order_number, posting_id);

CREATE INDEX first_suggestions_by_posting ON first_suggestions USING btree (shop_id, posting_id);

-- Accounts from which money came in, as each file says, whatever another file says of the same payment.
CREATE TABLE payer_accounts (
    shop_id uuid NOT NULL,
    account text NOT NULL,
    import_id text NOT NULL
);

ALTER TABLE ONLY payer_accounts
    ADD CONSTRAINT payer_accounts_pkey PRIMARY KEY (shop_id, account, import_id);

CREATE INDEX payer_accounts_by_import ON payer_accounts USING btree (shop_id, import_id);

CREATE TABLE refund_releases (
    shop_id uuid NOT NULL,
    refund_id text NOT NULL,
    attempt integer NOT NULL,
    account_version integer NOT NULL,
    released_by text NOT NULL,
    released_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY refund_releases
    ADD CONSTRAINT refund_releases_pkey PRIMARY KEY (shop_id, refund_id, attempt, account_version, released_by);

-- The audit log: who changed what (D-45). The service may add to it, and nothing else (store/row_security.py).
CREATE TABLE audit_log (
    shop_id uuid NOT NULL,
    seq bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    deed text NOT NULL,
    subject text NOT NULL,
    actor_kind text NOT NULL,
    actor text NOT NULL,
    address text NOT NULL,
    request_id text NOT NULL,
    before text NOT NULL,
    after text NOT NULL,
    hash bytea NOT NULL,
    shop_at timestamp with time zone,
    salt bytea DEFAULT '\x'::bytea NOT NULL,
    digest bytea DEFAULT '\x'::bytea NOT NULL,
    erased_at timestamp with time zone,
    CONSTRAINT audit_log_seq_check CHECK ((seq > 0))
);

ALTER TABLE ONLY audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (shop_id, seq);

CREATE INDEX audit_log_by_subject ON audit_log USING btree (shop_id, subject, seq);

-- The end of each shop's chain: who adds to it holds this row, and verifying sees that no row at the end is gone.
CREATE TABLE audit_heads (
    shop_id uuid NOT NULL,
    seq bigint NOT NULL,
    hash bytea NOT NULL
);

ALTER TABLE ONLY audit_heads
    ADD CONSTRAINT audit_heads_pkey PRIMARY KEY (shop_id);

-- Imports that took longer than their caller waited: what became of each, to be asked for. Those that were answered at once have no row. A run that is not renewed any more by alive_until (real clock) ended with its process.
CREATE TABLE import_runs (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    file_name text NOT NULL,
    state text NOT NULL,
    report text DEFAULT ''::text NOT NULL,
    error text DEFAULT ''::text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    alive_until timestamp with time zone NOT NULL,
    error_message text DEFAULT ''::text NOT NULL,
    CONSTRAINT import_runs_state_check CHECK ((state = ANY (ARRAY['running'::text, 'done'::text, 'refused'::text])))
);

ALTER TABLE ONLY import_runs
    ADD CONSTRAINT import_runs_pkey PRIMARY KEY (shop_id, id);

CREATE INDEX import_runs_by_time ON import_runs USING btree (shop_id, started_at);

-- Sealed at rest (D-44). Values of before are sealed by the worker (store/resealing.py), which can be stopped at any time. Which secret keys values may be sealed under, by names that say nothing of them: a wrong key is said at start.
CREATE TABLE sealing_keys (
    id text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    complete boolean DEFAULT false NOT NULL
);

ALTER TABLE ONLY sealing_keys
    ADD CONSTRAINT sealing_keys_pkey PRIMARY KEY (id);

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE sealing_keys TO paymatch_operator;

CREATE TABLE order_syncs (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    at timestamp with time zone NOT NULL,
    listed integer NOT NULL,
    open_before integer NOT NULL,
    legacy integer NOT NULL,
    revived integer NOT NULL,
    undone_at timestamp with time zone
);

ALTER TABLE ONLY order_syncs
    ADD CONSTRAINT order_syncs_pkey PRIMARY KEY (shop_id, id);

CREATE TABLE order_sync_marks (
    shop_id uuid NOT NULL,
    sync_id text NOT NULL,
    order_number text NOT NULL,
    mark_before text,
    mark_after text
);

ALTER TABLE ONLY order_sync_marks
    ADD CONSTRAINT order_sync_marks_pkey PRIMARY KEY (shop_id, sync_id, order_number);

-- What people write down about a posting while they decide it.
CREATE TABLE posting_comments (
    shop_id uuid NOT NULL,
    posting_id text NOT NULL,
    seq integer NOT NULL,
    author text NOT NULL,
    said text NOT NULL,
    at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY posting_comments
    ADD CONSTRAINT posting_comments_pkey PRIMARY KEY (shop_id, posting_id, seq);

-- Which posting a person has open, so that two clerks do not begin with the same one.
CREATE TABLE posting_viewers (
    shop_id uuid NOT NULL,
    person text NOT NULL,
    posting_id text NOT NULL,
    seen_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY posting_viewers
    ADD CONSTRAINT posting_viewers_pkey PRIMARY KEY (shop_id, person);

-- Rules that people make from a decision (D-49): what is to happen to payments like this one.
CREATE TABLE payer_rules (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    action text NOT NULL,
    iban text DEFAULT ''::text NOT NULL,  -- sealed
    name text DEFAULT ''::text NOT NULL,
    words text[] DEFAULT '{}'::text[] NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    customer_number text DEFAULT ''::text NOT NULL,
    customer_name text DEFAULT ''::text NOT NULL,
    active boolean DEFAULT true NOT NULL,
    author text NOT NULL,
    made_at timestamp with time zone NOT NULL,
    CONSTRAINT payer_rules_action_check CHECK ((action = ANY (ARRAY['set-aside'::text, 'pays-for'::text])))
);

ALTER TABLE ONLY payer_rules
    ADD CONSTRAINT payer_rules_pkey PRIMARY KEY (shop_id, id);

-- What a shop changes of an order that it submits again, what people write down about an order, and when things happened by the shop's own clock.
CREATE TABLE order_changes (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    seq integer NOT NULL,
    at timestamp with time zone NOT NULL,
    actor_kind text NOT NULL,
    actor text NOT NULL,
    fields text NOT NULL
);

ALTER TABLE ONLY order_changes
    ADD CONSTRAINT order_changes_pkey PRIMARY KEY (shop_id, order_number, seq);

CREATE INDEX order_changes_by_age ON order_changes USING btree (shop_id, at);

CREATE TABLE order_comments (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    seq integer NOT NULL,
    author text NOT NULL,
    said text NOT NULL,
    at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY order_comments
    ADD CONSTRAINT order_comments_pkey PRIMARY KEY (shop_id, order_number, seq);

-- Requests of the merchant API, for the developers of a shop: 30 days, written behind the answers.
CREATE TABLE api_requests (
    shop_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    request_id text NOT NULL,
    key_id text NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    query text NOT NULL,
    order_number text NOT NULL,
    status integer NOT NULL,
    elapsed_ms real NOT NULL,
    sent text NOT NULL,  -- sealed; only of refused requests
    answered text NOT NULL  -- likewise
);

ALTER TABLE ONLY api_requests
    ADD CONSTRAINT api_requests_pkey PRIMARY KEY (shop_id, at, request_id);

CREATE INDEX api_requests_by_id ON api_requests USING btree (shop_id, request_id);

CREATE INDEX api_requests_of_order ON api_requests USING btree (shop_id, order_number, at) WHERE (order_number <> ''::text);

CREATE INDEX api_requests_refused ON api_requests USING btree (shop_id, at) WHERE (status >= 400);

-- How orders and postings stood at the end of each past day: what reports as of a day are made from (D-50).  A row holds from `since_date` on. When one of a later day changes, how it stood goes into the past: one row per day at most, that of the day's first change. What changes on the day on which it began was never seen at the end of a day.
CREATE TABLE order_past (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    since_date date NOT NULL,
    until_date date NOT NULL,
    status text NOT NULL,
    type text NOT NULL,
    order_date date NOT NULL,
    due_date date,
    currency text NOT NULL,
    amount_minor bigint NOT NULL,
    postings_minor bigint NOT NULL,
    refunded_minor bigint NOT NULL
);

ALTER TABLE ONLY order_past
    ADD CONSTRAINT order_past_pkey PRIMARY KEY (shop_id, order_number, until_date);

CREATE INDEX order_past_by_day ON order_past USING btree (shop_id, until_date);

CREATE TABLE posting_past (
    shop_id uuid NOT NULL,
    posting_id text NOT NULL,
    since_date date NOT NULL,
    until_date date NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    booking_date date NOT NULL,
    amount_minor bigint NOT NULL,
    status text NOT NULL,
    by_hand boolean NOT NULL,
    aside_reason text NOT NULL,
    held_back text NOT NULL,
    orders_minor bigint NOT NULL,
    refunds_minor bigint NOT NULL,
    withheld_minor bigint NOT NULL,
    parts text NOT NULL,
    held_back_message text DEFAULT ''::text NOT NULL
);

ALTER TABLE ONLY posting_past
    ADD CONSTRAINT posting_past_pkey PRIMARY KEY (shop_id, posting_id, until_date);

CREATE INDEX posting_past_by_day ON posting_past USING btree (shop_id, until_date);

-- What an undone import had said of balances.
CREATE TABLE statement_past (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    since_date date NOT NULL,
    until_date date NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    sequence text NOT NULL,
    first_date date NOT NULL,
    last_date date NOT NULL,
    opening_minor bigint,
    closing_minor bigint
);

ALTER TABLE ONLY statement_past
    ADD CONSTRAINT statement_past_pkey PRIMARY KEY (shop_id, id);

-- A month that was closed: how each of its postings was explained then, sealed by a hash that chains it to the month closed before it (D-50).
CREATE TABLE closed_months (
    shop_id uuid NOT NULL,
    month date NOT NULL,
    seq integer NOT NULL,
    closed_at timestamp with time zone NOT NULL,
    closed_date date NOT NULL,
    closed_by text NOT NULL,
    postings integer NOT NULL,
    summary text NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT closed_months_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric))
);

ALTER TABLE ONLY closed_months
    ADD CONSTRAINT closed_months_pkey PRIMARY KEY (shop_id, month);

CREATE TABLE closed_postings (
    shop_id uuid NOT NULL,
    month date NOT NULL,
    posting_id text NOT NULL,
    explained text NOT NULL
);

ALTER TABLE ONLY closed_postings
    ADD CONSTRAINT closed_postings_pkey PRIMARY KEY (shop_id, month, posting_id);

CREATE TABLE shop_logos (
    shop_id uuid NOT NULL,
    png bytea NOT NULL,
    width integer NOT NULL,
    height integer NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT shop_logos_height_check CHECK ((height > 0)),
    CONSTRAINT shop_logos_width_check CHECK ((width > 0))
);

ALTER TABLE ONLY shop_logos
    ADD CONSTRAINT shop_logos_pkey PRIMARY KEY (shop_id);

-- The order's own page: links that lead to it, what customers say there, and mails that ask for bank details (D-51).
CREATE TABLE order_links (
    shop_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    order_number text NOT NULL,
    token text NOT NULL,  -- sealed, so that each mail can carry the same link
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone
);

ALTER TABLE ONLY order_links
    ADD CONSTRAINT order_links_pkey PRIMARY KEY (shop_id, token_hash);

CREATE INDEX order_links_by_end ON order_links USING btree (shop_id, expires_at);

CREATE UNIQUE INDEX order_links_by_order ON order_links USING btree (shop_id, order_number) WHERE (revoked_at IS NULL);

-- One of each kind per dunning level: who says again that he has paid gains no more time.
CREATE TABLE customer_notices (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    kind text NOT NULL,
    dunning_level integer NOT NULL,
    email text DEFAULT ''::text NOT NULL,
    said_at timestamp with time zone NOT NULL,
    lifted_at timestamp with time zone,
    CONSTRAINT customer_notices_kind_check CHECK ((kind = ANY (ARRAY['paid'::text, 'wrong-person'::text])))
);

ALTER TABLE ONLY customer_notices
    ADD CONSTRAINT customer_notices_pkey PRIMARY KEY (shop_id, order_number, kind, dunning_level);

CREATE INDEX customer_notices_by_email ON customer_notices USING btree (shop_id, email) WHERE (kind = 'wrong-person'::text);

CREATE TABLE refund_requests (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    refund_id text NOT NULL,
    order_number text NOT NULL,
    account_version integer NOT NULL,  -- of the refund: each account that is missing or wrong is asked about anew
    place integer NOT NULL,  -- 0 asks, 1 and further remind
    status text NOT NULL,
    message_id text NOT NULL,
    recipient text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    content bytea DEFAULT '\x'::bytea NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    error text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    provider_id text DEFAULT ''::text NOT NULL,
    CONSTRAINT refund_requests_check CHECK (((status = 'PENDING'::text) = (finished_at IS NULL))),
    CONSTRAINT refund_requests_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'SENT'::text, 'KEPT'::text, 'REFUSED'::text, 'BOUNCED'::text, 'WITHDRAWN'::text])))
);

ALTER TABLE ONLY refund_requests
    ADD CONSTRAINT refund_requests_pkey PRIMARY KEY (shop_id, id);

CREATE INDEX refund_requests_by_end ON refund_requests USING btree (shop_id, finished_at) WHERE (finished_at IS NOT NULL);

CREATE INDEX refund_requests_by_message ON refund_requests USING btree (shop_id, message_id);

CREATE INDEX refund_requests_by_order ON refund_requests USING btree (shop_id, order_number);

CREATE UNIQUE INDEX refund_requests_by_place ON refund_requests USING btree (shop_id, refund_id, account_version, place);

CREATE INDEX refund_requests_by_provider ON refund_requests USING btree (shop_id, provider_id) WHERE (provider_id <> ''::text);

CREATE TABLE letters (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    order_number text NOT NULL,
    kind text NOT NULL,
    dunning_level integer DEFAULT 0 NOT NULL,
    invoice_number text,
    status text NOT NULL,
    recipient text DEFAULT ''::text NOT NULL,
    country text DEFAULT ''::text NOT NULL,
    open_minor bigint DEFAULT 0 NOT NULL,
    fee_minor bigint DEFAULT 0 NOT NULL,
    pages integer DEFAULT 0 NOT NULL,
    content bytea DEFAULT '\x'::bytea NOT NULL,
    run_id text,
    provider_id text DEFAULT ''::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    error text DEFAULT ''::text NOT NULL,
    due_at timestamp with time zone,
    claimed_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    order_seq integer,
    forgotten boolean DEFAULT false NOT NULL,
    refund_id text,
    error_message text DEFAULT ''::text NOT NULL,
    pay_by date,
    CONSTRAINT letters_check CHECK (((kind = 'INVOICE'::text) = (invoice_number IS NOT NULL))),
    CONSTRAINT letters_check1 CHECK (((status = ANY (ARRAY['NEW'::text, 'SPOOLED'::text, 'PRINTING'::text])) = (finished_at IS NULL))),
    CONSTRAINT letters_check2 CHECK (((status <> 'PRINTING'::text) OR (run_id IS NOT NULL))),
    CONSTRAINT letters_check3 CHECK (((NOT forgotten) OR ((finished_at IS NOT NULL) AND (recipient = ''::text) AND (content = '\x'::bytea)))),
    CONSTRAINT letters_kind_check CHECK ((kind = ANY (ARRAY['INFORMATION'::text, 'REMINDER'::text, 'INVOICE'::text, 'REFUND_ACCOUNT'::text]))),
    CONSTRAINT letters_refund_check CHECK (((kind = 'REFUND_ACCOUNT'::text) = (refund_id IS NOT NULL))),
    CONSTRAINT letters_status_check CHECK ((status = ANY (ARRAY['NEW'::text, 'SPOOLED'::text, 'PRINTING'::text, 'PRINTED'::text, 'SENT'::text, 'POSTED'::text, 'RETURNED'::text, 'KEPT'::text, 'REFUSED'::text, 'WITHDRAWN'::text, 'DISCARDED'::text])))
);

ALTER TABLE ONLY letters
    ADD CONSTRAINT letters_pkey PRIMARY KEY (shop_id, id);

CREATE UNIQUE INDEX letters_by_invoice ON letters USING btree (shop_id, order_number) WHERE (kind = 'INVOICE'::text);

CREATE UNIQUE INDEX letters_by_level ON letters USING btree (shop_id, order_number, dunning_level) WHERE ((kind = ANY (ARRAY['INFORMATION'::text, 'REMINDER'::text])) AND (status <> ALL (ARRAY['REFUSED'::text, 'WITHDRAWN'::text, 'DISCARDED'::text])));

CREATE INDEX letters_by_order ON letters USING btree (shop_id, order_number);

CREATE UNIQUE INDEX letters_by_refund ON letters USING btree (shop_id, refund_id) WHERE (kind = 'REFUND_ACCOUNT'::text);

CREATE INDEX letters_by_run ON letters USING btree (shop_id, run_id) WHERE (run_id IS NOT NULL);

CREATE INDEX letters_due ON letters USING btree (shop_id, due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX letters_to_forget ON letters USING btree (shop_id, finished_at) WHERE ((finished_at IS NOT NULL) AND (NOT forgotten));

CREATE INDEX letters_waiting ON letters USING btree (shop_id, id) WHERE (status = ANY (ARRAY['NEW'::text, 'SPOOLED'::text, 'PRINTING'::text, 'REFUSED'::text, 'RETURNED'::text]));

CREATE TABLE letter_runs (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    letters integer NOT NULL,
    pages integer NOT NULL,
    printed_at timestamp with time zone,
    undone_at timestamp with time zone,
    daily boolean DEFAULT false NOT NULL,
    written_at timestamp with time zone
);

ALTER TABLE ONLY letter_runs
    ADD CONSTRAINT letter_runs_pkey PRIMARY KEY (shop_id, id);

CREATE INDEX letter_runs_open ON letter_runs USING btree (shop_id, id) WHERE ((printed_at IS NULL) AND (undone_at IS NULL));

CREATE INDEX letter_runs_to_write ON letter_runs USING btree (shop_id, id) WHERE (daily AND (written_at IS NULL));

-- Collection: the shop's agency, its cases, and what it has to be told (docs/decisions/054-collection.md). A shop without a row has no agency; after_days NULL: orders are handed over by hand only.
CREATE TABLE collection_agencies (
    shop_id uuid NOT NULL,
    name text NOT NULL,
    channel text NOT NULL,
    address text NOT NULL,
    customer_number text NOT NULL,
    after_days integer,
    interest boolean NOT NULL,
    lump_sum boolean NOT NULL,
    token text DEFAULT ''::text NOT NULL,
    token_hash bytea,
    token_before_hash bytea,
    token_before_until timestamp with time zone,
    CONSTRAINT collection_agencies_after_days_check CHECK ((after_days > 0)),
    CONSTRAINT collection_agencies_channel_check CHECK ((channel = ANY (ARRAY['folder'::text, 'mail'::text, 'http'::text])))
);

ALTER TABLE ONLY collection_agencies
    ADD CONSTRAINT collection_agencies_pkey PRIMARY KEY (shop_id);

-- What the agency is told of a case, once each and in this order; delivered_at NULL: it still has to be.
CREATE TABLE collection_messages (
    shop_id uuid NOT NULL,
    case_id text NOT NULL,
    "position" integer NOT NULL,
    order_number text NOT NULL,
    kind text NOT NULL,
    at timestamp with time zone NOT NULL,
    open_minor bigint NOT NULL,
    delivered_at timestamp with time zone,
    CONSTRAINT collection_messages_kind_check CHECK ((kind = ANY (ARRAY['handover'::text, 'payment'::text, 'withdrawal'::text])))
);

ALTER TABLE ONLY collection_messages
    ADD CONSTRAINT collection_messages_pkey PRIMARY KEY (shop_id, case_id, "position");

CREATE INDEX collection_messages_to_deliver ON collection_messages USING btree (shop_id, at) WHERE (delivered_at IS NULL);

-- Reports of the agency that were read: the same file twice changes nothing.
CREATE TABLE collection_reports (
    shop_id uuid NOT NULL,
    hash bytea NOT NULL,
    name text NOT NULL,
    at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY collection_reports
    ADD CONSTRAINT collection_reports_pkey PRIMARY KEY (shop_id, hash);

-- Mail that came back before it was known to have gone out, and orders whose mail did (docs/reminders.md). Reports on mail that nobody knows yet: kept for an hour, and looked at again. They belong to no shop.
CREATE TABLE early_bounces (
    message_id text NOT NULL,
    provider_id text NOT NULL,
    recipient text NOT NULL,
    reason text NOT NULL,
    told_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY early_bounces
    ADD CONSTRAINT early_bounces_pkey PRIMARY KEY (message_id, provider_id);

GRANT SELECT,INSERT,DELETE ON TABLE early_bounces TO paymatch_operator;

-- Base rates that a shop has added behind those that come with the service, and the day up to which a case claims interest: the handover, or the last day whose base rate was known (docs/decisions/054-collection.md).
CREATE TABLE collection_base_rates (
    shop_id uuid NOT NULL,
    first_date date NOT NULL,
    percent numeric(4,2) NOT NULL,
    CONSTRAINT collection_base_rates_first_date_check CHECK (((EXTRACT(day FROM first_date) = (1)::numeric) AND (EXTRACT(month FROM first_date) = ANY (ARRAY[(1)::numeric, (7)::numeric]))))
);

ALTER TABLE ONLY collection_base_rates
    ADD CONSTRAINT collection_base_rates_pkey PRIMARY KEY (shop_id, first_date);

-- What makes it easier to let money go, and counts a day later only (D-58): who may release since when, raised limits.
CREATE TABLE new_powers (
    shop_id uuid NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,  -- the person's address, or the setting
    since timestamp with time zone NOT NULL,
    given_by text NOT NULL,
    before_minor bigint,  -- of a limit: what holds until then
    value text DEFAULT ''::text NOT NULL  -- of a setting: what it will be
);

ALTER TABLE ONLY new_powers
    ADD CONSTRAINT new_powers_pkey PRIMARY KEY (shop_id, kind, subject);

CREATE UNLOGGED TABLE page_allowances (
    name bigint NOT NULL,
    full_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY page_allowances
    ADD CONSTRAINT page_allowances_pkey PRIMARY KEY (name);

CREATE INDEX page_allowances_full ON page_allowances USING btree (full_at);

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE page_allowances TO paymatch_operator;

-- Files whose rows are gone: they are deleted next, whatever interrupts it. file_key is a random name.
CREATE TABLE leaving_files (
    shop_id uuid NOT NULL,
    file_key text NOT NULL,
    since timestamp with time zone NOT NULL
);

ALTER TABLE ONLY leaving_files
    ADD CONSTRAINT leaving_files_pkey PRIMARY KEY (shop_id, file_key);

-- Connectors to shop systems (docs/decisions/075-connectors.md). Key and secret are sealed. since_at: up to where everything is taken, NULL before the first look; run_*: the look that is under way, which goes on at run_place after an interruption. poll_at and resting_until are moments of the real clock, in sandbox shops too.
CREATE TABLE connectors (
    shop_id uuid NOT NULL,
    name text NOT NULL,
    system text NOT NULL,
    status text DEFAULT 'paused'::text NOT NULL,
    url text NOT NULL,
    access_key text NOT NULL,
    access_secret text NOT NULL,
    methods jsonb NOT NULL,
    take_from date NOT NULL,
    paid_status text NOT NULL,
    prefix text NOT NULL,
    minutes integer NOT NULL,
    write_back boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    poll_at timestamp with time zone NOT NULL,
    since_at timestamp with time zone,
    run_since timestamp with time zone,
    run_began_at timestamp with time zone,
    run_place text DEFAULT ''::text NOT NULL,
    run_seen integer DEFAULT 0 NOT NULL,
    run_total integer,
    run_taken integer DEFAULT 0 NOT NULL,
    last_looked_at timestamp with time zone,
    last_seen integer DEFAULT 0 NOT NULL,
    last_taken integer DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp with time zone,
    for_a_person boolean DEFAULT false NOT NULL,
    last_error text,
    resting_until timestamp with time zone,
    event_seq bigint DEFAULT 0 NOT NULL,
    CONSTRAINT connectors_minutes_check CHECK (((minutes >= 5) AND (minutes <= 1440))),
    CONSTRAINT connectors_status_check CHECK ((status = ANY (ARRAY['paused'::text, 'active'::text]))),
    CONSTRAINT connectors_system_check CHECK ((system = ANY (ARRAY['woocommerce'::text, 'shopware'::text])))
);

ALTER TABLE ONLY connectors
    ADD CONSTRAINT connectors_pkey PRIMARY KEY (shop_id, name);

-- Orders that came by a connector. `state` is the shop's when it was last seen or written, `problem` why it was not taken (NULL: it was), as JSON with its code. What is written back stands in the columns behind it (0085).
CREATE TABLE connector_orders (
    shop_id uuid NOT NULL,
    connector text NOT NULL,
    external_id text NOT NULL,
    order_number text NOT NULL,
    taken boolean NOT NULL,
    state text NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    problem text,
    problem_at timestamp with time zone,
    write_at timestamp with time zone,
    write_seq bigint DEFAULT 0 NOT NULL,
    write_failures integer DEFAULT 0 NOT NULL,
    state_before text DEFAULT ''::text NOT NULL,
    our_states text[] DEFAULT '{}'::text[] NOT NULL,
    written_status text DEFAULT ''::text NOT NULL,
    written_at timestamp with time zone,
    write_problem text,
    write_problem_at timestamp with time zone
);

ALTER TABLE ONLY connector_orders
    ADD CONSTRAINT connector_orders_pkey PRIMARY KEY (shop_id, connector, external_id);

CREATE UNIQUE INDEX connector_orders_by_number ON connector_orders USING btree (shop_id, order_number) WHERE taken;

CREATE INDEX connector_orders_to_write ON connector_orders USING btree (shop_id, write_at) WHERE (write_at IS NOT NULL);

CREATE INDEX connector_orders_unwritten ON connector_orders USING btree (shop_id, connector, write_problem_at) WHERE (write_problem IS NOT NULL);

CREATE INDEX connector_orders_with_problem ON connector_orders USING btree (shop_id, connector, problem_at) WHERE (problem IS NOT NULL);

-- The last exchange rate that a shop of this installation sent for two currencies, or a bank applied to them. Nothing of a shop stands in it. Each pair has one direction, the one in which its codes follow the alphabet.
CREATE TABLE last_exchange_rates (
    base text NOT NULL,
    quoted text NOT NULL,
    rate numeric NOT NULL,  -- units of `quoted` for one unit of `base`
    seen_at timestamp with time zone NOT NULL,
    CONSTRAINT last_exchange_rates_check CHECK ((base < quoted)),
    CONSTRAINT last_exchange_rates_rate_check CHECK ((rate > (0)::numeric))
);

ALTER TABLE ONLY last_exchange_rates
    ADD CONSTRAINT last_exchange_rates_pkey PRIMARY KEY (base, quoted);

GRANT SELECT,INSERT,UPDATE ON TABLE last_exchange_rates TO paymatch_app;

GRANT SELECT,INSERT,UPDATE ON TABLE last_exchange_rates TO paymatch_operator;

-- Accounts at payment services and marketplaces, and what their settlement files say (D-83). The postings of such an account stand among the others; `account` is its id there, which is never that of a bank.
CREATE TABLE provider_accounts (
    shop_id uuid NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    provider text NOT NULL,
    name text NOT NULL,
    layout text DEFAULT ''::text NOT NULL,
    confirmed boolean NOT NULL,
    created_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY provider_accounts
    ADD CONSTRAINT provider_accounts_pkey PRIMARY KEY (shop_id, account, currency);

-- A row of a settlement file. Rows of one `event` are booked as one; `paid_by` is the payout that passes it on.
CREATE TABLE settlement_lines (
    shop_id uuid NOT NULL,
    import_id text NOT NULL,
    place integer NOT NULL,
    statement_id text NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    event text NOT NULL,
    kind text NOT NULL,
    provider_id text NOT NULL,
    payment_id text NOT NULL,
    payout_id text NOT NULL,
    paid_by text DEFAULT ''::text NOT NULL,
    facts text NOT NULL
);

ALTER TABLE ONLY settlement_lines
    ADD CONSTRAINT settlement_lines_pkey PRIMARY KEY (shop_id, import_id, place);

CREATE INDEX settlement_lines_by_event ON settlement_lines USING btree (shop_id, account, currency, event);

CREATE INDEX settlement_lines_by_id ON settlement_lines USING btree (shop_id, account, currency, provider_id) WHERE (provider_id <> ''::text);

CREATE INDEX settlement_lines_by_payment ON settlement_lines USING btree (shop_id, account, payment_id) WHERE (payment_id <> ''::text);

CREATE INDEX settlement_lines_by_payout ON settlement_lines USING btree (shop_id, account, currency, payout_id) WHERE (payout_id <> ''::text);

CREATE INDEX settlement_lines_paid_by ON settlement_lines USING btree (shop_id, account, currency, paid_by) WHERE (paid_by <> ''::text);

CREATE TABLE stated_payouts (
    shop_id uuid NOT NULL,
    import_id text NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    payout_id text NOT NULL,
    facts text NOT NULL
);

ALTER TABLE ONLY stated_payouts
    ADD CONSTRAINT stated_payouts_pkey PRIMARY KEY (shop_id, import_id, account, currency, payout_id);

CREATE INDEX stated_payouts_by_payout ON stated_payouts USING btree (shop_id, account, currency, payout_id);

-- A payout as the files explain it, and the posting on a bank account that it is ('' while none is known).
CREATE TABLE payouts (
    shop_id uuid NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    payout_id text NOT NULL,
    amount_minor bigint NOT NULL,
    gross_minor bigint NOT NULL,
    fee_minor bigint NOT NULL,
    own_fee_minor bigint NOT NULL,
    net_minor bigint NOT NULL,
    carried_in_minor bigint NOT NULL,
    carried_out_minor bigint NOT NULL,
    line_count integer NOT NULL,
    order_count integer NOT NULL,
    sent_on date,
    trace_id text NOT NULL,
    posting_id text DEFAULT ''::text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    short_minor bigint DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY payouts
    ADD CONSTRAINT payouts_pkey PRIMARY KEY (shop_id, account, currency, payout_id);

CREATE INDEX payouts_by_day ON payouts USING btree (shop_id, sent_on, account, payout_id);

CREATE INDEX payouts_by_posting ON payouts USING btree (shop_id, posting_id) WHERE (posting_id <> ''::text);

-- What a person has said of a posting: which payout it is, or with an empty id that it is none.
CREATE TABLE payout_decisions (
    shop_id uuid NOT NULL,
    posting_id text NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    payout_id text NOT NULL
);

ALTER TABLE ONLY payout_decisions
    ADD CONSTRAINT payout_decisions_pkey PRIMARY KEY (shop_id, posting_id);

-- Folded texts that searches read (docs/decisions/101-search.md): narrow rows beside orders and postings, scanned whole. `amount` is without its sign, in ten-thousandths of the currency's unit. Rows of before are written by a job.
CREATE TABLE order_search (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    order_date date NOT NULL,
    amount bigint NOT NULL,
    customer text NOT NULL,  -- what tells one customer from others: number, else e-mail address, else name
    words text NOT NULL,
    long_words text NOT NULL  -- those in which a typing error is looked for
)
WITH (autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='5000');

ALTER TABLE ONLY order_search
    ADD CONSTRAINT order_search_pkey PRIMARY KEY (shop_id, order_number);

-- `account`: the name of a key, and keyed marks of the four-character parts of the payer's account.
CREATE TABLE posting_search (
    shop_id uuid NOT NULL,
    posting_id text NOT NULL,
    booking_date date NOT NULL,
    amount bigint NOT NULL,
    account text NOT NULL,
    words text NOT NULL,
    long_words text NOT NULL
)
WITH (autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='5000');

ALTER TABLE ONLY posting_search
    ADD CONSTRAINT posting_search_pkey PRIMARY KEY (shop_id, posting_id);

-- Remittance advices (D-94): what a payer announced, as it was read. `facts` is empty where nobody could read it.
CREATE TABLE advices (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    digest text NOT NULL,
    place integer NOT NULL,
    file_name text NOT NULL,
    format text NOT NULL,
    channel text NOT NULL,
    problem text NOT NULL,
    shown text NOT NULL,
    currency text NOT NULL,
    paid_minor bigint NOT NULL,
    line_count integer NOT NULL,
    number text NOT NULL,
    payer text NOT NULL,
    payer_account text NOT NULL,
    day date,
    facts text NOT NULL,
    posting_id text NOT NULL,
    received_on date NOT NULL,
    created_at timestamp with time zone NOT NULL,
    problem_message text DEFAULT ''::text NOT NULL
);

ALTER TABLE ONLY advices
    ADD CONSTRAINT advices_pkey PRIMARY KEY (shop_id, id);

CREATE INDEX advices_by_day ON advices USING btree (shop_id, received_on);

CREATE UNIQUE INDEX advices_by_file ON advices USING btree (shop_id, digest, place);

-- Postings that advices explain, and by which ones: what they said is compared before a posting is decided anew.
CREATE TABLE advised_postings (
    shop_id uuid NOT NULL,
    posting_id text NOT NULL,
    advice_ids text NOT NULL
);

ALTER TABLE ONLY advised_postings
    ADD CONSTRAINT advised_postings_pkey PRIMARY KEY (shop_id, posting_id);

-- What moves an order's books beside its payments and refunds: credit that is kept or used, income, loss (D-87). `minor` is what the order is credited, in its currency; `customer` is a digest, which names nobody.
CREATE TABLE adjustments (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    order_number text NOT NULL,
    customer text NOT NULL,
    currency text NOT NULL,
    kind text NOT NULL,
    minor bigint NOT NULL,
    day date NOT NULL,
    at timestamp with time zone NOT NULL,
    by_name text NOT NULL,
    CONSTRAINT adjustments_kind_check CHECK ((kind = ANY (ARRAY['kept'::text, 'used'::text, 'returned'::text, 'income'::text, 'loss'::text]))),
    CONSTRAINT adjustments_minor_check CHECK ((minor <> 0))
);

ALTER TABLE ONLY adjustments
    ADD CONSTRAINT adjustments_pkey PRIMARY KEY (shop_id, id);

CREATE INDEX adjustments_by_customer ON adjustments USING btree (shop_id, customer, currency);

CREATE INDEX adjustments_by_day ON adjustments USING btree (shop_id, day);

CREATE INDEX adjustments_by_order ON adjustments USING btree (shop_id, order_number);

-- The books as they have left (D-86): days whose bookings were exported or closed, and these bookings. What changes later is reversed and booked anew on the first day that has not left.
CREATE TABLE booked_periods (
    shop_id uuid NOT NULL,
    first_date date NOT NULL,
    last_date date NOT NULL,
    booked_date date NOT NULL,
    booked_at timestamp with time zone NOT NULL,
    CONSTRAINT booked_periods_check CHECK ((last_date >= first_date))
);

ALTER TABLE ONLY booked_periods
    ADD CONSTRAINT booked_periods_pkey PRIMARY KEY (shop_id, first_date);

-- `source` is the posting, or the order and day of a sale. Accounts with their roles, as the settings were then.
CREATE TABLE booked_entries (
    shop_id uuid NOT NULL,
    seq bigint NOT NULL,
    date date NOT NULL,
    source text NOT NULL,
    is_sale boolean NOT NULL,
    debit_role text NOT NULL,
    debit text NOT NULL,
    credit_role text NOT NULL,
    credit text NOT NULL,
    amount_minor bigint NOT NULL,
    currency text NOT NULL,
    document text NOT NULL,
    text text NOT NULL,
    posting_id text NOT NULL,
    invoice text NOT NULL,
    rate numeric,
    rate_date date,
    CONSTRAINT booked_entries_amount_minor_check CHECK ((amount_minor > 0))
);

ALTER TABLE ONLY booked_entries
    ADD CONSTRAINT booked_entries_pkey PRIMARY KEY (shop_id, seq);

CREATE INDEX booked_entries_by_day ON booked_entries USING btree (shop_id, date, seq);

CREATE INDEX booked_entries_by_source ON booked_entries USING btree (shop_id, source);

-- What a file says beside its bookings, such as its moment and DATEV's numbers: a file of days that have left stays byte for byte.
CREATE TABLE booked_headers (
    shop_id uuid NOT NULL,
    name text NOT NULL,
    first_date date NOT NULL,
    last_date date NOT NULL,
    sales boolean NOT NULL,
    header text NOT NULL
);

ALTER TABLE ONLY booked_headers
    ADD CONSTRAINT booked_headers_pkey PRIMARY KEY (shop_id, name, first_date, last_date, sales);

-- What orders that were set paid owed then, by day and account (D-98): booked from the debtor to cash, vouchers or a clearing account, and back when the order is set unpaid, cancelled or paid after all.
CREATE TABLE set_paid_amounts (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    day date NOT NULL,
    account text NOT NULL,
    amount_minor bigint NOT NULL,
    currency text NOT NULL,
    reason text NOT NULL,
    set_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT set_paid_amounts_account_check CHECK ((account = ANY (ARRAY['CASH'::text, 'VOUCHER'::text, 'OTHER'::text])))
);

ALTER TABLE ONLY set_paid_amounts
    ADD CONSTRAINT set_paid_amounts_pkey PRIMARY KEY (shop_id, order_number, day, account);

CREATE INDEX set_paid_amounts_by_day ON set_paid_amounts USING btree (shop_id, day);

-- Orders that came from a file: which ones an import has made, so that it can be undone, and how each layout is read.
CREATE TABLE order_imports (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    at timestamp with time zone NOT NULL,
    new_orders integer NOT NULL,
    changed_orders integer NOT NULL,
    undone_at timestamp with time zone
);

ALTER TABLE ONLY order_imports
    ADD CONSTRAINT order_imports_pkey PRIMARY KEY (shop_id, id);

-- `digest`: of the order's document as it was imported; one that has changed since is not undone.
CREATE TABLE order_import_orders (
    shop_id uuid NOT NULL,
    import_id text NOT NULL,
    order_number text NOT NULL,
    digest text NOT NULL
);

ALTER TABLE ONLY order_import_orders
    ADD CONSTRAINT order_import_orders_pkey PRIMARY KEY (shop_id, import_id, order_number);

-- `columns` is JSON: heading -> field of the merchant API.
CREATE TABLE order_layouts (
    shop_id uuid NOT NULL,
    layout text NOT NULL,
    columns text NOT NULL,
    saved_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY order_layouts
    ADD CONSTRAINT order_layouts_pkey PRIMARY KEY (shop_id, layout);

GRANT SELECT ON TABLE migrations TO PUBLIC;

CREATE TABLE statement_lines (
    shop_id uuid NOT NULL,
    statement_id text NOT NULL,
    "position" integer NOT NULL,
    detail integer NOT NULL,
    import_id text NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    entry_minor bigint NOT NULL,
    booking_date date NOT NULL,
    source text NOT NULL,
    format text NOT NULL,
    series text NOT NULL,
    page integer NOT NULL,
    facts text NOT NULL,
    posting_id text NOT NULL,
    is_held boolean NOT NULL
)
WITH (autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='5000');

ALTER TABLE ONLY statement_lines
    ADD CONSTRAINT statement_lines_pkey PRIMARY KEY (shop_id, statement_id, "position", detail);

CREATE INDEX statement_lines_by_import ON statement_lines USING btree (shop_id, import_id);

CREATE INDEX statement_lines_by_sum ON statement_lines USING btree (shop_id, account, entry_minor, booking_date);

CREATE TABLE suggested_orders (
    shop_id uuid NOT NULL,
    order_number text NOT NULL,
    posting_id text NOT NULL,
    contested boolean NOT NULL
);

ALTER TABLE ONLY suggested_orders
    ADD CONSTRAINT suggested_orders_pkey PRIMARY KEY (shop_id, order_number, posting_id);

CREATE INDEX suggested_orders_by_posting ON suggested_orders USING btree (shop_id, posting_id);

CREATE INDEX suggested_orders_contested ON suggested_orders USING btree (shop_id, order_number) WHERE contested;

ALTER TABLE ONLY api_keys
    ADD CONSTRAINT api_keys_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES shops(shop_id);

ALTER TABLE ONLY bank_accounts
    ADD CONSTRAINT bank_accounts_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES shops(shop_id);

ALTER TABLE ONLY event_counters
    ADD CONSTRAINT event_counters_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES shops(shop_id);
