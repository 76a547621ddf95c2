"""Orders: submit, mark, synchronise, settle, show.

Given calls of the API, allocations and refunds; hands every change of status to events and callbacks.
"""
