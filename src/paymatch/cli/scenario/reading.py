"""Scenario files: YAML whose values are all text, so that an amount stays as it was written (docs/scenarios.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import yaml

from paymatch.domain.shops.sandbox import SandboxRefused
from paymatch.domain.words.message import Message

DEFAULT_START: Final = "2026-03-02 09:00"
"""A Monday."""

_DAY: Final = re.compile(r"day (\d{1,4})(?: (\d{1,2}):(\d{2}))?", re.ASCII)
_HEAD: Final = frozenset({"title", "start", "shop"})


@dataclass(frozen=True, slots=True)
class ScenarioStep:
    """One thing that happens; `options` accompany the verb (`refused`)."""

    verb: str
    value: Any
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Moment:
    """`day 2 19:00` with what happens then."""

    name: str
    at: datetime
    steps: tuple[ScenarioStep, ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A story: a shop, and what happens when."""

    file: str
    title: str
    start: datetime
    shop: Mapping[str, str]
    moments: tuple[Moment, ...]


def read_scenario(path: Path) -> Scenario:
    """The scenario of a file. SandboxRefused with the place and the reason if it is none; OSError."""
    try:
        # BaseLoader makes text of every scalar and builds no objects.
        found = yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506  # nosec B506
        return _scenario(path.name, found)
    except yaml.YAMLError as error:
        raise SandboxRefused(Message("file-named", name=str(path), what=str(error))) from None
    except (SandboxRefused, UnicodeDecodeError) as error:
        raise SandboxRefused(Message("file-named", name=str(path), what=str(error))) from None


def _scenario(file: str, found: Any) -> Scenario:
    if not isinstance(found, dict):
        raise SandboxRefused(Message("sandbox-scenario-mapping-title-start"))
    shop = found.get("shop") or {}
    if not isinstance(shop, dict):
        raise SandboxRefused(Message("sandbox-shop-settings-such-timezone"))
    zone = ZoneInfo(shop.get("timezone", "Europe/Berlin"))
    try:
        start = datetime.fromisoformat(found.get("start") or DEFAULT_START)
    except ValueError:
        raise SandboxRefused(
            Message("sandbox-start-not-moment-such", start=repr(found["start"]), example=DEFAULT_START)
        ) from None
    moments = [_moment(name, value, start, zone) for name, value in found.items() if name not in _HEAD]
    if not moments:
        raise SandboxRefused(Message("sandbox-nothing-happens-day-0"))
    moments.sort(key=lambda moment: moment.at)
    return Scenario(file, str(found.get("title") or file), start.replace(tzinfo=zone), shop, tuple(moments))


def _moment(name: str, value: Any, start: datetime, zone: ZoneInfo) -> Moment:
    parts = _DAY.fullmatch(name)
    if parts is None:
        raise SandboxRefused(Message("sandbox-day-2-day-2", name=repr(name), heads=", ".join(sorted(_HEAD))))
    day, hour, minute = parts.groups()
    try:
        clock = start.time() if hour is None else time(int(hour), int(minute))
    except ValueError:
        raise SandboxRefused(Message("sandbox-no-such-time-day", name=repr(name))) from None
    local = datetime.combine(start.date() + timedelta(days=int(day)), clock, zone)
    if not isinstance(value, list):
        raise SandboxRefused(Message("sandbox-list-steps-expected", name=name))
    return Moment(name, local, tuple(_step(name, step) for step in value))


def _step(name: str, step: Any) -> ScenarioStep:
    if not isinstance(step, dict) or not step:
        raise SandboxRefused(Message("sandbox-step-such-order-number", name=name))
    verb, *others = step
    return ScenarioStep(verb, step[verb], {other: step[other] for other in others})
