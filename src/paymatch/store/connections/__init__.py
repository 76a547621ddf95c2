"""Connections to PostgreSQL before anything is asked: encrypted or not, behind a pooler or not, alive or not."""
