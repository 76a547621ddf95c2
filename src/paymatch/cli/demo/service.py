"""The service under demonstration as a process of its own, and the shop's client of its API."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any, Final
from uuid import uuid4

import msgspec

from paymatch.domain.words.message import as_text
from paymatch.system_errors import in_a_sentence

START_SECONDS: Final = 60
IMPORT_SECONDS: Final = 120
_PORT_SECONDS: Final = 6
"""How long the port of a demo that was killed is waited for: its service ends automatically within some seconds."""


class DemoFailed(Exception):
    """The demo cannot go on; the text is one line for the user."""


def wait_for_port(port: int) -> None:
    """OSError if another process keeps listening on the port of 127.0.0.1."""
    ends = time.monotonic() + _PORT_SECONDS
    while True:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                if time.monotonic() > ends or isinstance(error, PermissionError):
                    raise OSError(
                        f"Cannot listen on 127.0.0.1 port {port}: {in_a_sentence(error).lower()}."
                        " Try another one with --port"
                    ) from None
            else:
                return
        time.sleep(0.3)


@contextmanager
def serve(port: int) -> Iterator[subprocess.Popen[bytes]]:
    """`paymatch serve` with its worker, healthy; it is stopped at the end, and stops automatically if we are killed."""
    command = [sys.executable, "-m", "paymatch", "serve", "--port", str(port), "--parent", str(os.getpid())]
    environment = {"PAYMATCH_BASE_URL": f"http://127.0.0.1:{port}"} | os.environ
    environment |= {"PAYMATCH_CALLBACK_ALLOW_PRIVATE": "1", "PAYMATCH_LOG_LEVEL": "error"}
    process = subprocess.Popen(command, env=environment, process_group=0)  # noqa: S603  our own command, no shell
    try:
        _wait_until_healthy(process, port)
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(90)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_healthy(process: subprocess.Popen[bytes], port: int) -> None:
    ends = time.monotonic() + START_SECONDS
    while time.monotonic() < ends:
        if process.poll() is not None:
            raise DemoFailed(f"The service ended with exit code {process.returncode} before it was healthy")
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except (OSError, HTTPException):
            pass
        finally:
            connection.close()
        time.sleep(0.1)
    raise DemoFailed(f"The service was not healthy within {START_SECONDS} seconds")


@dataclass(frozen=True, slots=True)
class Client:
    """The shop's client of the merchant API."""

    port: int
    api_key: str

    @property
    def base(self) -> str:
        """The address of the API."""
        return f"http://127.0.0.1:{self.port}/api/v2"

    def get(self, path: str) -> str:
        """The answer, JSON as it came; DemoFailed unless it is 200."""
        return self._call("GET", path, None, {})

    def post(self, path: str, value: Any) -> str:
        """Sends JSON; the answer as it came. DemoFailed unless it is 200."""
        return self._call(
            "POST", path, msgspec.json.encode(value, enc_hook=as_text), {"Content-Type": "application/json"}
        )

    def send_refused(self, path: str, value: Any) -> None:
        """Sends JSON that the API refuses; DemoFailed if it does not."""
        status, content = self._answer(
            "POST", path, msgspec.json.encode(value, enc_hook=as_text), {"Content-Type": "application/json"}
        )
        if status not in (400, 404):
            raise DemoFailed(f"POST {path} was answered {status}: {content[:300]}")

    def import_statement(self, name: str, content: bytes) -> str:
        """Imports a bank file; the report as it came, however long it takes. DemoFailed if the file is refused."""
        answer = self._upload("statements", name, content)
        ends = time.monotonic() + IMPORT_SECONDS
        while (run := msgspec.json.decode(answer)).get("state") == "running":
            if time.monotonic() > ends:
                raise DemoFailed(f"The import of {name} was not done within {IMPORT_SECONDS} seconds")
            time.sleep(0.2)
            answer = self.get(f"imports/{run['importId']}")
        if "error" in run:
            raise DemoFailed(f"{name} was refused: {run['error']}")
        return answer

    def _upload(self, path: str, name: str, content: bytes) -> str:
        """Sends a file as the part `file`; the answer as it came."""
        boundary = uuid4().hex
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
        return self._call("POST", path, body, {"Content-Type": f"multipart/form-data; boundary={boundary}"})

    def _call(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> str:
        status, content = self._answer(method, path, body, headers)
        if status not in (200, 202):
            raise DemoFailed(f"{method} {path} was answered {status}: {content[:300]}")
        return content

    def _answer(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> tuple[int, str]:
        """(status, answer as it came); DemoFailed if there is none."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, f"/api/v2/{path}", body, {"X-Service-API-Key": self.api_key, **headers})
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, HTTPException) as error:
            raise DemoFailed(f"The service does not answer: {in_a_sentence(error)}") from None
        finally:
            connection.close()
        return answer.status, content.decode(errors="replace")
