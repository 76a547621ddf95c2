"""Dependencies of the pages on the service: settings, database, clock and gateways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from paymatch.outbound.account_information.gateway import AccountInformationGateway
from paymatch.usecases.bank_feeds.gateway import EbicsGateway
from paymatch.usecases.connectors.gateways import ConnectorGateways
from paymatch.usecases.fints.gateway import FintsGateway

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from django.http import HttpRequest

    from paymatch.outbound.files import Files
    from paymatch.outbound.http import HttpDoor
    from paymatch.settings import Settings
    from paymatch.store.database import Database


SESSION_COOKIE: Final = "paymatch_session"


@dataclass(frozen=True, slots=True)
class Service:
    """The running service as the area sees it. `url` is that of the database; the clock returns aware UTC moments."""

    settings: Settings
    url: str
    database: Database
    clock: Callable[[], datetime]
    files: Files
    open_door: Callable[[], HttpDoor]
    connectors: Callable[[], ConnectorGateways] = ConnectorGateways
    ebics: Callable[[], EbicsGateway] = EbicsGateway
    account_information: Callable[[], AccountInformationGateway] = AccountInformationGateway
    fints: Callable[[], FintsGateway] = FintsGateway

    def base(self, request: HttpRequest) -> str:
        """The address of the service's pages: PAYMATCH_BASE_URL, else the one under which the request came."""
        return self.settings.base_url or f"{request.scheme}://{request.get_host()}"


_PROVIDED: Final[list[Service]] = []


def provide(service: Service) -> None:
    """Sets the service of this process; Django builds its views without arguments, so they ask for it."""
    _PROVIDED[:] = [service]


def the_service() -> Service:
    """The service of this process; an assertion error before `provide`."""
    assert _PROVIDED, "the area was not opened"
    return _PROVIDED[0]
