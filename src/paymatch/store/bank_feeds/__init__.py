"""EBICS in PostgreSQL: connections, orders, received files, uploads."""
