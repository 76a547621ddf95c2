"""Letters in PostgreSQL: what waits, what has gone out, print runs, and the shop's settings for them."""
