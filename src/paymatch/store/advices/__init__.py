"""Remittance advices in PostgreSQL."""
