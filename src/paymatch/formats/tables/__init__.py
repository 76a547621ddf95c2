"""Tables of banks (CSV): recognised by header or content, columns mapped, rows read.

Given bytes; hands statements, entries and details as in `formats/statement.py` to `formats/read.py`.
"""
