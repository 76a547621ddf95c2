"""The matching engine: facts in, decisions with their reasons out; pure and explainable (DESIGN.md section 6)."""
