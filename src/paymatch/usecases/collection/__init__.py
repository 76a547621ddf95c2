"""Collection: orders handed over to the shop's agency, what the agency is told and what it reports (D-20, D-54).

Given orders whose reminders brought nothing; hands the agency dossiers and moves the order's status by the ledger.
"""
