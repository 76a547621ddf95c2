"""How often Python looks for garbage: rarely, for nearly everything is freed without it."""

from __future__ import annotations

import gc
from typing import Final

_THRESHOLDS: Final = (10_000, 20, 20)


def collect_rarely() -> None:
    """Looks for cycles after 10,000 new objects in place of 700, which took an eighth of the time of matching."""
    gc.set_threshold(*_THRESHOLDS)
