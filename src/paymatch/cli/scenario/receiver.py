"""Callback receiver of a scenario's shop: in memory, it answers as the scenario says and records every callback."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import msgspec

from paymatch.domain.words.message import Message
from paymatch.outbound.http import CallFailed, HttpAnswer, HttpCall, NoAnswerReason

URL: Final = "https://shop.example/paymatch"
_STATUS: Final = {"up": 200, "down": 0}


@dataclass(frozen=True, slots=True)
class StoryCall:
    """One call: the order, the status that its body said, the id, and whether it was acknowledged."""

    number: str
    status: str
    webhook_id: str
    acknowledged: bool


@dataclass
class StoryReceiver:
    """Answers 200 while it is `up`, refuses the connection while it is `down`, else answers the status that is set."""

    mode: str = "up"
    calls: list[StoryCall] = field(default_factory=list)

    def call(self, call: HttpCall) -> HttpAnswer:
        """The answer of the story; CallFailed while the receiver is down."""
        order = msgspec.json.decode(call.body)
        status = _STATUS[self.mode] if self.mode in _STATUS else int(self.mode)
        webhook_id = dict(call.headers).get("webhook-id", "")
        self.calls.append(StoryCall(order["number"], order["paymentStatus"], webhook_id, status == 200))
        if status == 0:
            raise CallFailed(NoAnswerReason.NOT_CONNECTED, Message("call-refused"))
        return HttpAnswer(status, b"", truncated=False, retry_after=None, elapsed_seconds=0.0, address="")

    def close(self) -> None:
        """Nothing to let go of."""

    def acknowledged_statuses(self, number: str) -> list[str]:
        """The statuses that the receiver has acknowledged for an order, in sequence."""
        return [call.status for call in self.calls if call.number == number and call.acknowledged]

    def attempts(self, number: str) -> int:
        """How often the receiver was called for an order."""
        return sum(call.number == number for call in self.calls)
