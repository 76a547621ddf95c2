"""Search for what a caller says on the phone: folded texts, queries, typing errors."""
