"""Booking: the lines of a file are kept, and the books of their window are computed from all lines.

Given the entries read by `usecases/statements/statements.py`; hands lines, new and changed postings to `store`.
"""
