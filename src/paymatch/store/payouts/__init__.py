"""Accounts at payment services and marketplaces in PostgreSQL, and their payouts (D-83)."""
