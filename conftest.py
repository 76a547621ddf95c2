"""One PostgreSQL per test run, shared by its workers; databases of their own for tests that ask for one."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, settings
from psycopg.conninfo import conninfo_to_dict
from tests.chromium import Chromium
from tests.databases import Recycled, new_database, plan_once
from tests.drawn_constants import draw_from_package
from tests.keys import SECRET_KEY
from tests.length import LONG
from tests.memory_folder import new_folder
from tests.nodes import NODES, distribute_on_nodes, why_not_on_nodes
from tests.warm import stand_in
from tools.catalogues import build as build_catalogues

from paymatch.area import schema as area_schema
from paymatch.embedded import running_server
from paymatch.gc_tuning import collect_rarely, keep_what_is_there
from paymatch.store.migrate import migrate

# Nothing here is timed: the machine may be busy. `.ci/run` tries the same examples for the same commit, so that no
# change is refused by chance; `make test` tries others each time; `make long` tries more of them, and runs at full
# length what repeats itself (tests/length.py); `make soak` looks much longer for a counterexample.
_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("usual", _UNTIMED, max_examples=30)
settings.register_profile("gate", _UNTIMED, max_examples=30, derandomize=True)
settings.register_profile("long", _UNTIMED)
settings.register_profile("soak", deadline=None, max_examples=5000, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "usual"))
draw_from_package()

# Failures that tests provoke are logged in plain words: drawing one with all its variables takes a third of a second.
_PLAIN = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
structlog.configure(processors=[*structlog.get_config()["processors"][:-1], _PLAIN])

collect_rarely()  # as the service does; the modules of 10,000 tests are much to look through

_FOLDER = "PAYMATCH_TEST_FOLDER"  # set by the controlling process, inherited by the workers of pytest-xdist


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        build_catalogues()
        os.environ[_FOLDER] = os.environ["TMPDIR"] = tempfile.tempdir = str(new_folder())
        os.environ.setdefault("PAYMATCH_SECRET_KEY", SECRET_KEY)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes would each compile the package anew
        sys.dont_write_bytecode = False


@pytest.fixture(autouse=True)
def restored_logging() -> Iterator[None]:
    """What a test sets up for logs ends with it: a command that is run within a test sets their level."""
    root = logging.getLogger()
    handlers, level, config = root.handlers[:], root.level, structlog.get_config()
    yield
    root.handlers[:], root.level = handlers, level
    structlog.configure(**config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long tests wait for a run at full length; on the nodes of a cluster, tests that need one server are skipped."""
    if not LONG:
        waiting = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=waiting)
        items[:] = [item for item in items if not item.get_closest_marker("long")]
    for item in items:
        if why := why_not_on_nodes(item.nodeid):
            item.add_marker(pytest.mark.skip(reason=why))


def pytest_collection_finish() -> None:
    """What was loaded to find the tests stays until the end."""
    keep_what_is_there()


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        build_catalogues()
        shutil.rmtree(os.environ.pop(_FOLDER), ignore_errors=True)


def pytest_xdist_auto_num_workers() -> int:
    """`-n auto`: one worker more than cores, because a third of each one's time is waiting for servers and browsers."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """URL of the test server: PAYMATCH_TEST_DATABASE_URL (a superuser's), a coordinator's, or the embedded one."""
    given = NODES[0] if NODES else os.environ.get("PAYMATCH_TEST_DATABASE_URL")
    if given:
        yield given
        return
    with running_server(Path(os.environ[_FOLDER], "server"), durable=False) as url:
        plan_once(url)
        yield url


@pytest.fixture
def database_url(server_url: str) -> Iterator[str]:
    """URL of a new, empty database of this test."""
    with new_database(server_url, "template0") as url:
        yield url


@pytest.fixture(scope="session")
def migrated_template(server_url: str) -> Iterator[str]:
    """Name of this worker's database with all migrations applied; nobody may be connected while it is copied.

    The area's tables are in it: Django takes two seconds of CPU to make them, and each service would.
    """
    with new_database(server_url, "template0", *NODES[1:]) as url:
        migrate(url)
        name = str(conninfo_to_dict(url)["dbname"])
        if NODES:
            distribute_on_nodes(name)
        else:
            area_schema.migrate(url)
        yield name


@pytest.fixture(scope="session")
def recycled(server_url: str, migrated_template: str) -> Iterator[Recycled]:
    """This worker's databases that are emptied and used again."""
    found = Recycled(server_url, migrated_template)
    yield found
    found.close()


@pytest.fixture
def migrated_url(server_url: str, migrated_template: str, recycled: Recycled) -> Iterator[str]:
    """URL of a database of this test with all migrations applied and no rows; on nodes it is a new one."""
    with new_database(server_url, migrated_template, *NODES[1:]) if NODES else recycled.lent() as url:
        yield url


@pytest.fixture(scope="module")
def module_url(server_url: str, migrated_template: str) -> Iterator[str]:
    """Like `migrated_url`, one for all tests of a module: for tests that make a shop each and look at nothing else."""
    with new_database(server_url, migrated_template, *NODES[1:]) as url:
        yield url


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the warm paymatch listens, of which commands are forked (tests/warm.py)."""
    path = tmp_path_factory.mktemp("warm") / "door"
    with subprocess.Popen([sys.executable, "-m", "tests.warm", str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield path
        process.terminate()


@pytest.fixture(scope="session")
def warm_program(warm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program `paymatch`, started warm."""
    folder = tmp_path_factory.mktemp("program")
    stand_in(folder, warm)
    return folder / "paymatch"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """The browser of this process."""
    found = Chromium()
    yield found
    found.close()


@pytest.fixture
def browser(chromium: Chromium) -> Iterator[Callable[[], Any]]:
    """Shows the browser; what asks Django in the test itself comes before, because Django refuses to in its loop."""
    yield chromium.show
    chromium.clear()
