-- What customers see of a shop on pages, in mails and letters (docs/decisions/051-customer-pages.md).

-- "" where the shop has said nothing.
ALTER TABLE shops ADD COLUMN accent text NOT NULL DEFAULT '' CHECK (accent ~ '^(#[0-9a-f]{6})?$');
ALTER TABLE shops ADD COLUMN contact_email text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN contact_phone text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN website text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN legal_footer text NOT NULL DEFAULT '';

CREATE TABLE shop_logos (
    shop_id uuid PRIMARY KEY,
    png bytea NOT NULL,
    width integer NOT NULL CHECK (width > 0),
    height integer NOT NULL CHECK (height > 0),
    changed_at timestamptz NOT NULL
);
