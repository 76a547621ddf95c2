"""Orders: what may be submitted, what they owe, which status follows from the ledger, what carriers owe for them.

Given the stored order and its allocations; hands the payment status to every other room.
"""
