"""Commands for bookkeepers: reports, closing a month."""
