"""Payouts of payment services and marketplaces: settlement files, orders, and the payouts' postings (D-83)."""
