"""Free space of the folders that the service needs: data, temporary files, logs."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SYSTEM_LOG: Final = Path("/var/log")


@dataclass(frozen=True, slots=True)
class FreeSpace:
    """The free space of a folder, and the total of its disk, in bytes."""

    folder: str
    free_bytes: int
    capacity_bytes: int


def service_folders(data_dir: Path) -> dict[str, Path]:
    """Name -> folder: `data` (the bundled database and its log are in it), `temporary`, and `log` (the system's)."""
    return {"data": data_dir.expanduser().absolute(), "temporary": Path(tempfile.gettempdir()), "log": _SYSTEM_LOG}


def free_space(folders: Mapping[str, Path]) -> list[FreeSpace]:
    """The free space of each folder, in the order of the folders; an unreadable one is left out."""
    found = []
    for name, folder in folders.items():
        try:
            usage = shutil.disk_usage(nearest_existing(folder))
        except OSError:
            continue
        found.append(FreeSpace(name, usage.free, usage.total))
    return found


def nearest_existing(path: Path) -> Path:
    """The path, or the first of its parents that exists, which is on the same disk."""
    return next((each for each in (path, *path.parents) if each.exists()), path)
