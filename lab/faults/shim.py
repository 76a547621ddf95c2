"""The clock and the disk of an installation, as `shim.c` changes them while it runs."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from lab.faults.outcome import LeftOut
from paymatch.embedded import server
from paymatch.embedded.cluster import environment

_SOURCE = Path(__file__).with_name("shim.c")


class Shim:
    """Compiled into a folder. `environment` is for processes that are to see its clock and its disk."""

    def __init__(self, folder: Path) -> None:
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            raise LeftOut("there is no C compiler for the library that changes clock and disk")
        library = folder / "shim.so"
        command = [compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(_SOURCE), "-ldl"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise LeftOut(f"the library that changes clock and disk does not compile: {done.stderr[:200]}")
        self._state = folder / "shim.state"
        self.set()
        for path in (library, self._state):
            path.chmod(0o755)
        self.environment = {"LD_PRELOAD": str(library), "FAULTS_STATE": str(self._state)}

    def set(self, *, ahead_seconds: int = 0, sync_seconds: float = 0.0) -> None:
        """The clock is so far ahead from now on (behind, if negative), and a sync takes so much longer."""
        with self._state.open("r+b" if self._state.exists() else "wb") as file:
            file.write(struct.pack("qq", ahead_seconds, int(sync_seconds * 1_000_000)))

    @contextmanager
    def of_the_database(self) -> Iterator[None]:
        """The bundled PostgreSQL that is started inside of the block sees them too; it takes over no environment."""
        with patch.object(server, "environment", lambda: environment() | self.environment):
            yield
