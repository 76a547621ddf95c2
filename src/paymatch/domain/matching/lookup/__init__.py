"""Keys under which orders and postings are looked up.

Given orders and prepared postings; hands keys to the store and to `find`.
"""
