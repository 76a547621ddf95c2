"""Customers: the links to their orders' pages, what they say there, when they are asked for bank details (D-51)."""
