"""The merchant area in process: one database per test process, because Django is configured once; a shop per test."""

from __future__ import annotations

import io
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4
from wsgiref.simple_server import make_server

import pytest
from pydantic import SecretStr

from paymatch.api import Api, ApiConfig
from paymatch.area.application import Area
from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.clock import utc_now
from paymatch.domain.shops.shop import Shop
from paymatch.installation import migrate_and_open
from paymatch.outbound.files import NullFiles
from paymatch.outbound.http import NullHttp
from paymatch.settings import Settings
from paymatch.store.database import Database
from paymatch.usecases.shops import shops
from tests.contract.client import START, Clock
from tests.databases import new_database
from tests.fakes.serving import BrowserServer, QuietHandler, serving
from tests.keys import KEYRING
from tests.usecases.refunds.refund_world import RefundWorld

PASSWORD = "correct horse battery"


@dataclass(frozen=True)
class Person:
    """A browser without JavaScript, signed in as a person who works for a shop."""

    client: Any
    email: str
    shop: Shop
    base: str = field(default="")

    def get(self, path: str, **more: Any) -> Any:
        """GET of a page of the shop, or of a path that begins with a slash."""
        return self.client.get(self._url(path), **more)

    def post(self, path: str, data: dict[str, Any] | None = None, **more: Any) -> Any:
        """POST of a form to a page of the shop."""
        return self.client.post(self._url(path), data or {}, **more)

    def _url(self, path: str) -> str:
        return path if path.startswith("/") else f"/shops/{self.shop.id}/{path}"


@pytest.fixture(scope="session")
def area_clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def service(
    server_url: str, migrated_template: str, area_clock: Clock, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """The running service as the area sees it; mail is kept as files."""
    with new_database(server_url, migrated_template) as owner:
        folder: Path = tmp_path_factory.mktemp("area")
        settings = Settings(database_url=SecretStr(owner), data_dir=folder, base_url="http://testserver")
        url, _ = migrate_and_open(settings, owner)
        database = Database(url, size=4, keyring=KEYRING)
        found = Service(settings, url, database, area_clock, NullFiles(), NullHttp)
        Area(found).load()
        _hash_quickly()
        yield found
        from django.db import connections

        connections.close_all()
        database.close()


@pytest.fixture(autouse=True)
def attempts_of_one_minute(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No attempt was made before the test, and all of its own are made in one minute, however busy the machine is."""
    if "service" in request.fixturenames:
        request.getfixturevalue("service")
        from allauth.core.internal import ratelimit
        from django.core.cache import cache

        cache.clear()
        moments = itertools.count(utc_now().timestamp(), 1e-4)
        kept = SimpleNamespace(time=lambda: next(moments), monotonic=time.monotonic, sleep=time.sleep)
        monkeypatch.setattr(ratelimit, "time", kept)


@pytest.fixture
def new_shop(service: Service, area_clock: Clock) -> Callable[..., Shop]:
    """Makes shops."""
    area_clock.now = START

    def make(**more: Any) -> Shop:
        return shops.create(service.database, f"Shop {uuid4().hex[:8]}", area_clock(), **more).shop

    return make


class Phone:
    """An authenticator app, and the clock that codes are checked by: each code is of the next half minute."""

    def __init__(self) -> None:
        self._now = utc_now().timestamp()

    def time(self) -> float:
        """Seconds since 1970."""
        return self._now

    def code(self, secret: str) -> str:
        """The code of the half minute that begins."""
        from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value

        self._now += 30
        return str(format_hotp_value(hotp_value(secret, int(self._now) // 30)))


@pytest.fixture
def phone(service: Service, monkeypatch: pytest.MonkeyPatch) -> Phone:
    """Reading two codes needs no wait in between."""
    found = Phone()
    monkeypatch.setattr("allauth.mfa.totp.internal.auth.time", found)
    return found


@pytest.fixture
def world(service: Service, area_clock: Clock, new_shop: Callable[..., Shop], tmp_path: Path) -> RefundWorld:
    """A shop with an account, whose orders are submitted by API and paid by statements; refunds go to its bank.

    `new_shop` sets the clock back to the start, so it comes first.
    """
    return RefundWorld(service.database, tmp_path, clock=area_clock)


@pytest.fixture
def world_shop(world: RefundWorld) -> Shop:
    """The shop of `world`."""
    return world.client.shop


@pytest.fixture
def sign_in(service: Service, new_shop: Callable[..., Shop]) -> Callable[..., Person]:
    """Makes people who are signed in; without `shop` each in a shop of their own."""

    def make(
        role: TeamRole = TeamRole.OWNER, shop: Shop | None = None, *, staff: bool = False, proven: bool = False
    ) -> Person:
        return signed_in(role, shop or new_shop(), staff=staff, proven=proven)

    return make


def signed_in(role: TeamRole, shop: Shop, *, staff: bool = False, proven: bool = False) -> Person:
    """A person who is signed in; `proven`: with a second factor, a moment ago."""
    from django.test import Client

    from paymatch.area.people import accounts

    email = f"{role}-{uuid4().hex[:8]}@example.org"
    user = accounts.create_person(email, shop=shop.id, role=role, staff=staff)
    user.password = hashed(PASSWORD)
    user.save(update_fields=["password"])
    client = Client()
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    person = Person(client, email, shop)
    if proven:
        prove(person)
    return person


def _hash_quickly() -> None:
    """Django's hasher of passwords takes as little time and memory as it can: tests sign in hundreds of times."""
    from django.contrib.auth.hashers import Argon2PasswordHasher

    Argon2PasswordHasher.time_cost, Argon2PasswordHasher.memory_cost, Argon2PasswordHasher.parallelism = 1, 8, 1


@cache
def hashed(password: str) -> str:
    """What is kept of a password; made once, because that is meant to be costly."""
    from django.contrib.auth.hashers import make_password

    return make_password(password)


def prove(person: Person, minutes_ago: int = 0) -> str:
    """The secret of the second factor that the person has had for long, and has given so long ago."""
    from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY
    from allauth.account.internal.flows.login import record_authentication
    from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
    from django.http import HttpRequest

    from paymatch.area.people import accounts

    user, secret, request = accounts.find(person.email), str(generate_totp_secret()), HttpRequest()
    TOTP.activate(user, secret)
    request.session = person.client.session
    record_authentication(request, user, method="mfa", type="totp", reauthenticated=True)
    request.session[AUTHENTICATION_METHODS_SESSION_KEY][-1]["at"] -= 60 * minutes_ago
    request.session.save()
    return secret


@pytest.fixture(scope="session")
def filled_world(
    service: Service, area_clock: Clock, tmp_path_factory: pytest.TempPathFactory
) -> tuple[RefundWorld, Person, datetime]:
    """The shop of `filled_shop`, its owner, who is one of the operator's people, too, and the moment that it shows."""
    from tests.area.filled_shop import fill

    area_clock.now = START
    world = RefundWorld(service.database, tmp_path_factory.mktemp("filled"), clock=area_clock)
    person = signed_in(TeamRole.OWNER, world.client.shop, staff=True, proven=True)
    fill(world, service, person)
    return world, person, area_clock.now


@pytest.fixture
def filled(filled_world: tuple[RefundWorld, Person, datetime], area_clock: Clock) -> Person:
    """The owner of a shop in which every page shows something; tests look at it, and change nothing."""
    area_clock.now = filled_world[2]
    return filled_world[1]


@pytest.fixture(scope="session")
def filled_pages(filled_world: tuple[RefundWorld, Person, datetime], area_clock: Clock) -> dict[str, str]:
    """Page -> an address of it in that shop."""
    from tests.area.every_page import pages_of

    area_clock.now = filled_world[2]
    return pages_of(filled_world[1])


class _Server(BrowserServer):
    def end_thread(self) -> None:
        from django.db import connections

        connections.close_all()


@pytest.fixture(scope="session")
def address(service: Service, area_clock: Clock) -> Iterator[str]:
    """The area and the API on a port of this machine."""
    area: Any = Area(service).load()
    api = Api(service.database, service.files, ApiConfig(("x-service-api-key",), area_clock, 1000))

    def both(environ: dict[str, Any], start_response: Any) -> Any:
        if not environ["PATH_INFO"].startswith("/api/"):
            return area(environ, start_response)
        sent = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"] or 0))  # the stream has no end of its own
        return api(environ | {"wsgi.input": io.BytesIO(sent)}, start_response)

    server = make_server("127.0.0.1", 0, both, server_class=_Server, handler_class=QuietHandler)
    with serving(server) as url:
        yield url


def page_of(chromium: Any, address: str, person: Person, **options: Any) -> Any:
    """A page of a browser in which the person is signed in."""
    context = chromium.new_context(base_url=address, **options)
    cookie = person.client.cookies["paymatch_session"].value
    context.add_cookies([{"name": "paymatch_session", "value": cookie, "url": address}])
    return context.new_page()
