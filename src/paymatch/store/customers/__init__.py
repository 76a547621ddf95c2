"""What customers see of a shop and of their orders, in PostgreSQL."""
