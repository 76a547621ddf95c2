"""What the balances of a statement prove about its entries.

Given the entries and balances of one statement; returns the entries as the balances have them.
"""
