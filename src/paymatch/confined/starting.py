"""Running a function in a process of its own: this side starts, listens and says how it ended."""

from __future__ import annotations

import atexit
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Final

import msgspec

from paymatch.confined.budgets import Overrun, ProcessBudget, Resource, WorkFailed, ending
from paymatch.confined.messages import KEPT_SECONDS, Job, Tell, WorkerMessage, send_job
from paymatch.logs import logs_in_use

_FEW_ARENAS: Final = {"MALLOC_ARENA_MAX": "2"}
"""Else each thread reserves address space of its own, and the budget of memory would count unused memory."""


class _Started:
    """The server of this process, started when it is needed and again if it was killed; the processes that wait."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._idle: list[tuple[socket.socket, float]] = []

    def kept(self) -> socket.socket | None:
        """The channel of a process that has done a job and waits for the next; None if there is none."""
        with self._lock:
            while self._idle and self._owner == os.getpid():
                channel, since = self._idle.pop()
                ended = bool(select.select([channel], [], [], 0)[0])  # it says nothing else before its next job
                if not ended and time.monotonic() - since < KEPT_SECONDS / 2:
                    return channel
                channel.close()
        return None

    def keep(self, channel: socket.socket) -> None:
        """Closes the channel of a process that waits for its next job."""
        with self._lock:
            self._idle.append((channel, time.monotonic()))

    def new(self) -> socket.socket:
        """The channel of a process that is started for the job that comes first on it."""
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            try:
                socket.send_fds(self._connect(), [b"j"], [theirs.fileno()])
            except OSError:  # the server was killed
                self._stop()
                socket.send_fds(self._connect(), [b"j"], [theirs.fileno()])
        return ours

    def stop(self) -> None:
        """Ends the server and all its jobs."""
        with self._lock:
            self._stop()

    def _connect(self) -> socket.socket:
        if self._control is None or self._owner != os.getpid():
            self._forget_idle()
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
        self._forget_idle()
        self._control.close()
        self._process.wait()
        self._control = self._process = None

    def _forget_idle(self) -> None:
        for channel, _ in self._idle:
            channel.close()
        self._idle.clear()


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
    *,
    is_kept: bool = False,
    **arguments: Any,
) -> Any:
    """What `function(files, tell, **arguments)` returns, run in a process of its own that never outlives this one.

    The function must be in a module; its arguments and its result are what JSON can say. Files are real ones, and their
    places are shared. Overrun if it needs more than its budget, WorkFailed if it raises, Crashed if it does not end by
    itself. If anything happens here meanwhile, an interrupt for example, ends it too.

    With `is_kept` a process that has done such a job takes the next one, with a new budget (D-137). A function for that
    may keep what is dear to open, a connection for example.
    """
    job = Job(function.__module__, function.__qualname__, arguments, budget, *logs_in_use(), is_kept)
    channel = _begun(job, [file.fileno() for file in files])
    try:
        with channel.makefile("rb") as lines:
            last, exit_code = _last_of(lines, progress)
    except BaseException:
        channel.close()
        raise
    if last.waits:
        _STARTED.keep(channel)
    else:
        channel.close()
    return _outcome(last, exit_code, budget)


def _begun(job: Job, files: Sequence[int]) -> socket.socket:
    """The channel of the process that does the job."""
    if job.is_kept and (kept := _STARTED.kept()) is not None:
        with suppress(OSError):  # it was killed at this moment
            send_job(kept, job, files)
            return kept
        kept.close()
    channel = _STARTED.new()
    send_job(channel, job, files)
    return channel


def _last_of(lines: BinaryIO, progress: Tell | None) -> tuple[WorkerMessage, int]:
    """The result or failure, and how the process ended; 0 if it waits for its next job.

    The last line of a process that ends always says how it ended, unless the server itself was killed.
    """
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
            if said.waits:
                return last, 0
        elif progress is not None:
            progress(*said.progress)
    return last, exit_code


def _outcome(last: WorkerMessage, exit_code: int, budget: ProcessBudget) -> Any:
    if last.out_of_memory:
        raise Overrun(Resource.MEMORY, budget)
    if last.failed is not None:
        raise WorkFailed(last.failed)
    if last.result is None:
        raise ending(exit_code, budget)
    return last.result[0]
