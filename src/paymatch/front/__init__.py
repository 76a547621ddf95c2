"""Between the network and the applications: an event loop that no client can block."""

from paymatch.front.connections import Connections
from paymatch.front.graceful_shutdown import Leaving
from paymatch.front.origin import Proxies
from paymatch.front.plain import PlainApplication, SignedIn
from paymatch.front.server import THREADS, Front
from paymatch.front.spool import Room
from paymatch.front.web_server import allow_connections, connection_limit, web_server

__all__ = [
    "THREADS",
    "Connections",
    "Front",
    "Leaving",
    "PlainApplication",
    "Proxies",
    "Room",
    "SignedIn",
    "allow_connections",
    "connection_limit",
    "web_server",
]
