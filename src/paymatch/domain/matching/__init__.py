"""The matching engine: facts in, decisions and their reasons out; pure and explainable (docs/matching.md)."""
