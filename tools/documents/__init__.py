"""One module per generated document."""
