"""Callbacks: states of a delivery, receivers that may be called, signatures (D-18).

Given status changes by `domain/orders`; hands the next attempt to `usecases/callbacks.py` and `jobs/`.
"""
