"""Orders: the list, one order with its timeline and actions."""
