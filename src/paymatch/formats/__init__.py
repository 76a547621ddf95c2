"""Bytes to values and back, a folder per format that no other format's folder enters.

Given bytes or values of the domain; hands statements in the bank's terms (`statement.py`), postings (`postings_of.py`),
files, mails and pictures to `usecases/`. What formats share has a place of its own: `remittance/`, account numbers,
amounts, the decoding of text.
"""
