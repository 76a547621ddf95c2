"""Formatting and parsing of values in the reader's language."""
