"""The worker: what is due, claim, run."""
