"""The merchant area as a WSGI application that loads Django when it is first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any, Final

from paymatch.area.service import Service, provide

StartResponse = Callable[..., Any]
Wsgi = Callable[[dict[str, Any], StartResponse], Iterable[bytes]]

_LOADING: Final = threading.Lock()


class Area:
    """WSGI callable. The first request pays for loading Django (about a second), which happens only then."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._application: Wsgi | None = None

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        return self.load()(environ, start_response)

    def person_of(self, session: str) -> str:
        """The id of the person whose valid session this is; "" if there is none."""
        self.load()
        from paymatch.area.people import sessions  # noqa: PLC0415  Django is loaded when it is needed

        return sessions.person_of(session)

    def load(self) -> Wsgi:
        """The loaded application; safe to call from several threads."""
        with _LOADING:
            if self._application is None:
                self._application = _load(self._service)
            return self._application


def _load(service: Service) -> Wsgi:
    from paymatch.area.configuration import set_up_django  # noqa: PLC0415  Django is loaded when it is needed

    set_up_django(service.settings, service.url)
    provide(service)

    from django.core.wsgi import get_wsgi_application  # noqa: PLC0415

    from paymatch.area.static_files import with_static_files  # noqa: PLC0415

    return with_static_files(get_wsgi_application())
