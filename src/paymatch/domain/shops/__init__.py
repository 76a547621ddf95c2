"""Shops: settings, keys, due work, alerts, and the sandbox's clock.

Given what a merchant has set; hands every other room the shop it acts for.
"""
