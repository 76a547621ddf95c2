"""Every form of every page, sent by an owner in a filled shop: every change is in the audit log (D-45)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from lxml import html

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.store.ids import is_row_id
from paymatch.usecases.audit import check_chain, last_entries
from tests.area.conftest import Person, signed_in
from tests.area.every_page import forms_of, pages_of
from tests.area.filled_shop import fill
from tests.contract.audit_entries import NAMED, fields_of, told
from tests.contract.client import START, Clock
from tests.usecases.refunds.refund_world import RefundWorld


def test_whatever_a_form_changes_stands_in_the_audit_log(service: Service, area_clock: Clock, tmp_path: Path) -> None:
    area_clock.now = START
    world = RefundWorld(service.database, tmp_path, clock=area_clock)
    owner = signed_in(TeamRole.OWNER, world.client.shop, proven=True)
    fill(world, service, owner)
    forms, changed = list(forms_of(owner, pages_of(owner).values())), set[str]()
    known: dict[str, str] = {}
    for address, form in forms:
        if address.endswith(("settings/sign-in", "settings/team", "/logout", "/sessions")):
            continue  # they would shut the owner out; tests/area/test_settings.py and test_company.py have them
        with told(service.database, world.client.id, (address, form), known) as tables:
            owner.post(address, form)
        changed |= tables
    assert changed >= {"orders", "allocations", "refund_releases", "bank_connections", "payer_rules", "shops"}
    assert fields_of(last_entries(service.database, world.client.shop, "", 10_000)) <= NAMED
    assert check_chain(service.database, world.client.shop).fault == ""
    assert raw_ids(owner) == []


def raw_ids(owner: Person) -> list[str]:
    """Ids of rows that the audit log shows to people, in any of its entries."""
    found, address = list[str](), f"/shops/{owner.shop.id}/settings/audit?column=about&column=changed&column=who"
    while address:
        page: Any = html.fromstring(owner.get(address).content)
        for drawer in page.xpath("//table//td//details"):  # the entry as JSON, for developers
            drawer.drop_tree()
        texts = [each.text_content() for each in page.xpath("//table//td")]
        assert texts
        found += [word for text in texts for word in re.findall(r"[a-z]{2,4}_[0-9a-z]+", text) if is_row_id(word)]
        following = page.xpath("//p[contains(@class, 'list-foot')]//a[contains(@href, 'after=')]/@href")
        address = urljoin(address, following[-1]) if following else ""
    return found
