"""One posting for several orders: the credit of each, payouts less a fee, and amounts that cover none of them."""
