"""The process that starts processes: it has loaded what they need, so that a start costs milliseconds.

Run as `python -m paymatch.confined.server FD`. Over the socket FD comes one byte per process with the descriptor
of its channel. On the channel follow the files of a job and the job as a line of JSON; back go lines of progress, a
result or a failure, and at last how the process ended. A process that is kept waits on its channel for more jobs. A
channel that its owner closes ends the process; so does the end of the socket, which comes when the owner is
killed.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from typing import Final, NoReturn

import structlog

from paymatch.confined.budgets import peak_memory
from paymatch.confined.messages import KEPT_SECONDS, Job, WorkerMessage, line_of, receive_job
from paymatch.gc_tuning import collect_rarely, keep_what_is_there
from paymatch.logs import set_up_logs

_PR_SET_PDEATHSIG: Final = 1
_KEPT_BELOW_BYTES: Final = 256 * 1024**2
"""A process that has held more ends after its job: what one large file took does not stay taken."""
_log = structlog.get_logger("paymatch.confined")


class _Server:
    """One thread, so that its copies are sound: it forks, waits for ends, and reports them."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._channels: dict[int, socket.socket] = {}  # by process
        self._poll = select.poll()
        self._woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self._poll.register(control, select.POLLIN)
        self._poll.register(self._woken, select.POLLIN)

    def run(self) -> None:
        """Starts jobs until the owner is gone; then ends those that are left."""
        while self._wait():
            pass
        for pid in self._channels:
            os.kill(pid, signal.SIGKILL)

    def _wait(self) -> bool:
        for descriptor, _ in self._poll.poll():
            if descriptor == self._control.fileno():
                if not self._start():
                    return False
            elif descriptor == self._woken:
                os.read(self._woken, 4096)
            else:  # no one wants the result any more
                self._end(descriptor)
        self._reap()
        return True

    def _start(self) -> bool:
        byte, descriptors, _, _ = socket.recv_fds(self._control, 1, 1)
        if not byte:
            return False
        channel = socket.socket(fileno=descriptors[0])
        found = receive_job(channel)
        if found is None:
            channel.close()
            return True
        job, files = found
        with suppress(Exception):  # the process itself will say what is wrong
            importlib.import_module(job.module)
        keep_what_is_there()
        pid = os.fork()
        if pid == 0:
            self._become(job, channel, files)
        self._channels[pid] = channel
        self._poll.register(channel, 0)  # its end is reported unasked
        for descriptor in files:
            os.close(descriptor)
        return True

    def _become(self, job: Job, channel: socket.socket, files: Sequence[int]) -> NoReturn:
        """What the new process does, to its end."""
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for other in (*self._channels.values(), self._control):
                other.close()
            _die_with(os.getppid())
            next_job: tuple[Job, Sequence[int]] | None = (job, files)
            while next_job is not None and _work(*next_job, channel):
                next_job = _awaited(channel)
        finally:
            os._exit(0 if sys.exception() is None else 1)

    def _end(self, descriptor: int) -> None:
        for pid, channel in self._channels.items():
            if channel.fileno() == descriptor:
                os.kill(pid, signal.SIGKILL)
                self._poll.unregister(descriptor)
                return

    def _reap(self) -> None:
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                pid, status = ended
                channel = self._channels.pop(pid)
                with suppress(KeyError):
                    self._poll.unregister(channel)
                with suppress(OSError):  # it may have been killed in the middle of a line
                    channel.sendall(b"\n" + line_of(WorkerMessage(exit_code=os.waitstatus_to_exitcode(status))))
                channel.close()


def _work(job: Job, files: Sequence[int], channel: socket.socket) -> bool:
    """Runs the function within its budget and says what came of it; whether the process waits for another job."""

    def tell(what: str, count: int) -> None:
        channel.sendall(line_of(WorkerMessage(progress=(what, count))))

    set_up_logs(job.log_format, job.log_level)
    try:
        function = getattr(importlib.import_module(job.module), job.name)
        with ExitStack() as open_files:
            streams = [open_files.enter_context(os.fdopen(descriptor, "rb")) for descriptor in files]
            with job.budget.applied():
                result = function(streams, tell, **job.arguments)
    except MemoryError:
        said = WorkerMessage(out_of_memory=True)
    except Exception as error:
        _log.exception("work failed", work=f"{job.module}:{job.name}")
        said = WorkerMessage(failed=f"{type(error).__name__}: {error}")
    else:
        said = WorkerMessage(result=[result], waits=job.is_kept and peak_memory() < _KEPT_BELOW_BYTES)
    channel.sendall(line_of(said))
    return said.waits


def _awaited(channel: socket.socket) -> tuple[Job, list[int]] | None:
    """The next job of this process; None if none comes in time, or the owner is gone."""
    gc.collect()  # the owner has its result already
    return receive_job(channel) if select.select([channel], [], [], KEPT_SECONDS)[0] else None


def _die_with(parent: int) -> None:
    """Ends this process with the one that started it, by the kernel or, where it has no such service, by looking."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    else:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    if os.getppid() != parent:
        os._exit(1)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def main() -> None:
    """Serves the socket whose number is the argument."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the owner, whose end ends us
    os.dup2(2, 1)  # prints must not get into the output of a command
    collect_rarely()
    _Server(socket.socket(fileno=int(sys.argv[1]))).run()


if __name__ == "__main__":
    main()
