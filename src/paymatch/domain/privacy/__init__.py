"""Personal data: how a person is found, and what remains of an order after erasure (D-63).

Given a request's details; hands patterns and documents to `usecases/privacy`.
"""
