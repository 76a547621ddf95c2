"""Statements in PostgreSQL: imports, lines, postings, the lists made of them."""
