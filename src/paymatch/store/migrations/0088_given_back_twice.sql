-- Orders of which a payment was taken back: an alert asks for those that were refunded as well. Returns are few.
CREATE INDEX allocations_returned ON allocations (shop_id, order_number) WHERE kind = 'return';
