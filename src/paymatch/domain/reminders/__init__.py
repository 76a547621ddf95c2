"""Payment information and reminders: the plan of a shop, who is written to when, and why not (D-33).

Given an order's balance and dates; hands what is due to `usecases/reminders`.
"""
