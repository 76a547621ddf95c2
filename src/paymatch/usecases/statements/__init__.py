"""Statements: a bank file is booked exactly once, whole or not at all.

Given bytes; hands new postings to `usecases/matching`.
"""
