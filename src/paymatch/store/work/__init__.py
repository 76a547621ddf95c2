"""Common data of all shops in PostgreSQL: due work, alerts, invariants, retention, figures."""
