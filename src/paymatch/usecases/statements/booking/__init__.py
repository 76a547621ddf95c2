"""Booking: the lines of a file are kept, and the books of their window are computed from all lines.

Given what `usecases/statements/statements.py` reads; hands lines, new and changed postings to `store`.
"""
