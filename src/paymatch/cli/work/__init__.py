"""Commands for operators of the service: due work, alerts, the check of the books."""
