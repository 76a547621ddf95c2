"""Settlement: the one place where an order's payment status is written, and what follows from it."""
