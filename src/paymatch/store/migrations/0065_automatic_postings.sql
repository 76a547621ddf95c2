-- The list of what was matched without a person, the latest first: most postings of a shop stand in it.
CREATE INDEX postings_automatic ON postings (shop_id, decided_at DESC, id DESC) WHERE status = 'matched' AND NOT by_hand;
