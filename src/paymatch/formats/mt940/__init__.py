"""MT940 and MT942 (SWIFT; DK annex 3).

Given bytes; hands statements, entries and details as in `formats/statement.py` to `formats/read.py`.
"""
