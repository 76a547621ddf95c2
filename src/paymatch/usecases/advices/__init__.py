"""Remittance advices: imported, listed, taken back (D-94)."""
