"""The way to the service: address, key, time limits, and trying again; once blocking and once for asyncio."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass
from typing import Any, Final, TypeVar, overload

import httpx

from paymatch_client.errors import ApiError
from paymatch_client.requests import File, Request, file_of, no_answer, passes, problem_of, value_of

_Answer = TypeVar("_Answer")

CONNECT_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Retries:
    """How calls that may be repeated are tried again: at most `times`, after pauses that double from `first_seconds`.

    `Retry-After` of the service comes first; a pause longer than `longest_seconds` is not made, the error rises then.
    """

    times: int = 3
    first_seconds: float = 0.5
    longest_seconds: float = 60.0

    def pause(self, request: Request, problem: ApiError, tried: int) -> float | None:
        """Seconds until the next attempt; None if there is none."""
        if tried > self.times or not request.repeatable or not passes(problem):
            return None
        own = self.first_seconds * 2 ** (tried - 1) * random.uniform(0.5, 1.0)  # noqa: S311  spreads callers, no secret
        wanted = own if problem.retry_after is None else problem.retry_after
        return wanted if wanted <= self.longest_seconds else None


@dataclass(frozen=True, slots=True)
class Terms:
    """What all calls of a client have in common; `timeout` is in seconds."""

    address: str
    key: str
    timeout: float
    retries: Retries

    def sent(self, request: Request) -> dict[str, Any]:
        """The request in the words of httpx."""
        return {
            "method": request.method,
            "url": self.address.rstrip("/") + request.target,
            "headers": request.headers(self.key),
            "content": request.content,
            "files": request.files,
            "timeout": httpx.Timeout(self.timeout, connect=min(self.timeout, CONNECT_SECONDS)),
        }


class Connection:
    """Sends requests and waits for their answers."""

    def __init__(self, terms: Terms, http: httpx.Client) -> None:
        self.terms = terms
        self.http = http

    @overload
    def ask(self, request: Request, answer: type[_Answer]) -> _Answer: ...
    @overload
    def ask(self, request: Request, answer: object) -> Any: ...
    def ask(self, request: Request, answer: Any) -> Any:
        """The answer as a value of the type."""
        return value_of(self._exchange(request), answer)

    def fetch(self, request: Request) -> File:
        """The answer as a file."""
        return file_of(self._exchange(request))

    def tell(self, request: Request) -> None:
        """Sends what has no answer but success."""
        self._exchange(request)

    def _exchange(self, request: Request) -> httpx.Response:
        tried = 0
        while True:
            tried += 1
            try:
                answer = self.http.request(**self.terms.sent(request))
                problem = problem_of(answer)
                if problem is None:
                    return answer
            except httpx.TransportError as error:
                problem = no_answer(error)
            pause = self.terms.retries.pause(request, problem, tried)
            if pause is None:
                raise problem
            time.sleep(pause)


class AsyncConnection:
    """Sends requests and awaits their answers."""

    def __init__(self, terms: Terms, http: httpx.AsyncClient) -> None:
        self.terms = terms
        self.http = http

    @overload
    async def ask(self, request: Request, answer: type[_Answer]) -> _Answer: ...
    @overload
    async def ask(self, request: Request, answer: object) -> Any: ...
    async def ask(self, request: Request, answer: Any) -> Any:
        """The answer as a value of the type."""
        return value_of(await self._exchange(request), answer)

    async def fetch(self, request: Request) -> File:
        """The answer as a file."""
        return file_of(await self._exchange(request))

    async def tell(self, request: Request) -> None:
        """Sends what has no answer but success."""
        await self._exchange(request)

    async def _exchange(self, request: Request) -> httpx.Response:
        tried = 0
        while True:
            tried += 1
            try:
                answer = await self.http.request(**self.terms.sent(request))
                problem = problem_of(answer)
                if problem is None:
                    return answer
            except httpx.TransportError as error:
                problem = no_answer(error)
            pause = self.terms.retries.pause(request, problem, tried)
            if pause is None:
                raise problem
            await asyncio.sleep(pause)


class Section:
    """A section of the API on a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection


class AsyncSection:
    """A section of the API on a connection for asyncio."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
