"""The bundled PostgreSQL: a real server in the data directory, started when needed, stopped by its last user."""

from paymatch.embedded.cluster import has_cluster, programs
from paymatch.embedded.server import EmbeddedServerError, kept_server, running_server, set_aside

__all__ = ["EmbeddedServerError", "has_cluster", "kept_server", "programs", "running_server", "set_aside"]
