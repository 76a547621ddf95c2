"""Payment information and reminders: a shop's plan, which customer gets mail when, and why not (D-33).

Given an order's balance and dates; hands due mail to `usecases/reminders`.
"""
