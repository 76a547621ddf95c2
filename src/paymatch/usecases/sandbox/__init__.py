"""Sandbox shops: a movable clock, and a bank that books on request.

Given a merchant's wishes; hands real bank files to `usecases/statements`.
"""
