"""Orders in PostgreSQL: documents, ledger, events, invoices, claims."""
