"""One posting for several orders: what it credits to each, payouts less a fee, and amounts that cover none of them."""
