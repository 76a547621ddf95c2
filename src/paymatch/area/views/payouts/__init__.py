"""Pages of payouts: each one taken apart, and what services charge from month to month."""
