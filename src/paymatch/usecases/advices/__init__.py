"""Remittance advices: import, lists, undo (D-94)."""
