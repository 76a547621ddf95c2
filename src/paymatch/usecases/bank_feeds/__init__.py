"""EBICS connections: initialised, used by the worker, changed, suspended; and how each account is fed."""
