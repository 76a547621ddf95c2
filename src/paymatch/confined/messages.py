"""Messages between an owner and the processes that work for it: lines of JSON."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from paymatch.confined.budgets import ProcessBudget
from paymatch.domain.words.message import as_text
from paymatch.logs import LogFormat, LogLevel

MAX_FILES: Final = 4
"""Files that may be handed to one job."""

KEPT_SECONDS: Final = 60
"""So long a process waits for its next job; its owner asks it within half of that."""

Tell = Callable[[str, int], None]
"""Reports to the owner what is being done, and how many of it are done."""


class Job(msgspec.Struct, frozen=True):
    """What is to be run: the function `name` of `module` with these arguments."""

    module: str
    name: str
    arguments: dict[str, Any]
    budget: ProcessBudget
    log_format: LogFormat
    log_level: LogLevel
    is_kept: bool = False


class WorkerMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line that comes back; exactly one of the fields is set."""

    progress: tuple[str, int] | None = None
    result: list[Any] | None = None  # in a list, so that None is a result too
    failed: str | None = None
    out_of_memory: bool = False
    exit_code: int | None = None
    waits: bool = False  # with a result: the process takes another job on this channel


def send_job(channel: socket.socket, job: Job, files: Sequence[int]) -> None:
    """Hands a job over its channel: a byte with the descriptors of its files, then a line."""
    socket.send_fds(channel, [b"j"], files)
    channel.sendall(line_of(job))


def receive_job(channel: socket.socket) -> tuple[Job, list[int]] | None:
    """The next job of a channel with the descriptors of its files; None if its owner is gone."""
    byte, files, _, _ = socket.recv_fds(channel, 1, MAX_FILES)
    if not byte:
        return None
    with channel.makefile("rb", buffering=65536) as reader:
        line = reader.readline()
    return (msgspec.json.decode(line, type=Job), files) if line else None


def line_of(said: Job | WorkerMessage) -> bytes:
    """A message as it goes over a channel."""
    return msgspec.json.encode(said, enc_hook=as_text) + b"\n"
