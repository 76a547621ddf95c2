"""Refunds: their life, why one is held back, and the transfers that carry them out."""
