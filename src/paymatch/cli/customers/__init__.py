"""Commands about customers: the links to their orders' pages, addresses that are somebody else's."""
