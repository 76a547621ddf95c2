"""Messages to people: sentences as codes with values. English is made here, other languages at the face."""
