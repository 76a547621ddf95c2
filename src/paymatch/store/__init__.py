"""PostgreSQL: migrations, and per noun the SQL to lock, load, save and claim."""
