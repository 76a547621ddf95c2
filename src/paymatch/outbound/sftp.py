"""A folder on another party's SFTP server: at a checked address, and only if the server shows a known key.

Needs the extra `sftp` (paramiko).
"""

from __future__ import annotations

import io
import posixpath
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from paymatch.domain.callbacks.receivers import ReceiverRefused, receiver_of
from paymatch.outbound.http_connections import ConnectFailed, first_connected
from paymatch.outbound.resolving import BoundedResolver, Resolver, Unresolved, checked_addresses, system_resolver
from paymatch.system_errors import in_a_sentence

if TYPE_CHECKING:
    import paramiko

PORT: Final = 22
_CONNECT_SECONDS: Final = 10.0
_ANSWER_SECONDS: Final = 60.0

_Found = TypeVar("_Found")


class SftpFailed(Exception):
    """The server was not reached, is not the one that it should be, or did not do what was asked; one clear line."""


@dataclass(frozen=True, slots=True)
class SftpAccess:
    """Where the folder is, and who we are there: by a password or a private key (OpenSSH, without passphrase).

    `host_keys`: fingerprints of the keys that the server may show, as `ssh-keygen -l` prints them (SHA256:...).
    """

    host: str
    port: int
    user: str
    folder: str
    host_keys: tuple[str, ...]
    password: str = ""
    key_file: Path | None = None


class SftpFolder:
    """The folder, over one connection that is kept for the next call. Calls of several threads follow one another."""

    def __init__(self, access: SftpAccess, *, allow_private: bool, resolver: Resolver = system_resolver) -> None:
        self._access = access
        self._allow_private = allow_private
        self._resolver = BoundedResolver(resolver)
        self._lock = threading.Lock()
        self._client: paramiko.SFTPClient | None = None

    def put(self, folder: str, name: str, data: bytes) -> None:
        """The file in a folder below ours: complete or not there at all. Once more, it is the same file. SftpFailed."""
        self._do(lambda client: _put(client, posixpath.join(self._access.folder, folder), name, data))

    def read(self, folder: str, name: str, limit: int) -> bytes | None:
        """The first `limit` bytes of a file; None if there is none of this name. SftpFailed."""
        return self._do(lambda client: _read(client, posixpath.join(self._access.folder, folder, name), limit))

    def close(self) -> None:
        """Lets go of the connection."""
        with self._lock:
            self._let_go()

    def _do(self, work: Callable[[paramiko.SFTPClient], _Found]) -> _Found:
        """What `work` finds; once more over a new connection where a kept one turns out to be dead."""
        from paramiko import SSHException  # noqa: PLC0415  an extra: most installations have no need of it

        with self._lock:
            kept = self._client is not None
            try:
                try:
                    return work(self._connection())
                except (SSHException, EOFError, TimeoutError, ConnectionError):
                    self._let_go()
                    if not kept:
                        raise
                    return work(self._connection())
            except (SSHException, EOFError, OSError) as error:
                self._let_go()
                raise SftpFailed(f"the SFTP server refuses: {in_a_sentence(error) or type(error).__name__}") from error

    def _connection(self) -> paramiko.SFTPClient:
        if self._client is None:
            self._client = self._connect()
        return self._client

    def _connect(self) -> paramiko.SFTPClient:
        import paramiko  # noqa: PLC0415  see above

        ends = time.monotonic() + _CONNECT_SECONDS
        transport = paramiko.Transport(self._socket(ends))
        try:
            transport.start_client(timeout=max(ends - time.monotonic(), 1.0))
            shown = str(transport.get_remote_server_key().fingerprint)
            if shown not in self._access.host_keys:
                raise SftpFailed(f"the SFTP server shows a key that is not known: {shown}")
            self._sign_in(transport)
            client = paramiko.SFTPClient.from_transport(transport)
            assert client is not None, "a transport that is signed in opens a session"
            channel = client.get_channel()
            assert channel is not None, "a session has a channel"
            channel.settimeout(_ANSWER_SECONDS)
        except BaseException:
            transport.close()
            raise
        return client

    def _socket(self, ends: float) -> Any:
        """Connected to an address that may be called (D-25)."""
        access = self._access
        try:
            host = f"[{access.host}]" if ":" in access.host else access.host
            receiver = receiver_of(f"https://{host}:{access.port}/", allow_private=self._allow_private)
            addresses = checked_addresses(self._resolver, receiver, _CONNECT_SECONDS, allow_private=self._allow_private)
            found, _ = first_connected(addresses, access.port, lambda: max(ends - time.monotonic(), 0.1))
        except (ReceiverRefused, Unresolved, ConnectFailed) as error:
            raise SftpFailed(str(error)) from error
        return found

    def _sign_in(self, transport: paramiko.Transport) -> None:
        import paramiko  # noqa: PLC0415  see above

        try:
            if self._access.key_file is not None:
                transport.auth_publickey(self._access.user, paramiko.PKey.from_path(self._access.key_file))
            else:
                transport.auth_password(self._access.user, self._access.password)
        except paramiko.AuthenticationException as error:
            raise SftpFailed(f"the SFTP server refuses the user {self._access.user}") from error
        except (OSError, ValueError, paramiko.SSHException) as error:
            raise SftpFailed(f"signing in to the SFTP server failed: {in_a_sentence(error)}") from error

    def _let_go(self) -> None:
        client, self._client = self._client, None
        if client is None:
            return
        channel = client.get_channel()
        with suppress(Exception):
            client.close()
        if channel is not None:
            channel.get_transport().close()


def check_extra() -> None:
    """SftpFailed unless paramiko is installed."""
    try:
        import paramiko  # noqa: F401, PLC0415  see above
    except ImportError as error:
        raise SftpFailed("SFTP needs paramiko: pip install 'paymatch[sftp]'") from error


def _put(client: paramiko.SFTPClient, folder: str, name: str, data: bytes) -> None:
    _make(client, folder)
    draft, target = posixpath.join(folder, f".{name}.part"), posixpath.join(folder, name)
    client.putfo(io.BytesIO(data), draft, len(data))
    try:
        client.posix_rename(draft, target)
    except OSError:  # a server that does not know the extension renames only to a name that is free
        with suppress(FileNotFoundError):
            client.remove(target)
        client.rename(draft, target)


def _make(client: paramiko.SFTPClient, folder: str) -> None:
    """The folder, and those above it that are not there yet."""
    try:
        client.stat(folder)
    except FileNotFoundError:
        above = posixpath.dirname(folder)
        if above not in ("", "/", folder):
            _make(client, above)
        client.mkdir(folder, 0o700)


def _read(client: paramiko.SFTPClient, path: str, limit: int) -> bytes | None:
    try:
        with client.open(path, "rb") as file:
            return file.read(limit)
    except FileNotFoundError:
        return None
