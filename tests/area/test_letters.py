"""Letters in the browser: what waits, a print run to fetch and to mark, one letter with its PDF."""

from __future__ import annotations

import re
from collections.abc import Callable

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.usecases.letters.writing import LetterGateways, work_due
from paymatch.usecases.reminders.reminders import send_due
from paymatch.usecases.shops import dunning_plans
from tests.area.conftest import Person
from tests.area.test_reminders import text
from tests.usecases.letters.test_letters import ADDRESS
from tests.usecases.refunds.refund_world import RefundWorld
from tests.usecases.reminders.mail_world import Door


def test_a_clerk_prints_and_marks(service: Service, world: RefundWorld, sign_in: Callable[..., Person]) -> None:
    client = world.client
    client.change(mail_from="shop@example.org", payment_information="on", letters="on")
    clerk, viewer = sign_in(TeamRole.CLERK, client.shop), sign_in(TeamRole.VIEWER, client.shop)
    plan = {"levels": "7", "letters-without-mail": "on"}
    with service.database.of_shop(client.shop) as tx:
        dunning_plans.change_plan(tx, plan)
    for number in ("A-1", "A-2"):
        client.submit(number, type="INVOICE", billing=ADDRESS)
    send_due(service.database, client.shop, Door(), service.clock())
    work_due(service.database, client.shop, LetterGateways(), service.clock())

    page = text(clerk.get("reminders/letters"))
    assert page.count("Erika Mustermann, Heidestr. 17, 51147 Köln") == 2
    (first, second) = sorted(row[0] for row in client.rows("SELECT id FROM letters WHERE shop_id = $1"))
    pdf = clerk.get(f"reminders/letters/{first}?format=pdf")
    assert pdf.content.startswith(b"%PDF-")
    assert pdf["Content-Disposition"] == f'attachment; filename="{first}.pdf"'
    assert "Discard" in text(clerk.get(f"reminders/letters/{second}"))
    assert "Discard" not in text(viewer.get(f"reminders/letters/{second}"))
    assert viewer.post("reminders/letters", {"do": "print"}).status_code == 403
    clerk.post(f"reminders/letters/{second}", {"do": "discard"})
    clerk.post("reminders/letters", {"do": "print"})
    ((run, state),) = client.rows("SELECT run_id, status FROM letters WHERE shop_id = $1 AND id = $2", first)
    assert state == "PRINTING"
    assert clerk.get(f"reminders/letters/run/{run}/pdf").content.startswith(b"%PDF-")
    assert first in clerk.get(f"reminders/letters/run/{run}/csv").content.decode("utf-8-sig")
    assert clerk.get(f"reminders/letters/run/{run}/exe").status_code == 404
    clerk.post("reminders/letters", {"do": "printed", "run": run})
    assert client.rows("SELECT status FROM letters WHERE shop_id = $1 ORDER BY 1") == [("DISCARDED",), ("PRINTED",)]
    assert "is printed already" in text(clerk.post("reminders/letters", {"do": "undo", "run": run}, follow=True))
    exported = b"".join(clerk.get("reminders/letters?format=csv&status=PRINTED")).decode("utf-8-sig")
    assert len(re.findall("Heidestr", exported)) == 1
