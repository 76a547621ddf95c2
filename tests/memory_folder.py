"""Where the temporary files of a test run go: into memory where there is plenty, because much of it waits for disks."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

_MEMORY = Path("/dev/shm")  # noqa: S108  # only the folder that is made in it is used
_ENOUGH_KB = 8_000_000


def new_folder() -> Path:
    """A new folder of this run, which removes it at its end; in memory if 8 GB are free, else where it is usual."""
    return Path(tempfile.mkdtemp(prefix="pm-", dir=_MEMORY if _is_plenty() else None))


def _is_plenty() -> bool:
    if not _MEMORY.is_dir():
        return False
    free = re.search(r"^MemAvailable:\s+(\d+) kB$", Path("/proc/meminfo").read_text("ascii"), re.MULTILINE)
    return free is not None and int(free[1]) >= _ENOUGH_KB
