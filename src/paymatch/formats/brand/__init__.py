"""What a shop uploads to be seen by its customers: its logo."""
