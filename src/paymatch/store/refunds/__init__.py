"""Refunds in PostgreSQL, and the transfer files that they leave in."""
