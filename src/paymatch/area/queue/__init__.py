"""The page of postings to decide: actions of its forms, undo, and presentation of a posting."""
