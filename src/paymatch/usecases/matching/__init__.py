"""Matching: postings meet orders, by the engine and by hand.

Given due postings; hands allocations to `usecases/settlement/ledger.py`.
"""
