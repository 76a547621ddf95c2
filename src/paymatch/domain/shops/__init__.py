"""Shops: settings, keys, due work, alerts, and the sandbox's clock.

Given a merchant's settings; hands every other room the shop it acts for.
"""
