"""Bytes to values and back: bank statements, transfer files, payment codes; pure."""
