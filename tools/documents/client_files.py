"""The files of the Python client that are made of the API's declarations, by their paths (D-76)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from paymatch.api.openapi.document import document
from paymatch.api.sections import SECTIONS
from tools.documents.client_models import WRITTEN, enumerations, package, structs
from tools.documents.client_operations import module, module_name, operations
from tools.documents.client_types import Types, class_name

_ROOT: Final = Path(__file__).resolve().parents[2]
_PACKAGE: Final = "client/src/paymatch_client"
_OURS: Final = ("--config", 'lint.isort.known-first-party=["paymatch_client"]')
_NO_VALUES: Final = frozenset({"invoices"})
"""Sections without a body or answer of their own."""

_CLIENT: Final = '''class {prefix}Client:
    """The API of the service at `address` (`https://pay.example.com`), called with a shop's key.

    `timeout` is the longest wait for an answer in seconds; allow 600 for a long list of open orders. `http` is a client
    of httpx with settings of your own (proxies, certificates, limits); the caller closes it.
    """

    def __init__(
        self, address: str, key: str, *, timeout: float = 30.0, retries: Retries | None = None,
        http: httpx.{prefix}Client | None = None,
    ) -> None:
        self._owns = http is None
        self._connection = {prefix}Connection(
            Terms(address, key, timeout, retries or Retries()), http or httpx.{prefix}Client()
        )
{attributes}

    def with_timeout(self, seconds: float) -> {prefix}Client:
        """The same with another time limit; it shares the connections of this client, which closes them."""
        terms = self._connection.terms
        return {prefix}Client(
            terms.address, terms.key, timeout=seconds, retries=terms.retries, http=self._connection.http
        )

    {define} {close}(self) -> None:
        """Closes the connections."""
        if self._owns:
            {call}self._connection.http.{close}()

    {define} __{enter}__(self) -> {prefix}Client:
        return self

    {define} __{exit}__(self, *problem: object) -> None:
        {call}self.{close}()
'''


def paths() -> tuple[str, ...]:
    """All files, without making them."""
    names = [module_name(section) for section in SECTIONS]
    folders = [f"{folder}/{name}.py" for folder in ("operations", "async_operations") for name in names]
    folders += [f"models/{name}.py" for name in names if name not in _NO_VALUES]
    own = [
        "client.py",
        "models/__init__.py",
        "models/enumerations.py",
        "operations/__init__.py",
        "async_operations/__init__.py",
    ]
    return tuple(f"{_PACKAGE}/{each}" for each in (*own, *folders))


def client_files() -> tuple[tuple[str, Callable[[], str]], ...]:
    """(path, function that returns the text) of each file."""
    return tuple((path, lambda path=path: _texts()[path]) for path in paths())


@cache
def _texts() -> dict[str, str]:
    """All files, formatted."""
    types = Types(document()["components"]["schemas"])
    found = operations(types)
    texts = {
        "client.py": _client(),
        "models/__init__.py": package(types),
        "models/enumerations.py": enumerations(types),
        "operations/__init__.py": f'"""The operations by section, blocking. {WRITTEN}"""\n',
        "async_operations/__init__.py": f'"""The operations by section, for asyncio. {WRITTEN}"""\n',
    }
    for section in SECTIONS:
        name = module_name(section)
        if name in types.sections.values():
            texts[f"models/{name}.py"] = structs(types, name, section.name)
        texts[f"operations/{name}.py"] = module(types, section, found[name], waits=False)
        texts[f"async_operations/{name}.py"] = module(types, section, found[name], waits=True)
    return _formatted({f"{_PACKAGE}/{path}": text for path, text in texts.items()})


def _client() -> str:
    names = [module_name(section) for section in SECTIONS]
    lines = [
        f'"""The two clients, blocking and for asyncio. {WRITTEN}"""',
        "from __future__ import annotations",
        "import httpx",
    ]
    for folder, prefix in (("operations", ""), ("async_operations", "Async")):
        lines += [f"from paymatch_client.{folder}.{name} import {prefix}{class_name(name)}" for name in names]
    lines.append("from paymatch_client.connections import AsyncConnection, Connection, Retries, Terms")
    for prefix in ("", "Async"):
        attributes = "\n".join(f"        self.{name} = {prefix}{class_name(name)}(self._connection)" for name in names)
        small = {"define": "async def", "call": "await "} if prefix else {"define": "def", "call": ""}
        start = "a" if prefix else ""
        lines += ["", "", _CLIENT.format(
            prefix=prefix, attributes=attributes, close=f"{start}close", enter=f"{start}enter", exit=f"{start}exit",
            **small,
        )]  # fmt: skip
    return "\n".join(lines)


def _formatted(texts: dict[str, str]) -> dict[str, str]:
    """The texts as ruff leaves them with the settings of this repository, imports sorted."""
    with TemporaryDirectory() as folder:
        for path, text in texts.items():
            place = Path(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")
        for step in (["check", "--select", "I", "--fix"], ["format"]):
            command = [sys.executable, "-m", "ruff", *step, "--quiet", "--config", "pyproject.toml", *_OURS, folder]
            done = subprocess.run(command, capture_output=True, text=True, cwd=_ROOT, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
        return {path: Path(folder, path).read_text("utf-8") for path in texts}
