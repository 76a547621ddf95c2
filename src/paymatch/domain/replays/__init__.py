"""A shop's past replayed: what is judged, and what is counted."""
