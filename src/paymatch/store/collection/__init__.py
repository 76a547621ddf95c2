"""Collection in PostgreSQL: the shop's agency, its cases and their history, what the agency has to be told.

Given decisions by `usecases/collection`; the API shows the cases in each order (`store/orders/order_json.py`).
"""
