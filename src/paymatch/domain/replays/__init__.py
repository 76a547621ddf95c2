"""A shop's past replayed: judging and counting."""
