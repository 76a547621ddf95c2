"""Remittance advices: which orders a sum is for, as its payer announces it; evidence, never a payment (D-94)."""
