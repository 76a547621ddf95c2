"""Refunds: requested, sent in transfer files, executed, returned (D-3 to D-5; D-31).

Given calls of the API and reports of banks; hands processed refunds to `usecases/settlement/ledger.py`.
"""
