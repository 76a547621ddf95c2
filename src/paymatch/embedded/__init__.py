"""The embedded PostgreSQL: a real server in the data directory, started when needed and stopped by its last user."""

from paymatch.embedded.server import EmbeddedServerError, kept_server, running_server

__all__ = ["EmbeddedServerError", "kept_server", "running_server"]
