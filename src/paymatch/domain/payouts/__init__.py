"""Accounts at payment services and marketplaces: their movements, payouts, and the effects on orders (D-83)."""
