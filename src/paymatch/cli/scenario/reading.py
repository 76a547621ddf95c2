"""Scenario files: YAML whose values are all text, so that an amount stays as it was written (docs/sandbox.md)."""

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

DEFAULT_START: Final = "2026-03-02 09:00"
"""A Monday."""

_DAY: Final = re.compile(r"day (\d{1,4})(?: (\d{1,2}):(\d{2}))?", re.ASCII)
_HEAD: Final = frozenset({"title", "start", "shop"})


@dataclass(frozen=True, slots=True)
class ScenarioStep:
    """One thing that happens; `options` stand beside the verb (`refused`)."""

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
        raise SandboxRefused(f"{path}: {error}") from None
    except (SandboxRefused, UnicodeDecodeError) as error:
        raise SandboxRefused(f"{path}: {error}") from None


def _scenario(file: str, found: Any) -> Scenario:
    if not isinstance(found, dict):
        raise SandboxRefused("a scenario is a mapping of title, start, shop and days")
    shop = found.get("shop") or {}
    if not isinstance(shop, dict):
        raise SandboxRefused("shop: settings such as {timezone: Europe/Berlin} are expected")
    zone = ZoneInfo(shop.get("timezone", "Europe/Berlin"))
    try:
        start = datetime.fromisoformat(found.get("start") or DEFAULT_START)
    except ValueError:
        raise SandboxRefused(f"start: {found['start']!r} is not a moment such as {DEFAULT_START}") from None
    moments = [_moment(name, value, start, zone) for name, value in found.items() if name not in _HEAD]
    if not moments:
        raise SandboxRefused("nothing happens: `day 0:` is missing")
    moments.sort(key=lambda moment: moment.at)
    return Scenario(file, str(found.get("title") or file), start.replace(tzinfo=zone), shop, tuple(moments))


def _moment(name: str, value: Any, start: datetime, zone: ZoneInfo) -> Moment:
    parts = _DAY.fullmatch(name)
    if parts is None:
        raise SandboxRefused(f"{name!r}: `day 2` or `day 2 19:00` is expected, or one of {', '.join(sorted(_HEAD))}")
    day, hour, minute = parts.groups()
    try:
        clock = start.time() if hour is None else time(int(hour), int(minute))
    except ValueError:
        raise SandboxRefused(f"{name!r}: there is no such time of day") from None
    local = datetime.combine(start.date() + timedelta(days=int(day)), clock, zone)
    if not isinstance(value, list):
        raise SandboxRefused(f"{name}: a list of steps is expected")
    return Moment(name, local, tuple(_step(name, step) for step in value))


def _step(name: str, step: Any) -> ScenarioStep:
    if not isinstance(step, dict) or not step:
        raise SandboxRefused(f"{name}: a step such as `- order: {{number: A-1, amount: 49.90}}` is expected")
    verb, *others = step
    return ScenarioStep(verb, step[verb], {other: step[other] for other in others})
