"""`make ha`: failovers and switchovers of a real cluster under load, and whether what was acknowledged is stored."""
