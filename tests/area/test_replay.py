"""Try with your own data: begun with files, watched, its figures open their lists, erased by one click."""

from __future__ import annotations

import re
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
    rows = [row for _subject, rows in showing.shown(told).groups for row in rows]  # what the PDF lists
    assert len(rows) == 16
    for name, value in rows:
        assert (
            f">{str(name).capitalize()}<" in page or str(name) in page or str(name).startswith("Days from booking")
        ), name
        assert value.split(" ", 1)[0] in page, (name, value)
    for each in (*showing.shown(told).payments, *showing.shown(told).differences, *showing.shown(told).reminders):
        opened = owner.get(f"replay/lists/{each.figure}").content.decode().partition("<main")[2].partition("</main")[0]
        assert opened.count("<tr>") - opened.count("<thead><tr>") == each.count, each
    ours = owner.get("replay/lists/ours").content.decode()
    assert "Ada Berg" in ours
    assert "the amount is the same, the payer has the customer&#x27;s name, the payment names the order" in ours
    assert "nothing speaks for it" in ours
    file = owner.get("replay/lists/ours?format=csv")
    assert file["Content-Disposition"] == 'attachment; filename="replay-ours.csv"'
    head, line = b"".join(file.streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    assert head.startswith("posting_id,booking_date,amount,currency,name,text,outcome,ours,theirs,verdict")
    assert ",2025-03-05,100.00,EUR,Ada Berg,B-1001,matched,B-1001,B-1002,ours,amount name number,," in line
    assert owner.get("replay/lists/wrong-reminders").status_code == 200
    assert owner.get("replay/lists/nothing").status_code == 404
    pdf = clerk.get("replay/pdf")
    assert (pdf["Content-Type"], pdf.content[:5]) == ("application/pdf", b"%PDF-")
    owner.post("replay", {"erase": "1"})
    assert 'name="orders"' in owner.get("replay").content.decode()
    assert owner.get("replay/pdf").status_code == 404


def test_another_year_takes_the_place_of_the_finished_one(service: Service, sign_in: Callable[..., Person]) -> None:
    owner = sign_in(TeamRole.OWNER)
    owner.post("replay", files())
    assert "another=1" not in owner.get("replay").content.decode(), "it is still going on"
    refused = owner.post("replay", files() | {"another": "1"}, follow=True)
    assert "has a replay already" in refused.content.decode()
    assert playing.play(service.database, owner.shop, utc_now)
    page = owner.get("replay").content.decode()
    assert 'href="?another=1"' in page and 'name="orders"' not in page
    assert re.search(r"Found by</h2>.*?<td>Order number</td>.*?<strong>1</strong>", page, re.DOTALL)
    asked = owner.get("replay?another=1").content.decode()
    assert "The present result is erased as soon as the new files are uploaded." in asked and 'name="orders"' in asked
    owner.post("replay", {"another": "1"})
    assert "Found by" in owner.get("replay").content.decode(), "without files the finished one stays"
    owner.post("replay", files() | {"another": "1"})
    page = owner.get("replay").content.decode()
    assert "Running" in page and "Found by" not in page
