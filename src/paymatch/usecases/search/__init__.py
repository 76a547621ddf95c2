"""Search for orders, payments and customers by what a caller says, and the answer to the caller."""
