"""Collection in PostgreSQL: the shop's agency, its cases and their history, messages to the agency.

Given decisions by `usecases/collection`; the API shows the cases in each order (`store/orders/order_json.py`).
"""
