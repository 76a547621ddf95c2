"""Searching as a caller speaks: how texts are folded, what a query asks for, what a typing error is."""
