"""Commands about customers: the links to their orders' pages, addresses that belong to someone else."""
