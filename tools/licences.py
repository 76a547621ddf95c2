"""Looks for licences that an Apache-2.0 product must not bring along (`make audit`).

Reads the metadata of the installed packages that requirements-runtime.lock names, so that it needs no network.
Exit code 1 for the GPL, the AGPL, an LGPL package without a reason in LGPL_ALLOWED, or a package without a licence.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, metadata
from typing import Final

from tools.lock_file import packages

LGPL_ALLOWED: Final[Mapping[str, str]] = {
    "psycopg": "database driver; imported unchanged, and a user can replace it",
    "psycopg-binary": "the compiled part of psycopg",
    "psycopg-pool": "connection pool of psycopg",
    "pycountry": "country tables that schwifty reads; imported unchanged",
    "python-stdnum": "check digits of references and tax numbers; imported unchanged",
}
"""Packages under the LGPL, each with the reason why it may be a runtime dependency."""

_LGPL: Final = re.compile(r"\bLGPL|Lesser General Public|Library General Public", re.IGNORECASE)
_GPL: Final = re.compile(r"\bA?GPL|General Public License", re.IGNORECASE)
_CHOICE: Final = re.compile(r"\s+OR\s+")


def licence_of(name: str) -> Sequence[str] | None:
    """What the installed package says about its licence, the SPDX expression first; None if it is not installed."""
    try:
        found = metadata(name)
    except PackageNotFoundError:
        return None
    if expressions := found.get_all("License-Expression"):
        return expressions
    classifiers = [each for each in found.get_all("Classifier") or [] if each.startswith("License ::")]
    named = [text.splitlines()[0] for text in found.get_all("License") or [] if text.strip()]
    return [*named, *classifiers]


def objection(name: str, licences: Sequence[str]) -> str | None:
    """Why the package must not be a runtime dependency; None if it may."""
    if not licences:
        return f"{name}: says nothing about its licence"
    copyleft = [each for each in licences if all(_GPL.search(_LGPL.sub("", part)) for part in _CHOICE.split(each))]
    if copyleft:
        return f"{name}: {copyleft[0]} must not be a runtime dependency"
    lesser = [each for each in licences if all(_LGPL.search(part) for part in _CHOICE.split(each))]
    if lesser and name not in LGPL_ALLOWED:
        return f"{name}: {lesser[0]} needs a reason in tools/licences.py"
    return None


def main(names: Sequence[str] | None = None, find: Callable[[str], Sequence[str] | None] = licence_of) -> int:
    """Prints the objections; the exit code."""
    found = {name: find(name) for name in (names if names is not None else [each.name for each in packages()])}
    installed = {name: licences for name, licences in found.items() if licences is not None}
    objections = [said for name, licences in installed.items() if (said := objection(name, licences))]
    for said in objections:
        print(f"licences: {said}")
    if not objections:
        print(f"licences: no GPL or AGPL among {len(installed)} packages")
    return 1 if objections else 0


if __name__ == "__main__":
    sys.exit(main())
