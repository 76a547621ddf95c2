"""Replays: a shop's past goes day by day through a shop of its own that sends nothing."""
