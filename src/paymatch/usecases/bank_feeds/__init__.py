"""EBICS connections: setup, use by the worker, changes, suspension; and the feed of each account."""
