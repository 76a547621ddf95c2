"""Booking: the entries of a statement meet what is booked, so that each payment is in the books once.

Given statements as they are read by `usecases/statements/statements.py`; hands new and changed postings to `store`.
"""
