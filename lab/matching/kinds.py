"""Every kind of shop, by its name."""

from __future__ import annotations

from typing import Final

from lab.matching.further_shops import FURTHER
from lab.matching.shops import FIRST_KINDS, Kind

KINDS: Final[dict[str, Kind]] = FIRST_KINDS | {kind.name: kind for kind in FURTHER}
