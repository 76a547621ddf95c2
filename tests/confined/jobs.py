"""What the tests have run in processes of their own."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from typing import Any, BinaryIO

from paymatch.confined import Tell


def answer(files: list[BinaryIO], tell: Tell, *, value: int) -> dict[str, Any]:
    """The value with the contents of the files, after a line of progress."""
    tell("reading", value)
    print("a library that prints")  # noqa: T201  what the test is about
    return {"value": value, "files": [file.read().decode() for file in files], "process": os.getpid()}


def eat(_files: list[BinaryIO], _tell: Tell) -> int:
    """Takes memory until there is none."""
    taken = []
    while True:
        taken.append(bytearray(1 << 20))


def spin(_files: list[BinaryIO], _tell: Tell) -> None:
    """Computes for ever."""
    while True:
        pass


def sleep(_files: list[BinaryIO], tell: Tell) -> None:
    """Waits for ever, after telling its process."""
    tell("sleeping", os.getpid())
    time.sleep(3600)


def crash(_files: list[BinaryIO], _tell: Tell) -> None:
    """Crashes as a library written in C does."""
    ctypes.string_at(0)


def fail(_files: list[BinaryIO], _tell: Tell) -> None:
    """Raises an unexpected exception."""
    raise KeyError("unforeseen")


def crash_with(files: list[BinaryIO], tell: Tell, **_more: object) -> None:
    """Always crashes."""
    crash(files, tell)


def be_killed_with(files: list[BinaryIO], tell: Tell, **_more: object) -> None:
    """Is always killed from outside."""
    os.kill(os.getpid(), signal.SIGKILL)


def fail_with(files: list[BinaryIO], tell: Tell, **_more: object) -> None:
    """Always fails."""
    fail(files, tell)
