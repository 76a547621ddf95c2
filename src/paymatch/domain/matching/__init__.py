"""The matching engine: facts in, decisions with their reasons out; pure and explainable (docs/matching.md)."""
