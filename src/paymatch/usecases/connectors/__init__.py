"""Connectors to shop systems: setup, status, orders imported, payments written back (D-75, D-78)."""
