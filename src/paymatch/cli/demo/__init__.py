"""`paymatch demo`: a filled shop, from orders over HTTP to callbacks, with what was matched and why."""
