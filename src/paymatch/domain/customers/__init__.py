"""Customers: the links to their orders' pages, their notices there, and requests for bank details (D-51)."""
