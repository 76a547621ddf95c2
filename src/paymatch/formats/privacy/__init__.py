"""What a shop has of a person, on paper (docs/privacy.md)."""
