"""`paymatch keys`, and what commands say of a key that is not the right one."""

from __future__ import annotations

import pytest

from paymatch.store.sealing import key_id
from tests.cli.conftest import Run
from tests.keys import SECRET_KEY
from tests.usecases.conftest import Books

NEW = "another key for tests that is long enough to be one"


def test_wrong_key_is_said_by_every_command(run: Run, books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("keys", "status")[:2] == (0, {"keys": [key_id(SECRET_KEY)], "left": {}})
    monkeypatch.setenv("PAYMATCH_SECRET_KEY", NEW)
    code, _, said = run("shop", "list")
    assert code == 1
    assert f"The database is sealed under the secret key {key_id(SECRET_KEY)}, which is not here: set" in said


def test_rotation_needs_the_old_key_and_forgets_it(run: Run, books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    _, before, _ = run("shop", "secret", "show", "Shop")
    code, _, said = run("keys", "rotate")
    assert (code, "PAYMATCH_SECRET_KEYS_OLD to the one until now" in said) == (1, True)
    monkeypatch.setenv("PAYMATCH_SECRET_KEY", NEW)
    monkeypatch.setenv("PAYMATCH_SECRET_KEYS_OLD", SECRET_KEY)
    assert run("keys", "rotate")[:2] == (0, {"key": key_id(NEW), "sealed": 2})
    assert run("keys", "rotate")[:2] == (0, {"key": key_id(NEW), "sealed": 0})
    monkeypatch.delenv("PAYMATCH_SECRET_KEYS_OLD")
    assert run("shop", "secret", "show", "Shop")[:2] == (0, before)
