"""The order's page tells why reminders were sent, and leads to the payment that a customer says was made."""

from __future__ import annotations

from collections.abc import Callable

from paymatch.area.people.roles import TeamRole
from tests.area.conftest import Person
from tests.usecases.refunds.refund_world import RefundWorld


def test_a_complaint_finds_the_payment_from_the_order(world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    world.paid("A-1")
    world.client.submit("A-2")
    person = sign_in(TeamRole.CLERK, world.client.shop)
    page = person.get("orders/A-2").content.decode()
    assert f"/shops/{person.shop.id}/complaints/A-2" in page
    found = person.get("complaints/A-1").content.decode()
    assert 'class="badge accent">number' in found
    assert f"/shops/{person.shop.id}/orders/A-1" in found
    wrong = person.get("complaints/A-2?amount=abc&day=never")
    assert (wrong.status_code, "Enter an amount such as 12.50" in wrong.content.decode()) == (422, True)
    assert person.get("complaints/nothing").status_code == 404
