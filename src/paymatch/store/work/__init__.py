"""What concerns every shop in PostgreSQL: due work, alerts, invariants, retention, figures."""
