"""Each family's evidence on one order as the target of one posting: amount, numbers, name, state."""
