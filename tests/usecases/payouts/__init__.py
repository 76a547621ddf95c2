"""Tests of payouts end to end."""
