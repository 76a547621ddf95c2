"""Inputs of weighing: how amounts fit, exchanged or not, and how late orders are paid.

Pure values for `evidence.py`, which weighs orders, and for the rules.
"""
