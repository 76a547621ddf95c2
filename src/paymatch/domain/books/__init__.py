"""Booking: how lines of overlapping statements stand for one posting, and what is missing between them.

Given statement lines by `formats/postings_of.py`; hands identity keys, pairs and batches to `usecases/statements`.
"""
