"""Refunds: asked for, sent in transfer files, executed, returned (D-3 to D-5; D-31).

Given calls of the API and what banks report; hands processed refunds to `usecases/settlement/ledger.py`.
"""
