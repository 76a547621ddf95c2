"""Trials of mutants: the tests that enter a changed function run in a fork, on the changed module. Nothing is written.

The quick way: a host has the project imported and the tests collected, and each of its forks gives the changed function
its new code. What runs while modules are imported or tests are collected, and the tests that need a database, go the
slow way: the fork imports the project itself, and an importer hands out the changed module. Several workers, each with
a host of its own, try mutants side by side; a test that has killed another mutant of the function is tried first.
"""

from __future__ import annotations

import gc
import importlib
import inspect
import json
import os
import signal
import sys
import tempfile
import time
from ast import parse, unparse
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import _lru_cache_wrapper, partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.metadata import entry_points
from importlib.util import spec_from_file_location
from mmap import mmap
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
SOURCE: Final = ROOT / "src"
LIBRARIES: Final = ("hypothesis", "hypothesis.strategies", "msgspec", "psycopg", "schwifty", "stdnum", "zoneinfo")
SLACK_SECONDS: Final = 30
"""A mutant that runs for so long, and five times what its tests take while they are watched, is dead: it never ends."""
DATABASE: Final = "server_url"
"""The fixture of all tests that need a database."""

Function = tuple[str, int]
"""A function of the source: its path below the root, and its first line, decorators included."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A module of the source, what it would say, and the function that would be another; None: it runs at import."""

    path: Path
    text: str
    function: Function | None


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
        with tempfile.NamedTemporaryFile(prefix="paymatch-mutants-") as file:
            entered = _Entered()
            _ended(_forked(lambda: _run(tests, entered, then=lambda: entered.write(Path(file.name)), stop=False)), None)
            said = json.loads(Path(file.name).read_text("utf-8"))
        assert said["seconds"], "no test ran while they were watched"
        self.left_out: list[str] = said["failed"]
        self._tests = [_Test(name, each) for name, each in said["seconds"].items() if name not in self.left_out]
        self._known = frozenset((*said["seconds"], *said["failed"]))
        self._by_function: dict[Function, set[str]] = {(path, line): set(by) for path, line, by in said["entered"]}
        self._killers: dict[Function | None, Counter[str]] = {}
        self._kills: Counter[str] = Counter()

    def notices(self, changes: Sequence[Changed], workers: int = 1) -> Iterator[tuple[int, bool]]:
        """The place of each change and whether a test notices it, as they come to an end."""
        lines: list[Connection] = []
        children = []
        for _ in range(min(workers, len(changes))):
            line, there = Pipe()
            lines.append(line)
            children.append(_forked(partial(self._work, there, lines, changes)))
            there.close()
        left = iter(range(len(changes)))
        for line in lines:
            line.send(next(left))
        waiting = len(changes)
        while waiting:
            ready = wait(lines)
            for line in (each for each in lines if each in ready):
                found: tuple[int, bool] = line.recv()
                waiting -= 1
                following = next(left, None)
                if following is not None:
                    line.send(following)
                yield found
        for line, child in zip(lines, children, strict=True):
            line.close()
            _ended(child, None)

    def _work(self, line: Connection, others: Sequence[Connection], changes: Sequence[Changed]) -> int:
        """A worker: tries the changes whose places it is told, until the line is closed."""
        for other in others:
            other.close()
        with self.host() as host:
            while True:
                try:
                    place: int = line.recv()
                except EOFError:
                    return 0
                line.send((place, self.notice(host, changes[place])))

    @contextmanager
    def host(self) -> Iterator[Host]:
        """A host of quick trials, which ends with the block."""
        here, there = Pipe()

        def child() -> int:
            here.close()
            return _run(self._files, _Hosting(there))

        hosting = _forked(child)
        there.close()
        try:
            yield Host(here)
        finally:
            here.close()
            _ended(hosting, None)

    def entering(self, function: Function | None) -> list[str]:
        """The tests that enter the function; all of them if it runs while modules are imported.

        First those that have killed most of its mutants, then those that take the least time for each that they killed
        anywhere.
        """
        by, killers = self._entered_by(function), self._killers.get(function, Counter[str]())
        found = [test for test in self._tests if "" in by or test.name in by or test.name.split("::")[0] in by]
        found.sort(key=lambda test: (-killers[test.name], test.seconds / (1 + self._kills[test.name])))
        return [test.name for test in found]

    def _entered_by(self, function: Function | None) -> Collection[str]:
        return self._by_function.get(function, set()) if function is not None else {""}

    def notice(self, host: Host, change: Changed) -> bool:
        """Whether a test fails, or none ends, while the module says this instead."""
        chosen = self.entering(change.function)
        if not chosen:
            return False
        limit = SLACK_SECONDS + 5 * sum(test.seconds for test in self._tests if test.name in set(chosen))
        if "" not in self._entered_by(change.function):
            said = host.tries(change, chosen, limit)
            if said.killer is not None:
                self._killers.setdefault(change.function, Counter())[said.killer] += 1
                self._kills[said.killer] += 1
                return True
            chosen = [*said.untried]
        return bool(chosen) and self.notice_slowly(change, chosen, limit)

    def notice_slowly(self, change: Changed, chosen: Sequence[str], limit: float) -> bool:
        """Whether one of these tests fails in a fork that imports the project anew."""
        files = [file for file in self._files if any(name.startswith(f"{file}::") for name in chosen)]

        def child() -> int:
            sys.meta_path.insert(0, _Importer(ROOT / change.path, change.text))
            return _run(files, _Chosen(chosen, self._known))

        return _ended(_forked(child), limit) != 0


def _run(files: Sequence[str], plugin: object, then: Callable[[], None] | None = None, *, stop: bool = True) -> int:
    quiet = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # the libraries are there before pytest is
    code = pytest.main([*["-x"] * stop, "-q", "-p", "no:cacheprovider", *quiet, *files], plugins=[plugin])
    if then is not None:
        then()
    return int(code)


def _forked(run: Callable[[], int]) -> int:
    """Number of a new process that ends with what `run` returns."""
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
    return child


def _ended(child: int, limit: float | None) -> int:
    """Exit code of the process; 1 if it takes longer than that many seconds."""
    ends = None if limit is None else time.monotonic() + limit
    while True:
        done, status = os.waitpid(child, 0 if ends is None else os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if ends is not None and time.monotonic() > ends:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return 1
        time.sleep(0.01)


@dataclass(frozen=True, slots=True)
class Said:
    """What became of a quick trial: the test that failed, and the tests that have to go the slow way."""

    killer: str | None
    untried: Sequence[str]


@dataclass(frozen=True, slots=True)
class Host:
    """The line to a process that has the project imported and the tests collected."""

    line: Connection

    def tries(self, change: Changed, chosen: Sequence[str], limit: float) -> Said:
        """Runs these tests in a fork of the host until one fails; one that never ends is the last that began."""
        self.line.send((change, chosen, limit))
        said: Said = self.line.recv()
        return said


class _Hosting:
    """Plugin of pytest that runs no test itself: its forks do, each with the change that it is asked for."""

    def __init__(self, asked: Connection) -> None:
        self._asked = asked

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        functions, items = _functions(), {item.nodeid: item for item in session.items}
        gc.freeze()  # what is there already stays shared with the forks
        while True:
            try:
                change, names, limit = self._asked.recv()
            except EOFError:
                return True
            chosen = [items[name] for name in names if name in items and not _needs_database(items[name])]
            found = recoded(change.path, change.text, functions)
            if not found:
                self._asked.send(Said(None, names))
                continue
            killer = _failing(session, chosen, found, limit) if chosen else None
            tried = {item.nodeid for item in chosen}
            self._asked.send(Said(killer, [name for name in names if name not in tried]))


def _failing(
    session: pytest.Session, items: Sequence[pytest.Item], found: Mapping[FunctionType, CodeType], limit: float
) -> str | None:
    """The first of the tests that fails, or does not end, while the functions have this code; None if all pass."""
    begun = mmap(-1, 8)  # shared with the fork: which test it has come to

    def child() -> int:
        for function, code in found.items():
            function.__code__ = code
        for place, (item, following) in enumerate(zip(items, (*items[1:], None), strict=True)):
            begun[:] = place.to_bytes(8)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                break
        session.config.hook.pytest_sessionfinish(session=session, exitstatus=int(session.testsfailed > 0))
        return int(session.testsfailed > 0)

    with begun:
        failed = _ended(_forked(child), limit) != 0
        return items[int.from_bytes(begun[:])].nodeid if failed else None


def _needs_database(item: pytest.Item) -> bool:
    return DATABASE in getattr(item, "fixturenames", ())


def _existing() -> list[Any]:
    """Everything that there is, also what the tests' own plugin has put out of the garbage collector's sight."""
    gc.unfreeze()
    return gc.get_objects()


def _functions() -> dict[tuple[str, str], list[FunctionType]]:
    """The functions of the source that exist, by file and name."""
    found: dict[tuple[str, str], list[FunctionType]] = {}
    for each in _existing():
        if type(each) is FunctionType and each.__code__.co_filename.startswith(str(SOURCE)):
            found.setdefault((each.__code__.co_filename, each.__code__.co_qualname), []).append(each)
    return found


def recoded(
    path: Path, text: str, functions: Mapping[tuple[str, str], Sequence[FunctionType]]
) -> dict[FunctionType, CodeType]:
    """Function -> its code if the module said this instead; empty if that is not a matter of functions alone."""
    file = str(ROOT / path)
    today = unparse(parse((ROOT / path).read_text("utf-8")))  # as mutants are written, line for line
    old, new = (compile(each, file, "exec", dont_inherit=True) for each in (today, text))
    found: dict[FunctionType, CodeType] = {}
    for code in _changed(old, new):
        same = functions.get((file, code.co_qualname), ())
        if len({each.__code__ for each in same}) != 1 or same[0].__code__.co_freevars != code.co_freevars:
            return {}
        found |= dict.fromkeys(same, code)
    return found


def _changed(old: CodeType, new: CodeType) -> Iterator[CodeType]:
    """The new code of each function that is another now; those within functions are a part of theirs."""
    for one, other in zip(old.co_consts, new.co_consts, strict=False):
        if isinstance(one, CodeType) and isinstance(other, CodeType) and one != other:
            if other.co_flags & inspect.CO_OPTIMIZED:
                yield other
            else:  # the body of a class
                yield from _changed(one, other)


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
    """Plugin of pytest: of all tests only these, in this order.

    And before them those that nobody knows: a test is named for its values, and a value may be what has changed.
    """

    def __init__(self, names: Sequence[str], known: Collection[str]) -> None:
        self._places = {name: place for place, name in enumerate(names)}
        self._known = known

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = [item for item in items if item.nodeid in self._places or item.nodeid not in self._known]
        items[:] = sorted(chosen, key=lambda item: self._places.get(item.nodeid, -1))


class _Entered:
    """Plugin of pytest that notes which functions of the source each test enters, and how long it takes.

    What is entered while modules are imported is noted without a test; what fixtures enter, for the test's file. Caches
    are emptied before each test, so that none hides behind the test before it what it enters.
    """

    def __init__(self) -> None:
        self._by: dict[tuple[str, int], set[str]] = {}
        self._now = ""
        self._seconds: dict[str, float] = {}
        self._failed: list[str] = []
        self._caches: list[_lru_cache_wrapper[Any]] = []
        sys.settrace(self._enter)

    def _enter(self, frame: FrameType, _event: str, _given: object) -> None:
        code = frame.f_code
        if code.co_filename.startswith(str(SOURCE)):
            self._by.setdefault((code.co_filename, code.co_firstlineno), set()).add(self._now)

    def pytest_collection_finish(self) -> None:
        self._caches = [each for each in _existing() if type(each) is _lru_cache_wrapper and _is_ours(each)]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[Any]:
        for each in self._caches:
            each.cache_clear()
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


def _is_ours(cache: _lru_cache_wrapper[Any]) -> bool:
    code = getattr(cache.__wrapped__, "__code__", None)
    return code is not None and code.co_filename.startswith(str(SOURCE))
