"""Collection: states of a case at the agency, when an order is handed over, statutory interest (D-20, D-54).

Given orders whose last reminder brought nothing by `domain/reminders`; hands cases to `usecases/collection/`.
"""
