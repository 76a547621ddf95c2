"""Trials of mutants: the tests that enter a changed function run in a fork of this process, on the changed module.

Nothing is written: an importer of the fork hands out the changed module. The libraries are imported once, before the
first fork; the project is imported in each.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.metadata import entry_points
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
SOURCE: Final = ROOT / "src"
LIBRARIES: Final = ("hypothesis", "hypothesis.strategies", "msgspec", "psycopg", "schwifty", "stdnum", "zoneinfo")
SLACK_SECONDS: Final = 60
"""A mutant that runs for so long, and five times what all tests take, is dead: it never ends."""

Function = tuple[str, int]
"""A function of the source: its path below the root, and its first line, decorators included."""


@dataclass(frozen=True, slots=True)
class _Test:
    name: str
    seconds: float


class Trials:
    """The tests of a room, and which functions each of them enters."""

    def __init__(self, tests: Sequence[str]) -> None:
        """Runs all tests once on the source as it is; those that fail while they are watched are `left_out`."""
        for name in LIBRARIES:
            importlib.import_module(name)
        for plugin in entry_points(group="pytest11"):
            plugin.load()
        self._files = tests
        began = time.monotonic()
        with tempfile.NamedTemporaryFile(prefix="paymatch-mutants-") as file:
            entered = _Entered()
            _in_a_fork(lambda: _run(tests, entered, then=lambda: entered.write(Path(file.name)), stop=False), None)
            said = json.loads(Path(file.name).read_text("utf-8"))
        self._limit = SLACK_SECONDS + 5 * (time.monotonic() - began)
        self.left_out: list[str] = said["failed"]
        self._tests = [_Test(name, each) for name, each in said["seconds"].items() if name not in self.left_out]
        self._tests.sort(key=lambda test: test.seconds)
        self._by_function: dict[Function, set[str]] = {(path, line): set(by) for path, line, by in said["entered"]}

    def entering(self, function: Function | None) -> list[str]:
        """The tests that enter the function, the quickest first; all of them if it runs while modules are imported."""
        by = self._by_function.get(function, set()) if function is not None else {""}
        return [test.name for test in self._tests if "" in by or test.name in by or test.name.split("::")[0] in by]

    def notice(self, path: Path, text: str, function: Function | None) -> bool:
        """Whether a test fails, or none ends, while the module says this instead."""
        chosen = self.entering(function)
        files = [file for file in self._files if any(name.startswith(f"{file}::") for name in chosen)]

        def child() -> int:
            sys.meta_path.insert(0, _Importer(ROOT / path, text))
            return _run(files, _Chosen(chosen))

        return bool(chosen) and _in_a_fork(child, self._limit) != 0


def _run(files: Sequence[str], plugin: object, then: Callable[[], None] | None = None, *, stop: bool = True) -> int:
    quiet = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # the libraries are there before pytest is
    code = pytest.main([*["-x"] * stop, "-q", "-p", "no:cacheprovider", *quiet, *files], plugins=[plugin])
    if then is not None:
        then()
    return int(code)


def _in_a_fork(run: Callable[[], int], limit: float | None) -> int:
    """What `run` returns in a process of its own; 1 if it takes longer than that many seconds."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        code = 1
        try:
            os.setsid()
            nowhere = os.open(os.devnull, os.O_RDWR)
            for number in (0, 1, 2):
                os.dup2(nowhere, number)
            os.environ |= {"HYPOTHESIS_PROFILE": "gate", "PYTHONDONTWRITEBYTECODE": "1"}
            os.chdir(ROOT)
            code = run()
        finally:
            os._exit(code)
    ends = None if limit is None else time.monotonic() + limit
    while True:
        done, status = os.waitpid(child, 0 if ends is None else os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if ends is not None and time.monotonic() > ends:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return 1
        time.sleep(0.02)


class _Importer(SourceFileLoader):
    """Finds one module, and hands out another text for it."""

    def __init__(self, path: Path, text: str) -> None:
        name = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        super().__init__(name, str(path))
        self._text = text

    def find_spec(self, name: str, _path: object, _target: object = None) -> ModuleSpec | None:
        return spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_code(self, _fullname: str) -> CodeType:
        return compile(self._text, self.path, "exec", dont_inherit=True)


class _Chosen:
    """Plugin of pytest: of all tests only these, in this order."""

    def __init__(self, names: Sequence[str]) -> None:
        self._places = {name: place for place, name in enumerate(names)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = [item for item in items if item.nodeid in self._places]
        items[:] = sorted(chosen, key=lambda item: self._places[item.nodeid])


class _Entered:
    """Plugin of pytest that notes which functions of the source each test enters, and how long it takes.

    What is entered while modules are imported is noted without a test; what fixtures enter, for the test's file.
    """

    def __init__(self) -> None:
        self._by: dict[tuple[str, int], set[str]] = {}
        self._now = ""
        self._seconds: dict[str, float] = {}
        self._failed: list[str] = []
        sys.settrace(self._enter)

    def _enter(self, frame: FrameType, _event: str, _given: object) -> None:
        code = frame.f_code
        if code.co_filename.startswith(str(SOURCE)):
            self._by.setdefault((code.co_filename, code.co_firstlineno), set()).add(self._now)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[Any]:
        yield from self._as(item.nodeid.split("::")[0])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[Any]:
        began = time.monotonic()
        yield from self._as(item.nodeid)
        self._seconds[item.nodeid] = time.monotonic() - began

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed.append(report.nodeid)

    def _as(self, name: str) -> Iterator[Any]:
        self._now = name
        sys.settrace(self._enter)
        try:
            return (yield)
        finally:
            self._now = ""

    def write(self, file: Path) -> None:
        """Leaves what was noted in the file."""
        sys.settrace(None)
        entered: list[tuple[str, int, Collection[str]]] = [
            (str(Path(path).relative_to(ROOT)), line, sorted(by)) for (path, line), by in self._by.items()
        ]
        file.write_text(json.dumps({"seconds": self._seconds, "failed": self._failed, "entered": entered}), "utf-8")
