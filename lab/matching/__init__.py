"""The open matching benchmark: seeded worlds of shops, their truth, a score, and runners for any matcher."""
