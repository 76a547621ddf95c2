"""Setting up an empty shop: seven steps, each done or skipped; what is refused stays in its step."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.usecases.shops import setup, shops
from tests.area.conftest import Person

STEPS = ["account", "orders", "statement", "sender", "look", "team", "live"]


def states(person: Person, path: str = "setup") -> list[str]:
    page = person.get(path).content.decode()
    assert re.findall(r'id="step-(\w+)"', page) == STEPS
    return re.findall(r'class="setup-mark (\w+)"', page)


def current(person: Person, path: str = "setup") -> list[str]:
    return re.findall(r'setup-step is-open" id="step-(\w+)"', person.get(path).content.decode())


def post(person: Person, do: str, **fields: Any) -> Any:
    return person.post("setup", {"do": do, **fields})


def test_an_empty_live_shop_is_led_through_seven_steps(service: Service, sign_in: Callable[..., Person]) -> None:
    person = sign_in(proven=True)
    from paymatch.area.people.models import User

    User.objects.filter(email=person.email).update(last_page="")
    assert person.client.get("/")["Location"] == f"/shops/{person.shop.id}/setup"
    assert (states(person), current(person)) == (["open"] * 7, ["account"])
    page = person.get("overview").content.decode()
    assert "Continue setup" in page
    assert "Cash in per day" not in page  # charts come with the first payment

    wrong = post(person, "account", iban="DE89 3704 0044 0532 0130 01")
    assert wrong.status_code == 422
    beside = re.search(
        r'name="iban" value="([^"]+)".*<p class="error" id="setup-iban-error">([^<]+)', wrong.content.decode()
    )
    assert beside is not None
    assert beside[1] == "DE89 3704 0044 0532 0130 01"
    assert beside[2] == f"&#x27;{beside[1]}&#x27; is not a valid IBAN: Invalid checksum digits"
    assert states(person)[0] == "open"
    post(person, "account", iban="DE89370400440532013000")
    assert (states(person)[0], current(person)) == ("done", ["orders"])

    table = SimpleUploadedFile("orders.csv", b"Order number,Customer,Amount\nA-1001,Eva Muster,24.90\n")
    address = person.post("import-orders", {"file": table})["Location"]
    form = {"column_0": "number", "column_1": "customer", "column_2": "amount", "kind": "PREPAYMENT"}
    assert person.post(address, form | {"action": "import"})["Location"] == f"/shops/{person.shop.id}/setup"
    assert (states(person)[1], current(person)) == ("done", ["statement"])

    for step in STEPS[2:6]:
        post(person, "skip", step=step)
    assert states(person) == ["done", "done", "skipped", "skipped", "skipped", "skipped", "open"]
    post(person, "unskip", step="look")
    assert current(person, "setup?step=look") == ["look"]
    post(person, "look", accent="#1d5c48")
    assert (states(person)[4], current(person)) == ("done", ["live"])
    assert post(person, "skip", step="live").status_code == 422
    assert post(person, "live", mail="payment-information").status_code == 422  # without a sender
    assert post(person, "live")["Location"] == f"/shops/{person.shop.id}/overview"
    assert states(person)[6] == "done"
    assert f'href="/shops/{person.shop.id}/setup"' not in person.get("orders").content.decode()


def test_a_test_mail_goes_to_the_owner_and_mails_go_out_once_live(
    service: Service, sign_in: Callable[..., Person]
) -> None:
    person = sign_in()
    refused = post(person, "sender", **{"mail-from": "nobody"})
    assert refused.status_code == 422
    assert 'value="nobody"' in refused.content.decode()
    answer = person.client.post(
        f"/shops/{person.shop.id}/setup", {"do": "sender", "mail-from": "shop@example.org"}, follow=True
    )
    assert "The sender is saved. The test mail did not leave" in answer.content.decode()
    assert states(person)[3] == "open"  # kept is not sent
    with service.database.of_shop(person.shop, at=service.clock()) as tx:
        setup.note_trial_mail(tx)
    assert states(person)[3] == "done"
    post(person, "live", mail=["payment-information", "reminders", "api"])
    with service.database.of_shop(person.shop) as tx:
        texts = shops.settings_as_texts(tx)
    assert (texts["payment-information"], texts["reminders"], texts["payment-thanks"]) == ("on", "on", "off")


def test_only_owners_set_up_and_sandboxes_have_no_set_up(
    sign_in: Callable[..., Person], new_shop: Callable[..., Any]
) -> None:
    assert sign_in(TeamRole.CLERK).get("setup").status_code == 403
    sandbox = sign_in(shop=new_shop(sandbox=True))
    assert f'href="/shops/{sandbox.shop.id}/setup"' not in sandbox.get("overview").content.decode()


def test_the_account_and_the_invitation_need_a_second_factor(sign_in: Callable[..., Person]) -> None:
    person = sign_in()
    for form in ({"do": "account", "iban": "DE89370400440532013000"}, {"do": "team", "email": "a@example.org"}):
        assert person.post("setup", form)["Location"] == "/account/2fa/totp/activate/"
    assert states(person) == ["open"] * 7


def test_a_second_factor_is_asked_for_before_a_form_is_filled_in(sign_in: Callable[..., Person]) -> None:
    """What was typed is lost on the way to it, so the page says so first; people with one are not bothered."""
    needed = "Changes on this page need a second factor."
    owner = sign_in()
    shown = [step for step in STEPS if needed in owner.get(f"setup?step={step}").content.decode()]
    assert shown == ["account", "team"]
    assert needed not in sign_in(proven=True).get("setup").content.decode()
    assert needed in sign_in(staff=True).get("/operator/shops/new").content.decode()
    assert needed not in sign_in(staff=True, proven=True).get("/operator/shops/new").content.decode()


def test_a_refusal_of_another_step_is_said_in_that_step(sign_in: Callable[..., Person]) -> None:
    person = sign_in()
    answer = post(person, "look", accent="#1d5c48", logo=SimpleUploadedFile("logo.png", b"no picture"))
    assert answer.status_code == 422
    step = answer.content.decode().partition('id="step-look"')[2]
    assert re.match(r'[^§]*?<div class="setup-body"><div class="notice red" role="alert">', step)


def test_orders_from_files_need_no_key_on_the_way_to_the_first_paid_order(
    service: Service, sign_in: Callable[..., Person]
) -> None:
    person = sign_in()
    post(person, "live")
    assert "Use an API key" in person.get("overview").content.decode()
    person.post("new-order", {"number": "H-1", "type": "INVOICE", "customer": "Eva Muster", "amount": "31.20"})
    page = person.get("overview").content.decode()
    assert ("Use an API key" in page, "Submit an order" in page) == (False, True)
