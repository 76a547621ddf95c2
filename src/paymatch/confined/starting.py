"""Running a function in a process of its own: this side starts, listens and says how it ended."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, Final

import msgspec

from paymatch.confined.budgets import Overrun, ProcessBudget, Resource, WorkFailed, ending
from paymatch.confined.messages import Job, Tell, WorkerMessage
from paymatch.domain.words.message import as_text
from paymatch.logs import logs_in_use

_FEW_ARENAS: Final = {"MALLOC_ARENA_MAX": "2"}
"""Else each thread reserves address space of its own, and the budget of memory would count what nobody uses."""


class _Started:
    """The server of this process; started when it is first needed, and again if it was killed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def begin(self, files: Sequence[int]) -> socket.socket:
        """A new job's channel, its files handed over."""
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            try:
                socket.send_fds(self._connect(), [b"j"], [theirs.fileno(), *files])
            except OSError:  # the server was killed
                self._stop()
                socket.send_fds(self._connect(), [b"j"], [theirs.fileno(), *files])
        return ours

    def stop(self) -> None:
        """Ends the server and all its jobs."""
        with self._lock:
            self._stop()

    def _connect(self) -> socket.socket:
        if self._control is None or self._owner != os.getpid():
            self._control, far = socket.socketpair()
            self._owner = os.getpid()
            with far:
                self._process = subprocess.Popen(  # noqa: S603  our own module, no shell
                    [sys.executable, "-m", "paymatch.confined.server", str(far.fileno())],
                    env=os.environ | _FEW_ARENAS,
                    pass_fds=[far.fileno()],
                    stdin=subprocess.DEVNULL,
                    process_group=0,
                )
        return self._control

    def _stop(self) -> None:
        if self._control is None or self._process is None or self._owner != os.getpid():
            return
        self._control.close()
        self._process.wait()
        self._control = self._process = None


_STARTED: Final = _Started()
atexit.register(_STARTED.stop)


@contextmanager
def as_file(stream: BinaryIO) -> Iterator[BinaryIO]:
    """The stream if it is a file that another process can be handed, else a copy on disk that has no name."""
    try:
        stream.fileno()
    except OSError:
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(stream, copy)
            copy.flush()
            copy.seek(0)
            yield copy
        return
    yield stream


def run(
    function: Callable[..., Any],
    budget: ProcessBudget,
    files: Sequence[BinaryIO] = (),
    progress: Tell | None = None,
    **arguments: Any,
) -> Any:
    """What `function(files, tell, **arguments)` returns, run in a process of its own that never outlives this one.

    The function stands in a module; its arguments and its result are what JSON can say. Files are real ones, and their
    places are shared. Overrun if it needs more than its budget, WorkFailed if it raises, Crashed if it does not end by
    itself. Whatever happens here meanwhile, an interrupt for example, ends it too.
    """
    job = Job(function.__module__, function.__qualname__, arguments, budget, *logs_in_use())
    with _STARTED.begin([file.fileno() for file in files]) as channel:
        channel.sendall(msgspec.json.encode(job, enc_hook=as_text) + b"\n")
        with channel.makefile("rb") as lines:
            return _outcome(lines, budget, progress)


def _outcome(lines: BinaryIO, budget: ProcessBudget, progress: Tell | None) -> Any:
    """Listens to the end; the last line always says how the process ended, unless the server itself was killed."""
    last, exit_code = WorkerMessage(), -9
    for line in lines:
        try:
            said = msgspec.json.decode(line, type=WorkerMessage)
        except msgspec.DecodeError:
            continue  # the process was killed while it wrote this
        if said.exit_code is not None:
            exit_code = said.exit_code
        elif said.progress is None:
            last = said
        elif progress is not None:
            progress(*said.progress)
    if last.out_of_memory:
        raise Overrun(Resource.MEMORY, budget)
    if last.failed is not None:
        raise WorkFailed(last.failed)
    if last.result is None:
        raise ending(exit_code, budget)
    return last.result[0]
