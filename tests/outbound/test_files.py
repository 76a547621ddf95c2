"""The files door: a directory, a bucket and memory behave alike."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from paymatch.outbound.files import DirectoryFiles, FileNotKept, Files, FilesUnavailable, NullFiles, S3Files, open_files
from paymatch.settings import Settings
from tests.fakes.s3 import s3_server


def _bucket(endpoint: str, access_key: str = "user") -> Settings:
    return Settings(
        s3_bucket="invoices",
        s3_endpoint=endpoint,
        s3_region="eu-central-1",
        s3_prefix="/house/",
        s3_access_key=SecretStr(access_key),
        s3_secret_key=SecretStr("s3cret"),
    )


@pytest.fixture(params=["directory", "s3", "null"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Files]:
    if request.param == "directory":
        yield DirectoryFiles(tmp_path / "files")
    elif request.param == "null":
        yield NullFiles()
    else:
        with s3_server("user") as (endpoint, _):
            yield open_files(_bucket(endpoint))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_a_full_disk_keeps_nothing_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Before, it was a fault of ours: 500, which no client retries."""

    def full(_descriptor: int) -> None:
        raise OSError(number, "no room")

    files = DirectoryFiles(tmp_path / "files")
    with monkeypatch.context() as filled:
        filled.setattr(os, "fsync", full)
        with pytest.raises(FilesUnavailable, match="no room"):
            files.put(b"invoice", "pdf")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert _read(files, files.put(b"invoice", "pdf")) == b"invoice"


def _read(files: Files, key: str) -> bytes:
    with files.open(key) as file:
        return file.read()


def test_kept_until_deleted(files: Files) -> None:
    first, second = files.put(b"one", "pdf"), files.put(io.BytesIO(b"two" * 1000), "png")
    assert first != second
    assert (first[-4:], second[-4:]) == (".pdf", ".png")
    assert (_read(files, first), _read(files, second)) == (b"one", b"two" * 1000)
    files.delete(first)
    files.delete(first)
    with pytest.raises(FileNotKept):
        files.open(first)
    assert _read(files, second) == b"two" * 1000


@pytest.mark.parametrize(
    "key",
    [
        "../secret_key",
        "ab/cd/../../secret",
        "/etc/passwd",
        "",
        "ab/cd/" + "e" * 28,
        "ab/cd/" + "e" * 28 + ".pdf\n",
        "ab/cd/x.pdf",
    ],
)
def test_what_is_no_key_of_ours_is_never_looked_up(files: Files, key: str) -> None:
    with pytest.raises(FileNotKept):
        files.open(key)
    with pytest.raises(FileNotKept):
        files.delete(key)


def test_the_directory_is_closed_and_spread(tmp_path: Path) -> None:
    files = open_files(Settings(data_dir=tmp_path / "data"))
    key = files.put(b"one", "pdf")
    path = tmp_path / "data" / "files" / key
    assert path.read_bytes() == b"one"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [folder.stat().st_mode & 0o777 for folder in list(path.parents)[:3]] == [0o700] * 3
    assert key[2] == key[5] == "/"


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise OSError("the upload broke off")

    with pytest.raises(OSError, match="the upload broke off"):
        DirectoryFiles(tmp_path).put(Broken(), "pdf")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_the_bucket_holds_them_below_the_prefix() -> None:
    with s3_server("user") as (endpoint, objects):
        key = S3Files(_bucket(endpoint)).put(b"one", "pdf")
        assert objects == {f"/invoices/house/{key}": b"one"}


def test_a_bucket_that_does_not_want_us_or_does_not_answer() -> None:
    with s3_server("user") as (endpoint, _), pytest.raises(FilesUnavailable, match="AccessDenied"):
        S3Files(_bucket(endpoint, "stranger")).put(b"one", "pdf")
    with pytest.raises(FilesUnavailable, match="Could not connect to the endpoint URL"):
        S3Files(_bucket(endpoint)).put(b"one", "pdf")
