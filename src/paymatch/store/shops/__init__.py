"""Shops in PostgreSQL: settings, keys, accounts, and the steps of setting one up."""
