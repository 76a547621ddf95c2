"""A production install brings no package under the GPL or AGPL; the LGPL needs a reason."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest
from tools import licences
from tools.lock_file import packages

ROOT = Path(__file__).resolve().parents[2]


def test_runtime_dependencies_have_acceptable_licences(capsys: pytest.CaptureFixture[str]) -> None:
    assert licences.main() == 0
    assert re.fullmatch(r"licences: no GPL or AGPL among \d+ packages\n", capsys.readouterr().out)


def test_a_planted_gpl_package_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert licences.main(["segno", "beancount"]) == 1  # beancount is installed for the tests only
    assert capsys.readouterr().out == "licences: beancount: GPL-2.0-only must not be a runtime dependency\n"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["GPL-3.0-or-later"], "p: GPL-3.0-or-later must not be a runtime dependency"),
        (["AGPL-3.0-only"], "p: AGPL-3.0-only must not be a runtime dependency"),
        (
            ["Dual", "License :: OSI Approved :: GNU Affero General Public License v3"],
            "p: License :: OSI Approved :: GNU Affero General Public License v3 must not be a runtime dependency",
        ),
        (["MIT AND GPL-2.0-only"], "p: MIT AND GPL-2.0-only must not be a runtime dependency"),
        (["LGPL-3.0-only"], "p: LGPL-3.0-only needs a reason in tools/licences.py"),
        (
            ["License :: OSI Approved :: GNU Lesser General Public License v3 (LGPLv3)"],
            "p: License :: OSI Approved :: GNU Lesser General Public License v3 (LGPLv3) "
            "needs a reason in tools/licences.py",
        ),
        ([], "p: says nothing about its licence"),
        (["MIT OR GPL-2.0-only"], None),
        (["Apache-2.0"], None),
    ],
)
def test_objection(said: Sequence[str], expected: str | None) -> None:
    assert licences.objection("p", said) == expected


def test_reasons_name_packages_of_the_lock() -> None:
    assert set(licences.LGPL_ALLOWED) <= {each.name for each in packages()}


def test_beancount_is_for_tests_only() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert [each for each in project["project"]["dependencies"] if each.startswith("beancount")] == []
    assert "beancount" not in {each.name for each in packages()}
