"""`paymatch scenario`: the life of orders as a small file, played through in a sandbox shop of its own."""
