"""Lists as pages show them: sorted, page by page, counted."""
