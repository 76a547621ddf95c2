"""What a scenario is judged by: what is promised, what was seen, and each thing that is wrong, in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


class LeftOut(Exception):
    """The scenario cannot be played on this machine; the text says why."""


@dataclass
class Outcome:
    """Of one scenario. Nothing may be wrong."""

    fault: str
    promised: str
    seen: dict[str, Any] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    left_out: str = ""

    def hold(self, is_so: bool, otherwise: str) -> None:
        """Writes down what is wrong unless it is so."""
        if not is_so:
            self.wrong.append(otherwise)
