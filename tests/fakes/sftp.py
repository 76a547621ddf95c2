"""An SFTP server on 127.0.0.1 whose root is a folder of the test."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import paramiko
from paramiko.common import AUTH_FAILED, AUTH_SUCCESSFUL, OPEN_SUCCEEDED
from paramiko.sftp import SFTP_OK, SFTP_OP_UNSUPPORTED


@dataclass
class SftpServer:
    """What it lets in and what it does; `cut` ends the connections that are open."""

    root: Path
    host_key: paramiko.PKey
    password: str = "secret"
    user_key: paramiko.PKey | None = None
    renames_over: bool = True  # knows posix-rename@openssh.com
    full: bool = False  # takes no more files
    port: int = 0
    connections: int = 0
    transports: list[paramiko.Transport] = field(default_factory=list)

    @property
    def fingerprint(self) -> str:
        """As `ssh-keygen -l` prints it."""
        return str(self.host_key.fingerprint)

    def cut(self) -> None:
        """Ends every connection."""
        while self.transports:
            self.transports.pop().close()


@contextmanager
def sftp_server(root: Path, *, user_key: paramiko.PKey | None = None) -> Iterator[SftpServer]:
    """A server that lets `letters` in, with the password or the key."""
    found = SftpServer(root, paramiko.ECDSAKey.generate(), user_key=user_key)
    listening = socket.create_server(("127.0.0.1", 0))
    found.port = listening.getsockname()[1]

    def accept() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            found.connections += 1
            transport = paramiko.Transport(connection)
            transport.add_server_key(found.host_key)
            transport.set_subsystem_handler("sftp", paramiko.SFTPServer, _Files, found)
            found.transports.append(transport)
            with suppress(paramiko.SSHException, EOFError, OSError):  # a client that goes away ends its own connection
                transport.start_server(server=_Login(found))

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()
        found.cut()


class _Login(paramiko.ServerInterface):
    def __init__(self, server: SftpServer) -> None:
        self._server = server

    def check_auth_password(self, username: str, password: str) -> int:
        return AUTH_SUCCESSFUL if (username, password) == ("letters", self._server.password) else AUTH_FAILED

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        return AUTH_SUCCESSFUL if username == "letters" and key == self._server.user_key else AUTH_FAILED

    def get_allowed_auths(self, username: str) -> str:
        return "password,publickey"

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return OPEN_SUCCEEDED


class _Files(paramiko.SFTPServerInterface):
    def __init__(self, _login: paramiko.ServerInterface, server: SftpServer) -> None:
        self._server = server

    def _at(self, path: str) -> Path:
        return self._server.root / self.canonicalize(path).lstrip("/")

    def stat(self, path: str) -> paramiko.SFTPAttributes | int:
        try:
            return paramiko.SFTPAttributes.from_stat(self._at(path).stat())
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno or 0)

    def mkdir(self, path: str, attr: paramiko.SFTPAttributes) -> int:
        self._at(path).mkdir()
        return SFTP_OK

    def remove(self, path: str) -> int:
        try:
            self._at(path).unlink()
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno or 0)
        return SFTP_OK

    def rename(self, oldpath: str, newpath: str) -> int:
        if self._at(newpath).exists():
            return paramiko.sftp.SFTP_FAILURE
        self._at(oldpath).rename(self._at(newpath))
        return SFTP_OK

    def posix_rename(self, oldpath: str, newpath: str) -> int:
        if not self._server.renames_over:
            return SFTP_OP_UNSUPPORTED
        self._at(oldpath).replace(self._at(newpath))
        return SFTP_OK

    def open(self, path: str, flags: int, attr: paramiko.SFTPAttributes) -> paramiko.SFTPHandle | int:
        if self._server.full and flags & os.O_CREAT:
            return paramiko.sftp.SFTP_FAILURE
        try:
            stream = os.fdopen(
                os.open(self._at(path), flags, 0o600),
                "r+b" if flags & os.O_RDWR else "wb" if flags & os.O_WRONLY else "rb",
            )
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno or 0)
        handle = paramiko.SFTPHandle(flags)
        handle.readfile = handle.writefile = stream  # type: ignore[attr-defined]
        return handle
