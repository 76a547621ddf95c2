"""What searches read and find."""
