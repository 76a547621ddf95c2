"""The folded texts that searches read, one row for each order and posting."""
