"""Reports: every cent explained, as of any day, and months that are closed (D-50)."""
