"""Collection: states of a case at the agency, when an order is handed over, statutory interest (D-20, D-54).

Given orders by `domain/reminders` whose last reminder brought no payment; hands cases to `usecases/collection/`.
"""
