"""An upload, segment by segment: where it is, so that it goes on after a break and is never sent a second time.

An order exists at the bank only once its last segment is there. Until that segment is sent, an upload that broke may be
given up. From then on only the bank's own word counts: its answer, its protocol (HAC), or a status report (pain.002).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class UploadPhase(StrEnum):
    """How far an upload has come."""

    PREPARED = "PREPARED"  # nothing was sent
    OPENING = "OPENING"  # the first message may be there; no order data was in it
    SENDING = "SENDING"  # the bank knows the transaction, the last segment has not been sent
    SENT = "SENT"  # the last segment may be there
    ACCEPTED = "ACCEPTED"  # the bank says that it has the order


@dataclass(frozen=True, slots=True)
class UploadState:
    """What is recorded of an upload before each message. `next_segment` counts from 1."""

    transaction_key: bytes
    phase: UploadPhase = UploadPhase.PREPARED
    transaction: str = ""
    order_id: str = ""
    next_segment: int = 1

    @property
    def may_be_given_up(self) -> bool:
        """True while the bank cannot have the order."""
        return self.phase in {UploadPhase.PREPARED, UploadPhase.OPENING, UploadPhase.SENDING}

    def after_opening(self, transaction: str, order_id: str) -> UploadState:
        """After the bank's first answer."""
        return replace(self, phase=UploadPhase.SENDING, transaction=transaction, order_id=order_id, next_segment=1)

    def before_segment(self, number: int, *, last: bool) -> UploadState:
        """Before a segment is sent; what was sent as the last one once stays so."""
        sent = last or self.phase is UploadPhase.SENT
        return replace(self, phase=UploadPhase.SENT if sent else UploadPhase.SENDING, next_segment=number)

    def in_phase(self, phase: UploadPhase, order_id: str = "") -> UploadState:
        """The same upload, further on."""
        return replace(self, phase=phase, order_id=order_id or self.order_id)
