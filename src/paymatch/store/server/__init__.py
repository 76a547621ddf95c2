"""The PostgreSQL server that is connected to: encrypted or not, behind a pooler or not, alive or not."""
