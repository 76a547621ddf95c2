"""Sandbox shops: a clock to move, a bank that books what it is told.

Given a merchant's wishes; hands real bank files to `usecases/statements`.
"""
