"""Orders: rules of submission, amounts due, payment status from the ledger, and carriers' debts.

Given the stored order and its allocations; hands the payment status to every other room.
"""
