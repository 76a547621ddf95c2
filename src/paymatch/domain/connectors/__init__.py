"""Connectors to shop systems: settings, which orders are taken, and what is written back (D-75, D-78)."""
