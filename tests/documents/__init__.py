"""The documents, held to what they say: every command and example of every page is run, or listed with its reason."""
