"""Sign-in by the company's OpenID Connect, against a provider on this machine; and shops that want a second factor."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import SecretStr

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.shops.shop import Shop
from paymatch.settings import Settings
from paymatch.usecases.shops import shops
from tests.area.conftest import Person
from tests.area.test_door import entries
from tests.area.test_sign_in import browser, person
from tests.fakes.serving import serving


@dataclass
class Company:
    """A provider with configured answers about everyone; `asked` are the requests to its token endpoint."""

    url: str = ""
    says: dict[str, Any] = field(default_factory=dict)
    asked: dict[str, list[str]] = field(default_factory=dict)

    def answer(self, path: str) -> dict[str, Any]:
        """What it answers to a path."""
        match path:
            case "/.well-known/openid-configuration":
                return {
                    "issuer": self.url, "authorization_endpoint": f"{self.url}/authorize",
                    "token_endpoint": f"{self.url}/token", "userinfo_endpoint": f"{self.url}/userinfo",
                    "jwks_uri": f"{self.url}/keys", "token_endpoint_auth_methods_supported": ["client_secret_post"],
                }  # fmt: skip
            case "/token":
                return {"access_token": "a-token", "token_type": "Bearer"}
        return self.says


@pytest.fixture
def company(service: Service) -> Iterator[Company]:
    """The provider, which the area believes."""
    from django.test import override_settings

    from paymatch.area.configuration import providers

    found = Company()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
            found.asked = parse_qs(sent)
            self._answer()

        def _answer(self) -> None:
            content = json.dumps(found.answer(urlsplit(self.path).path)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with serving(server) as found.url:
        named = Settings(
            oidc_issuer=found.url, oidc_client_id="paymatch", oidc_client_secret=SecretStr("s3cret"),
            oidc_name="Tea Ltd",
        )  # fmt: skip
        with override_settings(SOCIALACCOUNT_PROVIDERS=providers(named)):
            yield found


def come_back(client: Any, query: str = "") -> Any:
    """The person goes to the company, which sends them back with a code."""
    away = client.get(f"/account/oidc/company/login/{query}")
    asked = parse_qs(urlsplit(away["Location"]).query)
    assert asked["redirect_uri"] == ["http://testserver/account/oidc/company/login/callback/"]
    assert asked["code_challenge_method"] == ["S256"]
    return client.get("/account/oidc/company/login/callback/", {"code": "a-code", "state": asked["state"][0]})


def test_who_is_known_here_signs_in_by_the_company(
    service: Service, company: Company, new_shop: Callable[..., Shop]
) -> None:
    shop, client = new_shop(), browser()
    email = person(shop)
    company.says = {"sub": "u-1", "email": email.upper(), "email_verified": True}
    answer = come_back(client)
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert client.get(f"/shops/{shop.id}/overview").status_code == 200
    assert (company.asked["client_secret"], company.asked["code"]) == (["s3cret"], ["a-code"])
    assert len(company.asked["code_verifier"][0]) >= 43
    assert entries(service, email)[-1][0] == "signed-in"


@pytest.mark.parametrize("says", [{"email_verified": False}, {}, {"email_verified": True, "email": "new@example.org"}])
def test_nobody_else_does(company: Company, new_shop: Callable[..., Shop], says: dict[str, Any]) -> None:
    from paymatch.area.people.models import User

    client, email, known = browser(), person(new_shop()), User.objects.count()
    company.says = {"sub": "u-2", "email": email} | says
    assert come_back(client)["Location"] == "/login"
    assert "Ask for an invitation" in client.get("/login").content.decode()
    assert (client.get("/")["Location"], User.objects.count()) == ("/login", known)


@pytest.mark.parametrize("verified", ["false", "true", "0", "no", "", 0, 1, [False], {"true": True}, None])
def test_attack_only_json_true_verifies_an_address(
    company: Company, new_shop: Callable[..., Shop], verified: object
) -> None:
    client, email = browser(), person(new_shop())
    company.says = {"sub": f"u-{email}", "email": email, "email_verified": verified}
    assert come_back(client)["Location"] == "/login"
    assert client.get("/")["Location"] == "/login"


def test_attack_another_subject_with_the_address_of_somebody_is_refused(
    company: Company, new_shop: Callable[..., Shop]
) -> None:
    """The company gives the address of a person who has left to someone else."""
    from paymatch.area.people import accounts

    shop, thief = new_shop(), browser()
    email = person(shop)
    company.says = {"sub": f"first-{email}", "email": email, "email_verified": True}
    assert come_back(browser())["Location"] == "/"
    company.says["sub"] = f"second-{email}"
    assert come_back(thief)["Location"] == "/login"
    assert "reports another account for this address" in thief.get("/login").content.decode()
    assert thief.get(f"/shops/{shop.id}/overview").status_code == 302
    accounts.reset(email)
    assert come_back(thief)["Location"] == "/"


def test_a_person_whose_address_changes_at_the_company_is_still_known(
    company: Company, new_shop: Callable[..., Shop]
) -> None:
    shop, client = new_shop(), browser()
    email = person(shop)
    company.says = {"sub": f"u-{email}", "email": email, "email_verified": True}
    assert come_back(browser())["Location"] == "/"
    company.says |= {"email": f"married-{email}", "email_verified": False}
    assert come_back(client)["Location"] == "/"
    assert client.get(f"/shops/{shop.id}/overview").status_code == 200


def test_attack_the_same_subject_of_another_issuer_is_somebody_else(
    company: Company, new_shop: Callable[..., Shop]
) -> None:
    from paymatch.area.people import accounts
    from paymatch.area.people.models import CompanyIdentity

    owner = accounts.find(person(new_shop()))
    CompanyIdentity.objects.create(user=owner, issuer="https://former.example", subject=f"u-{owner.email}")
    company.says = {"sub": f"u-{owner.email}", "email": "stranger@example.org", "email_verified": True}
    assert come_back(browser())["Location"] == "/login"


def test_the_company_connects_nothing_to_who_is_signed_in(company: Company, sign_in: Callable[..., Person]) -> None:
    from paymatch.area.people.models import CompanyIdentity

    owner = sign_in()
    company.says = {"sub": f"thief-of-{owner.email}", "email": "thief@example.org", "email_verified": True}
    assert come_back(owner.client, "?process=connect")["Location"] == "/login"
    assert not CompanyIdentity.objects.filter(user__email=owner.email).exists()


def test_an_answer_that_nobody_asked_for_signs_nobody_in(company: Company, new_shop: Callable[..., Shop]) -> None:
    company.says = {"sub": "u-3", "email": person(new_shop()), "email_verified": True}
    client = browser()
    assert client.get("/account/oidc/company/login/callback/", {"code": "c", "state": "x"})["Location"] == "/login"
    assert client.get("/")["Location"] == "/login"


def test_without_a_company_there_is_no_such_sign_in(service: Service) -> None:
    assert browser().get("/account/oidc/company/login/").status_code == 404
    assert "company" not in browser().get("/login").content.decode()


def test_a_shop_may_want_a_second_factor(service: Service, sign_in: Callable[..., Person]) -> None:
    from allauth.mfa.models import Authenticator

    from paymatch.area.people.models import User

    owner = sign_in()
    people = {role: owner if role is TeamRole.OWNER else sign_in(role, owner.shop) for role in TeamRole}
    rules = {"off": set[TeamRole](), "money": {TeamRole.OWNER, TeamRole.CLERK}, "all": set(TeamRole)}
    for rule, sent_away in rules.items():
        with service.database.of_shop(owner.shop) as tx:
            shops.change(tx, {"second-factor": rule})
        answers = {role: each.get("overview") for role, each in people.items()}
        assert {role for role, answer in answers.items() if answer.status_code == 302} == sent_away
        assert {answers[role]["Location"] for role in sent_away} <= {"/account/2fa/totp/activate/"}
    user = User.objects.get(email=owner.email)
    Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={})
    assert owner.get("overview").status_code == 200


def test_the_rule_is_changed_only_with_a_fresh_proof(service: Service, sign_in: Callable[..., Person]) -> None:
    owner = sign_in()
    assert owner.post("settings/sign-in", {"second-factor": "all"}).status_code == 302
    with service.database.of_shop(owner.shop) as tx:
        assert shops.settings_as_texts(tx)["second-factor"] == "off"
