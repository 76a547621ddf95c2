"""One door per way out of the house, each with a Null twin for development and tests."""
