"""The door to the file storage: a directory, an S3-compatible storage, or memory for development and tests.

Keys are random, so they cannot be guessed, and no customer's file name ever touches a disk.
"""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
import shutil
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

from paymatch.settings import Settings, make_data_dir

_KEY: Final = re.compile(r"[0-9a-f]{2}/[0-9a-f]{2}/[0-9a-f]{28}\.[a-z0-9]{1,8}")

_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})


class FileNotKept(Exception):
    """There is no file under this key."""


class FilesUnavailable(Exception):
    """The storage does not answer or does not want us; the caller may try again."""


class Files(Protocol):
    """A place for files. Data is kept once `put` returns; `delete` of a key that is gone is fine."""

    def put(self, data: bytes | BinaryIO, suffix: str) -> str:
        """Keeps the data under a new key that ends in `suffix` (`pdf`); the key."""

    def open(self, key: str) -> BinaryIO:
        """The data, from its beginning; FileNotKept."""

    def delete(self, key: str) -> None:
        """The data is gone."""


def open_files(settings: Settings) -> Files:
    """The place that the operator has chosen: a bucket if one is set, otherwise the data directory."""
    if settings.s3_bucket:
        return S3Files(settings)
    return DirectoryFiles(make_data_dir(settings.data_dir) / "files")


class DirectoryFiles:
    """Files below a directory, spread over two levels, readable by the owner only."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, data: bytes | BinaryIO, suffix: str) -> str:
        """Keeps the data durably: written and synced beside its place, then moved there in one step.

        FilesUnavailable while the disk is full or takes no changes.
        """
        key = _new_key(suffix)
        try:
            self._write(key, data)
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise FilesUnavailable(f"{self._root}: {error.strerror}") from error
            raise
        return key

    def _write(self, key: str, data: bytes | BinaryIO) -> None:
        path = self._root / key
        new_folders = [folder for folder in (path.parent, *path.parent.parents) if not folder.exists()]
        for folder in reversed(new_folders):  # one by one: mkdir gives its mode to the last of them only
            folder.mkdir(mode=0o700, exist_ok=True)
        draft = path.with_suffix(".part")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as out:
                shutil.copyfileobj(io.BytesIO(data) if isinstance(data, bytes) else data, out)
                out.flush()
                os.fsync(out.fileno())
            draft.rename(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
        for folder in {path.parent, *(folder.parent for folder in new_folders)}:
            _sync(folder)

    def open(self, key: str) -> BinaryIO:
        """The data; FileNotKept."""
        try:
            return (self._root / _check_name(key)).open("rb")
        except FileNotFoundError as error:
            raise FileNotKept(key) from error

    def delete(self, key: str) -> None:
        """The data is gone; its directory stays, another writer may be about to use it."""
        (self._root / _check_name(key)).unlink(missing_ok=True)


class S3Files:
    """Files in a bucket of an S3-compatible storage. Needs the extra `s3` (boto3)."""

    def __init__(self, settings: Settings) -> None:
        self._bucket = settings.s3_bucket
        self._prefix = settings.s3_prefix.strip("/") + "/" if settings.s3_prefix.strip("/") else ""
        self._client: Any = s3_client(settings)

    def put(self, data: bytes | BinaryIO, suffix: str) -> str:
        """Keeps the data; FilesUnavailable."""
        key = _new_key(suffix)
        self._call("put_object", key, Body=data)
        return key

    def open(self, key: str) -> BinaryIO:
        """The data, read while it is used; FileNotKept, FilesUnavailable."""
        body: BinaryIO = self._call("get_object", key)["Body"]
        return body

    def delete(self, key: str) -> None:
        """The data is gone; FilesUnavailable."""
        self._call("delete_object", key)

    def _call(self, operation: str, key: str, **arguments: Any) -> Any:
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415  an extra, see above

        try:
            return getattr(self._client, operation)(
                Bucket=self._bucket, Key=self._prefix + _check_name(key), **arguments
            )
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") in {"NoSuchKey", "404"}:
                raise FileNotKept(key) from error
            raise FilesUnavailable(str(error)) from error
        except BotoCoreError as error:
            raise FilesUnavailable(str(error)) from error


def s3_client(settings: Settings) -> Any:
    """A client of the operator's storage. FilesUnavailable without the extra `s3` (boto3)."""
    try:
        import boto3  # noqa: PLC0415  an extra: most installations have no need of it
        from botocore.config import Config  # noqa: PLC0415
    except ImportError as error:
        raise FilesUnavailable("PAYMATCH_S3_BUCKET needs boto3: pip install 'paymatch[s3]'") from error
    access, secret = settings.s3_access_key, settings.s3_secret_key
    return boto3.client(
        "s3",
        endpoint_url=settings.s3_endpoint or None,
        region_name=settings.s3_region or None,
        aws_access_key_id=access.get_secret_value() if access else None,
        aws_secret_access_key=secret.get_secret_value() if secret else None,
        # Storages other than the original know neither host names per bucket nor the newer checksums.
        config=Config(
            connect_timeout=5,
            read_timeout=15,
            retries={"total_max_attempts": 3, "mode": "standard"},
            s3={"addressing_style": "path"} if settings.s3_endpoint else {},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        ),
    )


class NullFiles:
    """Files in memory, gone with the process."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def put(self, data: bytes | BinaryIO, suffix: str) -> str:
        key = _new_key(suffix)
        self.kept[key] = data if isinstance(data, bytes) else data.read()
        return key

    def open(self, key: str) -> BinaryIO:
        try:
            return io.BytesIO(self.kept[_check_name(key)])
        except KeyError as error:
            raise FileNotKept(key) from error

    def delete(self, key: str) -> None:
        self.kept.pop(_check_name(key), None)


def _new_key(suffix: str) -> str:
    name = secrets.token_hex(16)
    return _check_name(f"{name[:2]}/{name[2:4]}/{name[4:]}.{suffix}")


def _check_name(key: str) -> str:
    """The key, if it is one of ours: it becomes a path, so nothing else may come near the disk."""
    if not _KEY.fullmatch(key):
        raise FileNotKept(key)
    return key


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
