"""Try with your own data: begun with files, watched, its figures open their lists, erased by one click."""

from __future__ import annotations

from collections.abc import Callable

from django.core.files.uploadedfile import SimpleUploadedFile

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.clock import utc_now
from paymatch.usecases.replays import beginning, playing, showing, summing
from tests.area.conftest import Person
from tests.usecases.replays.test_replays import DECISIONS, ORDERS, statement


def files() -> dict[str, SimpleUploadedFile]:
    return {
        "orders": SimpleUploadedFile("orders.csv", ORDERS.encode()),
        "statements": SimpleUploadedFile("year.xml", statement()),
        "decisions": SimpleUploadedFile("decisions.csv", DECISIONS.encode()),
    }


def test_a_replay_is_begun_watched_read_and_erased(service: Service, sign_in: Callable[..., Person]) -> None:
    clerk = sign_in(TeamRole.CLERK)
    owner = sign_in(TeamRole.OWNER, clerk.shop)
    assert 'type="file"' not in clerk.get("replay").content.decode()
    assert clerk.post("replay", files()).status_code == 403
    assert owner.post("replay", files())["Location"] == f"/shops/{owner.shop.id}/replay"
    assert "Running" in owner.get("replay").content.decode()
    assert owner.get("replay/lists/matched").status_code == 404  # there is no result yet
    assert playing.play(service.database, owner.shop, utc_now)
    page = owner.get("replay").content.decode()
    for said in ("All postings", "Reminders to customers who had paid", "50.0 % / 2", "2 differences, each judged"):
        assert said in page, page[page.find("<main") : page.find("</main")]
    with service.database.of_shop(owner.shop) as tx:
        row = beginning.state(tx)
    assert row is not None
    told = summing.result_of(row)
    assert told is not None
    for name, value in showing.shown(told).rows:  # what the PDF lists
        assert str(name) in page or str(name).startswith("Days from booking"), name
        assert value.split(" ", 1)[0] in page, (name, value)
    for each in (*showing.shown(told).payments, *showing.shown(told).differences, *showing.shown(told).reminders):
        opened = owner.get(f"replay/lists/{each.figure}").content.decode().partition("<main")[2].partition("</main")[0]
        assert opened.count("<tr>") - opened.count("<thead><tr>") == each.count, each
    ours = owner.get("replay/lists/ours").content.decode()
    assert "Ada Berg" in ours
    assert "the amount is the same, the payer has the customer&#x27;s name, the payment names the order" in ours
    assert "nothing speaks for it" in ours
    assert owner.get("replay/lists/wrong-reminders").status_code == 200
    assert owner.get("replay/lists/nothing").status_code == 404
    pdf = clerk.get("replay/pdf")
    assert (pdf["Content-Type"], pdf.content[:5]) == ("application/pdf", b"%PDF-")
    owner.post("replay", {"erase": "1"})
    assert 'name="orders"' in owner.get("replay").content.decode()
    assert owner.get("replay/pdf").status_code == 404
