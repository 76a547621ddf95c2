"""Commands for whoever runs the service: due work, alerts, the check of the books."""
