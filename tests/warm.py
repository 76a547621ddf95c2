"""paymatch with all its commands loaded: each that is run is a process forked from this one, and costs no start.

`python -m tests.warm SOCKET` listens; the file that STAND_IN makes is called `paymatch` and hands over its
words, folder, environment and the three standard files.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import Final

STAND_IN: Final = """#!{python} -ISE
import os, socket, sys
with socket.socket(socket.AF_UNIX) as door:
    door.connect({door!r})
    told = [os.getcwd(), str(len(sys.argv)), *sys.argv, *(f"{{name}}={{value}}" for name, value in os.environ.items())]
    message = "\\0".join(told).encode()
    socket.send_fds(door, [len(message).to_bytes(4, "big")], [0, 1, 2])
    door.sendall(message)
    sys.exit(int(door.makefile().read() or 255))
"""


def stand_in(folder: Path, door: Path) -> None:
    """Writes the program `paymatch` into the folder."""
    path = folder / "paymatch"
    path.write_text(STAND_IN.format(python=sys.executable, door=str(door)), "utf-8")
    path.chmod(0o755)


def _load_everything() -> None:
    from paymatch.cli.loading import load
    from paymatch.cli.main import COMMANDS

    for name, entry in COMMANDS.items():
        load(name, entry)
    import paymatch.app  # noqa: F401  what commands load when they are used
    from paymatch.gc_tuning import keep_what_is_there

    keep_what_is_there()  # else each fork copies all of it at its end, which costs more than most commands


def _become(files: list[int], message: str) -> None:
    """This process is from now on the one that somebody called."""
    folder, count, *words = message.split("\0")
    for place, file in enumerate(files):
        os.dup2(file, place)
        os.close(file)
    os.chdir(folder)
    sys.argv = words[: int(count)]
    os.environ.clear()
    os.environ.update(dict(word.split("=", 1) for word in words[int(count) :]))


def _take(door: socket.socket) -> bool:
    """Answers one call; True in the process that was forked to run it."""
    with door.accept()[0] as caller:
        head, files, _, _ = socket.recv_fds(caller, 4, 3)
        with caller.makefile("rb") as reader:
            message = reader.read(int.from_bytes(head, "big")).decode()
        process = os.fork()
        if process == 0:
            _become(files, message)
            return True
        for file in files:
            os.close(file)
        _, status = os.waitpid(process, 0)
        with contextlib.suppress(OSError):
            caller.sendall(str(os.waitstatus_to_exitcode(status) & 255).encode())
    return False


def serve(path: str) -> None:
    """Takes calls until it is ended; returns in the processes that are to run a command."""
    _load_everything()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path)
        door.listen()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while not _take(door):
            pass


def _run() -> None:
    """Runs the command, and ends without taking apart all modules, which would copy what the fork shares."""
    from paymatch.cli.main import main

    code = 0
    try:
        main()
    except SystemExit as ended:
        if not isinstance(ended.code, int | None):
            raise
        code = ended.code or 0
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    serve(sys.argv[1])
    _run()
