"""Sandbox shops in PostgreSQL: clock, simulated bank, its transfers."""
