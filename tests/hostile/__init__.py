"""What a stranger's text may cost: expressions, readers and the reading of texts, timed with growing hostile input."""
