"""Connectors to shop systems: settings, the orders they import, and what they write back (D-75, D-78)."""
