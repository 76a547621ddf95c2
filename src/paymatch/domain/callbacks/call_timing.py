"""Where the time of an outgoing call went: name lookup, connection, TLS handshake, wait for the first byte."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class CallTiming:
    """Microseconds of each part of a call, and the address that was called, "" before a connection.

    None: the call had no such part, because a kept connection served it, the receiver speaks no TLS, or it ended
    before.
    A part that failed or ran out of time has the time until then. What is left of the whole time went into sending,
    reading the rest of the answer, and waiting for one of the host's connections.
    """

    name_us: int | None = None
    connect_us: int | None = None
    tls_us: int | None = None
    first_byte_us: int | None = None
    address: str = ""

    @property
    def is_measured(self) -> bool:
        """Whether any part was measured; attempts before this was kept have only their whole time."""
        return any(part is not None for part in (self.name_us, self.connect_us, self.tls_us, self.first_byte_us))


UNMEASURED: Final = CallTiming()
