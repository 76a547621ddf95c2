"""Files of a replay: statements cut into days, orders and decisions of another system."""
