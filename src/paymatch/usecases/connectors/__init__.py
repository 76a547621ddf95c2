"""Connectors to shop systems: set up, looked at, orders taken, payments written back (D-75, D-78)."""
