"""Letters in PostgreSQL: waiting and sent ones, print runs, and the shop's settings for them."""
