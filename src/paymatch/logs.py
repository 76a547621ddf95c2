"""Logs: one event per line on stderr, as JSON or for a person; secrets are blotted out on the way."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, Final, Literal

import structlog

from paymatch.traces import add_trace

LogFormat = Literal["console", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]

_SECRET_NAMES: Final = re.compile(r"(?i)(secret|password|authorization|api_?key|access_?code|token|cookie|signature)")
_SECRET_TEXTS: Final = re.compile(
    r"pm_(?:live|test)_[A-Za-z0-9_-]{4,}"
    r"|(?i:(?<=/p/))[A-Za-z0-9_-]{20,}"  # the link to an order's page
    r"|(?i:(?<=/link/)|(?<=/invitation/)|(?<=/key/))[^/\s?]{10,}"  # links that let a person in
    r"|(?<=://)[^/@\s:]*:[^/@\s]+(?=@)"
)
_MARKS: Final = re.compile(r"(?i)pm_|@|/(?:p|link|invitation|key)/")
"""One of them is in every text that may hold a secret; most hold none."""
"""API keys, and user:password in a URL."""

_NOT_PLAIN: Final = re.compile(r"[ ='\"]")

BLOT: Final = "[secret]"


_in_use: tuple[LogFormat, LogLevel] = ("console", "warning")


def logs_in_use() -> tuple[LogFormat, LogLevel]:
    """What `set_up_logs` was last called with, for processes that log as this one does."""
    return _in_use


def set_up_logs(log_format: LogFormat, level: LogLevel) -> None:
    """All further log lines, those of libraries included, go to stderr in this format from this level on."""
    global _in_use  # noqa: PLW0603  logging is set up per process, here and in the libraries
    _in_use = log_format, level
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        add_trace,
    ]
    ending: list[structlog.typing.Processor]
    if log_format == "json":
        ending = [structlog.processors.format_exc_info, blot_secrets, structlog.processors.JSONRenderer()]
    else:
        ending = [structlog.processors.format_exc_info, blot_secrets]
        ending.append(structlog.dev.ConsoleRenderer(colors=True) if sys.stderr.isatty() else console_line)
    number = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[*shared, *ending],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=lambda *_: _Lines(sys.stderr),  # asked for at each line: stderr may change
        cache_logger_on_first_use=False,
    )
    _take_over_the_standard_library(shared, ending, number)


class _Lines(structlog.PrintLogger):
    """Writes lines; one that the disk has no room for is lost, and work continues."""

    def msg(self, message: str) -> None:
        with suppress(OSError):
            super().msg(message)

    log = debug = info = warning = error = exception = msg


@contextmanager
def log_context(**values: str) -> Iterator[None]:
    """Every line logged inside carries `values`, the request id for example."""
    with structlog.contextvars.bound_contextvars(**values):
        yield


def blot_secrets(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The event without secrets: values of telling names, API keys and passwords in URLs anywhere in a text."""
    return {name: BLOT if value and _is_secret(name) else _redact(value) for name, value in event.items()}


def without_secrets(text: str) -> str:
    """The text with secrets blotted out: API keys, passwords in URLs, links that sign someone in."""
    return _SECRET_TEXTS.sub(BLOT, text) if _MARKS.search(text) else text


@lru_cache(maxsize=1024)
def _is_secret(name: str) -> bool:
    return _SECRET_NAMES.search(name) is not None


def console_line(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> str:
    """The event as structlog's console renderer writes it without colours, at a third of its cost per request."""
    below = [text for text in (event.pop("stack", None), event.pop("exception", None)) if text]
    level, text = event.pop("level", ""), str(event.pop("event", ""))
    head = f"{event.pop('timestamp', '')} [{level:<9}] {text if text.isprintable() else repr(text):<30}"
    words = [f"{name}={_log_text(event[name])}" for name in sorted(event)]
    return "\n".join([" ".join([head, *words]).rstrip(), *below])


def _log_text(value: Any) -> str:
    """A plain text as it is; others in quotes, so that a line stays a line and a value one word."""
    if not isinstance(value, str) or _NOT_PLAIN.search(value) or not value.isprintable():
        return repr(value)
    return value


def _redact(value: Any) -> Any:
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, dict):
        return {name: BLOT if item and _is_secret(str(name)) else _redact(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_redact(item) for item in value]
    return value if value is None or isinstance(value, int | float) else _redact(str(value))


def _take_over_the_standard_library(
    shared: list[structlog.typing.Processor], ending: list[structlog.typing.Processor], number: int
) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *ending],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    # Libraries tell more than an operator wants to know: their warnings are enough, unless he asks for everything.
    root.setLevel(number if number <= logging.DEBUG else max(number, logging.WARNING))
