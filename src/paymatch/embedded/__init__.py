"""The embedded PostgreSQL: a real server in the data directory, started when needed and stopped by its last user."""

from paymatch.embedded.server import EmbeddedServerError, running_server

__all__ = ["EmbeddedServerError", "running_server"]
