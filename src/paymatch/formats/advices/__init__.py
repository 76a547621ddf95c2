"""Remittance advices as payers send them: tables, PDF text, EDIFACT REMADV, UBL and remt.001 (D-94)."""
