"""camt.052, camt.053 and camt.054 (ISO 20022).

Given bytes; hands statements, entries and details as in `formats/statement.py` to `formats/read.py`.
"""
