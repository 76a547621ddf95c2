"""Searching as a caller speaks."""
