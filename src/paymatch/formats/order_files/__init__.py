"""Tables of orders: what a shop system or our own list exports, read into the orders of the merchant API."""
