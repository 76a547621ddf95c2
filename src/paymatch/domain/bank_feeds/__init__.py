"""Bank feeds: statements and transfers that travel automatically."""
