"""Books: postings as a pure function of the lines of statements, and gaps between statements.

Given statement lines by `formats/postings_of.py`; hands postings to `usecases/statements`.
"""
