"""The door for letters: a provider by HTTP, a folder, and what each does with the same letter twice."""

from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from paymatch.domain.words.message import Message
from paymatch.outbound.http import CallFailed, HttpAnswer, HttpCall, NoAnswerReason
from paymatch.outbound.letters import (
    FolderLetters,
    HttpLetters,
    LetterNotSent,
    LetterReport,
    LetterUrlRefused,
    NullLetters,
    OutgoingLetter,
    OwnFolder,
    Posted,
    letter_door,
)
from paymatch.settings import Settings

LETTER = OutgoingLetter("shop-1", "lt_1", b"%PDF-1.7", 2, "DE", duplex=True, colour=False)


@dataclass
class Provider:
    """Answers calls with what a test says, and remembers them."""

    status: int = 200
    body: bytes = b'{"reference": "P-7", "status": "posted", "reason": "on\\nMonday"}'
    failure: CallFailed | None = None
    calls: list[HttpCall] = field(default_factory=list)

    def call(self, call: HttpCall) -> HttpAnswer:
        self.calls.append(call)
        if self.failure is not None:
            raise self.failure
        return HttpAnswer(self.status, self.body, False, None, 0.1, "192.0.2.1")

    def close(self) -> None:
        """Nothing to let go of."""


def test_a_letter_is_put_under_its_id_and_asked_after() -> None:
    provider = Provider()
    door = letter_door("https://to%3Aken@letters.example:8443/api/", provider, Settings())
    assert isinstance(door, HttpLetters)
    assert (door.send(LETTER), door.report("shop-1", "lt_1")) == ("P-7", LetterReport(Posted.POSTED, "on Monday"))
    put, get = provider.calls
    assert (put.method, put.url, put.repeatable) == ("PUT", "https://letters.example:8443/api/letters/lt_1", True)
    assert (put.more_ports, get.more_ports) == ((8443,), (8443,)), "the operator has named the port"
    assert dict(put.headers)["Authorization"] == "Bearer to:ken"
    body = json.loads(put.body)
    assert b64decode(body.pop("pdf")) == LETTER.pdf
    assert body == {"id": "lt_1", "shop": "shop-1", "pages": 2, "country": "DE", "duplex": True, "colour": False}
    assert (get.method, get.url, get.body) == ("GET", put.url, b"")


@pytest.mark.parametrize(
    ("status", "body", "text", "permanent"),
    [
        (422, b'{"error": "no such street"}', "422 no such street", True),
        (400, b"<html>", "400", True),
        (401, b"", "401", False),
        (429, b"{}", "429", False),
        (503, b"[]", "503", False),
        (301, b"", "301", False),
        (200, b"[1]", "the provider's answer is not a JSON object", False),
    ],
)
def test_what_the_provider_refuses(status: int, body: bytes, text: str, permanent: bool) -> None:
    door = HttpLetters("https://letters.example", "t", Provider(status, body))
    with pytest.raises(LetterNotSent) as refused:
        door.send(LETTER)
    assert (str(refused.value), refused.value.permanent) == (text, permanent)


def test_a_provider_that_does_not_answer_is_tried_again() -> None:
    door = HttpLetters(
        "https://letters.example",
        "t",
        Provider(failure=CallFailed(NoAnswerReason.TIMEOUT, Message("text", value="no answer"))),
    )
    with pytest.raises(LetterNotSent, match=r"^no answer$") as refused:
        door.send(LETTER)
    assert not refused.value.permanent
    strange = HttpLetters("https://letters.example", "t", Provider(body=b'{"status": "eaten"}'))
    with pytest.raises(LetterNotSent, match=r"^the provider's status is unknown: 'eaten'$"):
        strange.report("shop-1", "lt_1")


def test_a_folder_has_the_same_letter_once(tmp_path: Path) -> None:
    door = letter_door(f"file://{tmp_path}", Provider(), Settings())
    assert isinstance(door, FolderLetters)
    assert [door.send(LETTER), door.send(LETTER)] == ["", ""]
    folder = tmp_path / "shop-1"
    assert sorted(path.name for path in folder.iterdir()) == ["lt_1.json", "lt_1.pdf"]
    assert (folder / "lt_1.pdf").read_bytes() == LETTER.pdf
    assert json.loads((folder / "lt_1.json").read_text()) == {
        "id": "lt_1", "pages": 2, "country": "DE", "duplex": True, "colour": False,
    }  # fmt: skip
    with pytest.raises(LetterNotSent, match="is not a file name"):
        door.send(OutgoingLetter("shop-1", "../../x", b"", 1, "DE", duplex=False, colour=False))


def test_a_provider_answers_with_a_file_beside_the_letter(tmp_path: Path) -> None:
    door = FolderLetters(OwnFolder(tmp_path))
    door.send(LETTER)
    assert door.report("shop-1", "lt_1") == LetterReport(Posted.ACCEPTED), "it has said nothing yet"
    status = tmp_path / "shop-1" / "lt_1.status.json"
    status.write_text('{"status": "returned", "reason": "moved away"}')
    assert door.report("shop-1", "lt_1") == LetterReport(Posted.RETURNED, "moved away")
    for content in ('{"status": "eaten"}', "[]", "returned", "x" * 20_000):
        status.write_text(content)
        with pytest.raises(LetterNotSent):
            door.report("shop-1", "lt_1")
    status.unlink()
    status.symlink_to(tmp_path / "elsewhere.json")
    (tmp_path / "elsewhere.json").write_text('{"status": "posted"}')
    assert door.report("shop-1", "lt_1") == LetterReport(Posted.ACCEPTED), "a link is not followed"


@pytest.mark.parametrize(
    "url",
    [
        "https://letters.example",
        "https://u:p@letters.example",
        "ftp://t@x",
        "sftp://letters.example/in",
        "sftp://u@letters.example/in",
        "sftp://u:p@letters.example/in",
        "file://host/x",
        "file:///",
        "https://t@x:y/",
    ],
)
def test_what_is_no_address_of_a_provider(url: str) -> None:
    with pytest.raises(LetterUrlRefused) as refused:
        letter_door(url, Provider(), Settings())
    assert "u:p" not in str(refused.value)


def test_the_null_twin_keeps_letters() -> None:
    door = NullLetters()
    assert (door.send(LETTER), door.sent, door.delivers) == ("", [LETTER], False)
    assert door.report("shop-1", "lt_1") == LetterReport(Posted.ACCEPTED)
