"""Data of customers' pages, in PostgreSQL."""
