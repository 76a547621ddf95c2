"""Keys under which orders and postings are looked up, and how much work a posting may cause.

Given orders and prepared postings; hands keys to the store and to `find`.
"""
