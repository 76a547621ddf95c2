-- Base rates that a shop has added behind those that come with the service, and the day up to which a case claims
-- interest: the handover, or the last day whose base rate was known (docs/decisions/054-collection.md).

CREATE TABLE collection_base_rates (
    shop_id uuid NOT NULL,
    first_date date NOT NULL CHECK (extract(day FROM first_date) = 1 AND extract(month FROM first_date) IN (1, 7)),
    percent numeric(4, 2) NOT NULL,
    PRIMARY KEY (shop_id, first_date)
);

ALTER TABLE collections ADD COLUMN interest_until date;
