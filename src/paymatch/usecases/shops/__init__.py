"""Shops and their setup: keys, settings, brands, dunning plans, cooling-off of payment limits."""
