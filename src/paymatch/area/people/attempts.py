"""Attempts to sign in and codes that were used, counted by all server processes together (D-46).

A cache as Django knows them, in the area's own tables. Values are JSON: what is read back runs nothing.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.db import IntegrityError, transaction

from paymatch.area.people.models import Attempt
from paymatch.clock import utc_now

_FORGOTTEN_AT_ONCE: Final = 100
"""Expired rows that a write takes away: more than it adds."""


class Attempts(BaseCache):
    """What every process sees of the others' attempts."""

    def __init__(self, _location: str, params: dict[str, Any]) -> None:
        super().__init__(params)

    def add(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Whether nothing was there: of many at once one succeeds."""
        row = self._row(key, value, timeout, version)
        expired = Attempt.objects.filter(key=row.key, expires_at__lte=utc_now())
        if expired.update(value=value, expires_at=row.expires_at):
            return True
        try:
            with transaction.atomic():
                row.save(force_insert=True)
        except IntegrityError:
            return False
        return True

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        found = Attempt.objects.filter(key=self._key(key, version), expires_at__gt=utc_now())
        return found.values_list("value", flat=True).first() or default

    def set(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        row = self._row(key, value, timeout, version)
        Attempt.objects.bulk_create(
            [row], update_conflicts=True, unique_fields=["key"], update_fields=["value", "expires_at"]
        )
        self._forget_expired()

    def delete(self, key: str, version: int | None = None) -> bool:
        return bool(Attempt.objects.filter(key=self._key(key, version)).delete()[0])

    def clear(self) -> None:
        Attempt.objects.all().delete()

    def _key(self, key: str, version: int | None) -> str:
        return self.make_and_validate_key(key, version=version)[:300]

    def _row(self, key: str, value: Any, timeout: Any, version: int | None) -> Attempt:
        seconds = self.default_timeout if timeout is DEFAULT_TIMEOUT else timeout
        return Attempt(key=self._key(key, version), value=value, expires_at=utc_now() + timedelta(seconds=seconds))

    def _forget_expired(self) -> None:
        with transaction.atomic():  # deletion by another process is fine
            rows = Attempt.objects.select_for_update(skip_locked=True).filter(expires_at__lte=utc_now())
            old = list(rows.order_by("expires_at").values_list("pk", flat=True)[:_FORGOTTEN_AT_ONCE])
            Attempt.objects.filter(pk__in=old).delete()
