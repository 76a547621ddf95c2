"""Letters over SFTP: against a server of its own on loopback, by password and by key, once however often."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import paramiko
import pytest

from paymatch.outbound import sftp
from paymatch.outbound.http import NullHttp
from paymatch.outbound.letters import (
    LetterDoor,
    LetterNotSent,
    LetterReport,
    LetterUrlRefused,
    OutgoingLetter,
    Posted,
    letter_door,
)
from paymatch.settings import Settings
from tests.fakes.sftp import SftpServer, sftp_server

LETTER = OutgoingLetter("shop-1", "lt_1", b"%PDF-1.7" * 20_000, 2, "DE", duplex=True, colour=False)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SftpServer]:
    with sftp_server(tmp_path) as found:
        yield found


def door(server: SftpServer, *, login: str = "letters:secret", host: str = "127.0.0.1", **more: object) -> LetterDoor:
    """The door as the operator's variables open it."""
    settings = {"letters_sftp_host_keys": (server.fingerprint,), "callback_allow_private": True} | more
    url = f"sftp://{login}@{host}:{server.port}/in/letters"
    return letter_door(url, NullHttp(), Settings(**settings))  # type: ignore[arg-type]


@pytest.mark.parametrize("renames_over", [True, False])
def test_a_letter_lies_there_once_and_its_status_comes_back(
    server: SftpServer, tmp_path: Path, renames_over: bool
) -> None:
    server.renames_over = renames_over
    way = door(server)
    assert [way.send(LETTER), way.send(LETTER)] == ["", ""]
    folder = tmp_path / "in" / "letters" / "shop-1"
    assert sorted(path.name for path in folder.iterdir()) == ["lt_1.json", "lt_1.pdf"]
    assert (folder / "lt_1.pdf").read_bytes() == LETTER.pdf
    assert json.loads((folder / "lt_1.json").read_text()) == {
        "id": "lt_1", "pages": 2, "country": "DE", "duplex": True, "colour": False,
    }  # fmt: skip
    assert way.report("shop-1", "lt_1") == LetterReport(Posted.ACCEPTED)
    (folder / "lt_1.status.json").write_text('{"status": "posted"}')
    assert way.report("shop-1", "lt_1") == LetterReport(Posted.POSTED)
    assert server.connections == 1, "one connection serves all calls"
    way.close()


def test_a_connection_that_has_gone_is_made_anew(server: SftpServer, tmp_path: Path) -> None:
    way = door(server)
    way.send(LETTER)
    server.cut()
    way.send(OutgoingLetter("shop-1", "lt_2", b"%PDF", 1, "DE", duplex=False, colour=True))
    assert (tmp_path / "in/letters/shop-1/lt_2.pdf").read_bytes() == b"%PDF"
    assert server.connections == 2
    way.close()


def test_a_private_key_signs_in(tmp_path: Path) -> None:
    key = paramiko.ECDSAKey.generate()
    key.write_private_key_file(str(tmp_path / "key"))
    with sftp_server(tmp_path, user_key=key) as server:
        way = door(server, login="letters", letters_sftp_key=tmp_path / "key")
        way.send(LETTER)
        way.close()
        other = paramiko.ECDSAKey.generate()
        other.write_private_key_file(str(tmp_path / "other"))
        with pytest.raises(LetterNotSent, match=r"^the SFTP server refuses the user letters$"):
            door(server, login="letters", letters_sftp_key=tmp_path / "other").send(LETTER)
        with pytest.raises(LetterNotSent, match="signing in to the SFTP server failed"):
            door(server, login="letters", letters_sftp_key=tmp_path / "none").send(LETTER)


def test_only_a_server_that_shows_the_known_key_gets_the_password(server: SftpServer, tmp_path: Path) -> None:
    strange = paramiko.ECDSAKey.generate().fingerprint
    with pytest.raises(LetterNotSent) as refused:
        door(server, letters_sftp_host_keys=(strange,)).send(LETTER)
    assert str(refused.value) == f"the SFTP server shows a key that is not known: {server.fingerprint}"
    assert not refused.value.permanent
    assert list(tmp_path.iterdir()) == []
    door(server, letters_sftp_host_keys=(strange, server.fingerprint)).send(LETTER)


def test_a_server_that_does_not_want_it_is_tried_again(server: SftpServer, tmp_path: Path) -> None:
    with pytest.raises(LetterNotSent, match=r"^the SFTP server refuses the user letters$"):
        door(server, login="letters:wrong").send(LETTER)
    server.full = True
    way = door(server)
    with pytest.raises(LetterNotSent, match="the SFTP server refuses: ") as refused:
        way.send(LETTER)
    assert not refused.value.permanent
    server.full = False
    way.send(LETTER)
    assert (tmp_path / "in/letters/shop-1/lt_1.pdf").read_bytes() == LETTER.pdf
    way.close()


@pytest.mark.parametrize(
    ("host", "allowed", "words"),
    [
        ("127.0.0.1", False, "not allowed"),
        ("localhost", False, "not allowed"),
        ("169.254.169.254", True, "not allowed"),
        ("[::ffff:127.0.0.1]", True, "not allowed"),
    ],
)
def test_addresses_are_checked_as_those_of_callbacks(server: SftpServer, host: str, allowed: bool, words: str) -> None:
    with pytest.raises(LetterNotSent, match=words):
        door(server, host=host, callback_allow_private=allowed).send(LETTER)
    assert server.connections == 0


def test_nobody_listens(server: SftpServer) -> None:
    server.port = 1
    with pytest.raises(LetterNotSent, match=r"^receiver refused the connection$"):
        door(server).send(LETTER)


def test_what_must_be_said_beside_the_address(monkeypatch: pytest.MonkeyPatch, server: SftpServer) -> None:
    with pytest.raises(LetterUrlRefused, match="PAYMATCH_LETTERS_SFTP_HOST_KEYS is needed"):
        door(server, letters_sftp_host_keys=())
    with pytest.raises(LetterUrlRefused, match="either a password in it, or a private key"):
        door(server, login="letters")

    def none() -> None:
        raise sftp.SftpFailed("SFTP needs paramiko: pip install 'paymatch[sftp]'")

    monkeypatch.setattr("paymatch.outbound.letters.check_extra", none)
    with pytest.raises(LetterUrlRefused, match=r"^PAYMATCH_LETTERS_URL: SFTP needs paramiko: pip install"):
        door(server)
