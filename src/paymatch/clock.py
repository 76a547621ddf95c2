"""The clock: the only module that reads it; everything else is handed `today` or `now`."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> datetime:
    """This moment, aware, in UTC."""
    return datetime.now(UTC)  # noqa: TID251  this is the one place
