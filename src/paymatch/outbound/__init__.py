"""One door per way out of the service, each with a Null twin for development and tests."""
