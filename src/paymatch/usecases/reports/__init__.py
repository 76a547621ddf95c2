"""Reports: every cent explained, as of any day, and closed months (D-50)."""
