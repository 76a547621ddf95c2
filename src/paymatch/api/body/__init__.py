"""Request bodies as they are sent: compressed, or in parts."""
