"""WSGI applications behind our server: the pages today, and anything else written for WSGI."""

from __future__ import annotations

import io
import logging
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final
from urllib.parse import unquote_to_bytes

import structlog

from paymatch.web import HTTPS_NEEDED, LOCAL, REQUEST_ID, TOO_LARGE, Admission, HttpReply, Request, gather

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
_log = structlog.get_logger("paymatch.front")


_KNOWN_SECONDS: Final = 60.0
_MOST_SESSIONS: Final = 10_000
_LONGEST_SESSION: Final = 64


@dataclass(frozen=True, slots=True)
class SignedIn:
    """How people with a session are distinguished from strangers, and the longest body that they may send.

    `person_of` asks the database whose valid session it is; "" for none. It only opens the door: the application proves
    the session again.
    """

    cookie: str
    person_of: Callable[[str], str]
    body_limit: int


class PlainApplication:
    """Has a WSGI application answer, in the threads of those who need no key and one address at a time in turn.

    People with a session are answered in the threads of known callers, each person in turn.
    """

    def __init__(
        self,
        application: Wsgi,
        *,
        body_limit: int = 0,
        people: SignedIn | None = None,
        private: bool = False,
        often: bool = False,
    ) -> None:
        """`private`: not by plain HTTP from afar. `often`: asked for by machines, or by every page."""
        self._often = often
        self._application = application
        self._body_limit = body_limit
        self._people = people
        self._private = private or people is not None
        self._known: dict[str, tuple[str, float]] = {}  # session: the person, and until when that is believed

    def admit(self, request: Request) -> Admission | HttpReply:
        """All clients: people who were recognised a moment ago, those whose session is asked about first, strangers.

        To what is private, as all is where people sign in, plain HTTP is not admitted unless allowed.
        """
        stranger = Admission(f"page {request.origin.client}", self._body_limit, self._answer, is_stranger=True)
        if self._private and not request.origin.secure:
            return self.refuse(request, 400, HTTPS_NEEDED)
        if self._people is None:
            return stranger
        session = _cookie(request, self._people.cookie)
        if not session:
            return stranger
        person, until = self._known.get(session, ("", 0.0))
        if until > time.monotonic():
            return self._person(person, self._people)
        return replace(stranger, authenticate=partial(self._recognise, session, self._people, request))

    def _person(self, person: str, people: SignedIn) -> Admission:
        return Admission(f"person {person}", people.body_limit, partial(self._answer, person=person))

    def _recognise(self, session: str, people: SignedIn, request: Request) -> Admission | None:
        """The admission of the person whose session it is; None for a stranger."""
        try:
            person = people.person_of(session)
        except Exception:
            _log.exception("session could not be looked up", request_id=request.id)
            return None
        if not person:
            return None
        if len(self._known) >= _MOST_SESSIONS:
            self._known.clear()
        self._known[session] = person, time.monotonic() + _KNOWN_SECONDS
        return self._person(person, people)

    def refuse(self, _request: Request, status: int, text: str) -> HttpReply:
        """A refusal of the server itself, as plain text."""
        body = f"{text}\n".encode()
        return HttpReply(
            status, [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))], body
        )

    def _answer(self, request: Request, person: str = "") -> HttpReply:
        """The answer, with its line in the log; frequent requests have one only if everything is logged."""
        reply = self._reply_to(request)
        _log.log(
            logging.DEBUG if self._often else logging.INFO, "request", request_id=request.id, method=request.method,
            path=request.path, status=reply.status, client=request.origin.client, person=person or None,
            ms=round((time.perf_counter() - request.arrived_at) * 1000, 2),
        )  # fmt: skip
        return reply

    def _reply_to(self, request: Request) -> HttpReply:
        if request.body_too_large and self._people is None:
            return self.refuse(request, 413, "The form or file is too large")
        environ = _environ(request)
        if request.body_too_large:  # people read so on a page, with a way back
            environ |= {TOO_LARGE: True, "CONTENT_TYPE": "", "CONTENT_LENGTH": "0", "wsgi.input": io.BytesIO()}
        started: list[tuple[str, list[tuple[str, str]]]] = []

        def start_response(status: str, headers: list[tuple[str, str]], _error: object = None) -> None:
            started[:] = [(status, headers)]

        try:
            body = gather(self._application(environ, start_response))
        except Exception:
            _log.exception("page failed", request_id=request.id, path=request.path)
            return self.refuse(request, 500, f"Internal server error (request {request.id})")
        status, headers = started[0]
        return HttpReply(int(status[:3]), list(headers), body)


def _cookie(request: Request, name: str) -> str:
    """The value of a cookie; "" if there is none that could be a session."""
    for part in request.headers.get("cookie", "").split(";"):
        key, _, value = part.strip().partition("=")
        if key == name and len(value) <= _LONGEST_SESSION:
            return value
    return ""


def _environ(request: Request) -> dict[str, Any]:
    """The request as PEP 3333 wants it."""
    headers = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in request.headers.items()}
    return headers | {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(request.raw_path).decode("latin-1"),
        "QUERY_STRING": request.query,
        "REQUEST_URI": request.raw_path,
        "CONTENT_TYPE": request.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(request.body)),
        "SERVER_NAME": request.headers.get("host", "").partition(":")[0],
        "SERVER_PORT": request.headers.get("host", "").partition(":")[2],
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": request.origin.client,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "https" if request.origin.https else "http",
        "wsgi.input": io.BytesIO(request.body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        LOCAL: request.origin.local,
        REQUEST_ID: request.id,
    }
