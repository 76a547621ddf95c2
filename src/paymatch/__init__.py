"""paymatch: payment matching and order tracking for shops."""

__version__ = "0.1.0"
