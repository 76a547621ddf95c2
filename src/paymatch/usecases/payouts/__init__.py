"""Payouts of payment services and marketplaces: settlement files, orders, and the postings that payouts are (D-83)."""
