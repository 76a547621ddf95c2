"""One call of the API, before it is sent and after it was answered; nothing here waits or sends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import quote, urlencode

import httpx
import msgspec

from paymatch_client.errors import AnswerUnreadable, ApiError, NotAuthorized, NotFound, Refused, Unavailable
from paymatch_client.values import Query, decoded, encoded, query_text

JSON: Final = "application/json"
PREFIX: Final = "/api/v2/"

_KEY_HEADER: Final = "X-Service-API-Key"
_AGENCY_TOKEN: Final = "pm_agcy_"  # noqa: S105  the public beginning of every agency token
_LOCKED: Final = "Could not acquire lock"
_LATER: Final = frozenset({408, 429, 500, 502, 503, 504})
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that is sent."""

    content: bytes
    name: str


@dataclass(frozen=True, slots=True)
class File:
    """A file that was answered."""

    content: bytes
    media_type: str
    name: str | None


@dataclass(frozen=True, slots=True)
class Request:
    """A call as it is sent; `repeatable`: a second one changes nothing more, so that it may be tried again."""

    method: str
    path: str
    query: Mapping[str, Query] = field(default_factory=dict)
    body: object = None
    upload: Upload | None = None
    accept: str = JSON
    repeatable: bool = False

    @property
    def target(self) -> str:
        """Path and query below the service's address, percent-encoded."""
        said = {name: text for name, value in self.query.items() if (text := query_text(value)) is not None}
        return PREFIX + self.path + (f"?{urlencode(said, quote_via=quote)}" if said else "")

    def headers(self, key: str) -> dict[str, str]:
        """The headers, with the key or the collection agency's token."""
        of_agency = key.startswith(_AGENCY_TOKEN)
        found = {"Authorization": f"Bearer {key}"} if of_agency else {_KEY_HEADER: key}
        return found | {"Accept": self.accept} | ({} if self.body is None else {"Content-Type": JSON})

    @property
    def content(self) -> bytes | None:
        """The body in JSON, if there is one."""
        return None if self.body is None else encoded(self.body)

    @property
    def files(self) -> dict[str, tuple[str, bytes]] | None:
        """The form with the file, if there is one."""
        return None if self.upload is None else {"file": (self.upload.name, self.upload.content)}


def quoted(number: str) -> str:
    """A part of a path; percent-encoded as a whole, `.` and `..` too, which otherwise mean folders."""
    return quote(number, safe="") if number.strip(".") else number.replace(".", "%2E")


def problem_of(answer: httpx.Response) -> ApiError | None:
    """What went wrong, if anything did."""
    status = answer.status_code
    if answer.is_success:
        return None
    text, additions = _said(answer)
    kind: type[ApiError] = Refused if 400 <= status < 500 else ApiError
    if status in _LATER or status > 500:
        kind = Unavailable
    elif status in (401, 404):
        kind = NotAuthorized if status == 401 else NotFound
    return kind(
        text,
        status=status,
        additions=additions,
        request_id=answer.headers.get("X-Request-Id"),
        retry_after=_retry_after(answer),
    )


def no_answer(error: httpx.TransportError) -> Unavailable:
    """The service was not reached, or the connection broke."""
    problem = Unavailable(f"No answer from the service: {str(error) or type(error).__name__}")
    problem.__cause__ = error
    return problem


def passes(problem: ApiError) -> bool:
    """Whether the same call may succeed a little later."""
    return isinstance(problem, Unavailable) or problem.error == _LOCKED


def value_of(answer: httpx.Response, wanted: Any) -> Any:
    """The answer as a value of the type."""
    try:
        return decoded(answer.content, wanted)
    except (msgspec.MsgspecError, ValueError) as error:
        raise AnswerUnreadable(f"The answer cannot be read: {error}", status=answer.status_code) from error


def file_of(answer: httpx.Response) -> File:
    """The answer as a file; its name as the service proposes it."""
    head = Message()
    head["Content-Disposition"] = answer.headers.get("Content-Disposition", "attachment")
    return File(answer.content, answer.headers.get("Content-Type", "").partition(";")[0], head.get_filename())


def _said(answer: httpx.Response) -> tuple[str, dict[str, Any]]:
    """The service's own text, and what it adds; what a proxy answers in its place is shown as it came."""
    try:
        said = msgspec.json.decode(answer.content, type=dict[str, Any])
    except (msgspec.MsgspecError, ValueError):
        said = {}
    text = said.pop("error", None)
    if not isinstance(text, str):
        return answer.text.strip()[:_SHOWN] or answer.reason_phrase or "No text", {}
    return text, said


def _retry_after(answer: httpx.Response) -> float | None:
    """Seconds of the header Retry-After, which may also be a date."""
    said = answer.headers.get("Retry-After", "").strip()
    if said.isascii() and said.isdigit():
        return float(said[:9])
    try:
        until, now = parsedate_to_datetime(said), parsedate_to_datetime(answer.headers["Date"])
        return max((until - now).total_seconds(), 0.0)
    except (KeyError, TypeError, ValueError):
        return None
