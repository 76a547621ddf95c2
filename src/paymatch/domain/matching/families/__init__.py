"""What each family of evidence says of one order as the target of one posting: amount, numbers, name, standing."""
