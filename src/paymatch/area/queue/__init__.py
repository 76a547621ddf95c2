"""The page of postings to decide: what its forms carry out, what can be undone, and how a posting is shown."""
