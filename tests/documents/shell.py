"""A shell in which a page's commands are typed one after the other, at a terminal that answers `y`."""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SECONDS = 120.0
"""The longest wait for a command, on any machine."""


@dataclass(frozen=True)
class Ran:
    """A command that has ended: its exit code and what it printed."""

    code: int
    out: str
    err: str


@dataclass
class Shell:
    """One bash for a page: what a command exports, the next one has."""

    process: subprocess.Popen[str]
    folder: Path

    def run(self, text: str) -> Ran:
        """Types a command, waits for its end."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        person, terminal = os.openpty()
        try:
            os.write(person, b"y\ny\n")
            said = [self.folder / ".out", self.folder / ".err"]
            typed = f"{{ {text}\n}} < {os.ttyname(terminal)} > '{said[0]}' 2> '{said[1]}'\necho $?\n"
            self.process.stdin.write(typed)
            self.process.stdin.flush()
            ended, _, _ = select.select([self.process.stdout], [], [], SECONDS)
            assert ended, f"no end: {text}"
            code = int(self.process.stdout.readline())
            return Ran(code, *(path.read_text("utf-8", "replace") for path in said))
        finally:
            os.close(person)
            os.close(terminal)


@contextmanager
def shell(folder: Path, environment: Mapping[str, str]) -> Iterator[Shell]:
    """The shell while it is open."""
    command = ["bash", "--noprofile", "--norc", "-o", "pipefail"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, env=dict(environment), text=True
    ) as process:
        yield Shell(process, folder)
        assert process.stdin is not None
        process.stdin.close()
