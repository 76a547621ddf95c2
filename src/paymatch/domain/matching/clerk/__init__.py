"""The clerk's rules: when the likeliest explanation of a posting may be taken without asking a person.

Given a hypothesis with its rivals; hands on the reason why a person has to look, or none. `table.py` has the order.
"""
