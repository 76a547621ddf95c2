"""EBICS in PostgreSQL: connections, orders, files that came, uploads."""
