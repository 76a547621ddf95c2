"""Accounts at payment services and marketplaces: their movements, payouts, and what these mean for orders (D-83)."""
