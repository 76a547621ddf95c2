"""Replays: a shop's past runs day by day through a separate shop that sends nothing."""
