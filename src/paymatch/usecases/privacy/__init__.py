"""Personal data of one person: search, export, erasure; retention periods (D-63).

Given a request's details; hands rows to `store/privacy`, files to their doors.
"""
