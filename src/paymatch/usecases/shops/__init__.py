"""Shops and what they are set to: keys, settings, brands, dunning plans, cooling-off of payment limits."""
