"""Collection: orders handed over to the shop's agency, messages to it and its reports (D-20, D-54).

Given orders whose reminders brought no payment; hands the agency dossiers and moves the order's status by the ledger.
"""
