"""The packages that a lock file names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

RUNTIME: Final = Path(__file__).resolve().parents[1] / "requirements-runtime.lock"
"""What a production install brings."""

_PACKAGE: Final = re.compile(r"(?P<name>[a-z0-9._-]+)==(?P<version>[^ ;]+)(?: ; (?P<condition>.+?))? \\")
_HASH: Final = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Locked:
    """A package of the lock: exactly these files are installed, where the condition holds ("": everywhere)."""

    name: str
    version: str
    condition: str
    sha256: tuple[str, ...]


def packages(path: Path = RUNTIME) -> list[Locked]:
    """All packages of a lock file in its order."""
    found = []
    for block in re.split(r"\n(?=[a-z0-9])", path.read_text("utf-8").strip()):
        named = _PACKAGE.match(block)
        if named is None:
            raise ValueError(f"no package: {block.partition(chr(10))[0]}")
        found.append(Locked(named["name"], named["version"], named["condition"] or "", tuple(_HASH.findall(block))))
    return found
