"""Our addition to the API: the feed of the shop's events."""
