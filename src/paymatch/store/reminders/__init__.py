"""Reminders and mails in PostgreSQL, and the invariants that hold for them."""
