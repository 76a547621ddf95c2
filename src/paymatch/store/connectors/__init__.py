"""Connectors to shop systems in PostgreSQL: their settings and sealed keys, and the orders that came by them."""
