"""Sealed files: they open for whom they were sealed, whole, from anywhere, and not at all once a byte differs."""

from __future__ import annotations

from io import SEEK_END
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from paymatch.store.work.sealed_files import (
    CHUNK,
    Identity,
    Key,
    Lock,
    NotWhole,
    OpeningReader,
    Passphrase,
    Recipient,
    SealingWriter,
    SecretKey,
    WrongFileKey,
    is_sealed,
    needs_passphrase,
)

PRIVATE = X25519PrivateKey.generate()
SECRET = SecretKey("the secret key of an installation")
WAYS: list[tuple[Lock, Key]] = [
    (SECRET, SECRET),
    (Passphrase("correct horse battery"), Passphrase("correct horse battery")),
    (Recipient(PRIVATE.public_key()), Identity(PRIVATE)),
]
SIZES = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 17]


def sealed(path: Path, content: bytes, lock: Lock = SECRET, piece: int = 50_001) -> Path:
    with path.open("wb") as out:
        writer = SealingWriter(out, lock)
        for begin in range(0, len(content), piece):
            writer.write(content[begin : begin + piece])
        writer.finish()
    return path


def opened(path: Path, key: Key = SECRET) -> bytes:
    with path.open("rb") as source:
        return OpeningReader(source, [key]).readall()


def content_of(size: int) -> bytes:
    return bytes(range(251)) * (size // 251) + bytes(size % 251)


@pytest.mark.parametrize("size", SIZES)
def test_what_was_sealed_is_there_again(tmp_path: Path, size: int) -> None:
    content = content_of(size)
    path = sealed(tmp_path / "x", content)
    assert opened(path) == content
    assert is_sealed(path) and not needs_passphrase(path)


@pytest.mark.parametrize(("lock", "key"), WAYS)
def test_it_opens_for_whom_it_was_sealed_and_for_nobody_else(tmp_path: Path, lock: Lock, key: Key) -> None:
    path = sealed(tmp_path / "x", b"Eva Beispiel", lock)
    assert b"Eva" not in path.read_bytes()
    assert opened(path, key) == b"Eva Beispiel"
    others: list[Key] = [SecretKey("another"), Passphrase("another"), Identity(X25519PrivateKey.generate())]
    with path.open("rb") as source, pytest.raises(WrongFileKey):
        OpeningReader(source, others)
    with path.open("rb") as source:
        assert OpeningReader(source, [*others, key]).readall() == b"Eva Beispiel"


@pytest.mark.parametrize("size", SIZES)
def test_a_file_that_was_cut_off_does_not_open(tmp_path: Path, size: int) -> None:
    whole = sealed(tmp_path / "x", content_of(size)).read_bytes()
    for length in {len(whole) - 1, len(whole) - 16, len(whole) - 17, len(whole) - CHUNK - 16, len(whole) // 2, 18, 40}:
        cut = tmp_path / "cut"
        cut.write_bytes(whole[: max(length, 18)])
        with pytest.raises(NotWhole):
            opened(cut)
    (tmp_path / "more").write_bytes(whole + b"x")
    with pytest.raises(NotWhole):
        opened(tmp_path / "more")


def test_what_was_not_finished_does_not_open(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with path.open("wb") as out:
        SealingWriter(out, SECRET).write(content_of(2 * CHUNK + 1))
    with pytest.raises(NotWhole):
        opened(path)


def test_chunks_do_not_change_places(tmp_path: Path) -> None:
    path = sealed(tmp_path / "x", content_of(3 * CHUNK))
    content, size = bytearray(path.read_bytes()), CHUNK + 16
    start = len(content) - 3 * size
    content[start : start + size], content[start + size : start + 2 * size] = (
        content[start + size : start + 2 * size], content[start : start + size],
    )  # fmt: skip
    path.write_bytes(content)
    with pytest.raises(NotWhole):
        opened(path)


@given(place=st.integers(0, 2 * CHUNK + 600), bit=st.integers(0, 7))
def test_no_byte_can_be_changed(tmp_path_factory: pytest.TempPathFactory, place: int, bit: int) -> None:
    path = sealed(tmp_path_factory.mktemp("sealed") / "x", content_of(2 * CHUNK))
    content = bytearray(path.read_bytes())
    content[place % len(content)] ^= 1 << bit
    path.write_bytes(content)
    with pytest.raises((NotWhole, WrongFileKey)):
        opened(path)


def test_it_is_read_from_anywhere(tmp_path: Path) -> None:
    content = content_of(3 * CHUNK + 17)
    with sealed(tmp_path / "x", content).open("rb") as source:
        reader = OpeningReader(source, [SECRET])
        for place in (2 * CHUNK - 5, 0, 3 * CHUNK, CHUNK, len(content)):
            reader.seek(place)
            assert reader.read(10) == content[place : place + 10][: CHUNK - place % CHUNK]
        assert (reader.seek(-17, SEEK_END), reader.tell()) == (3 * CHUNK, 3 * CHUNK)
