"""A true id of another shop's thing, typed into the address or form of one's own shop, is an id that does not exist."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.area.conftest import Person
from tests.area.every_page import forms_of

_NEW_EACH_TIME: Final = re.compile(r'nonce="[^"]*"|value="[A-Za-z0-9]{64}"|"X-CSRFToken": ?"[^"]*"|[A-Za-z0-9]{64}')
"""Tokens of forms and scripts."""


def mistyped(value: str) -> str:
    """The id with its last digits and letters turned: of the same form, and of nothing."""
    turned = {
        each: other
        for kind in ("0123456789", "abcdefghijklmnopqrstuvwxyz")
        for each, other in zip(kind, kind[1:] + kind[0], strict=True)
    }
    return value[:-4] + "".join(turned.get(each, each) for each in value[-4:])


def notices(person: Person) -> list[str]:
    """What the last change says on the next page; then it is gone."""
    return re.findall(r'role="status">([^<]*)<', person.get("find").content.decode())


def seen(answer: Any, *ids: str) -> tuple[int, str, list[str]]:
    """Status, target and page of an answer, without the ids and what is new in each."""
    texts = [answer.headers.get("Location", ""), _NEW_EACH_TIME.sub("", answer.content.decode(errors="replace"))]
    for value in sorted(ids, key=len, reverse=True):
        texts = [text.replace(value, "ID") for text in texts]
    return answer.status_code, texts[0], texts[1].splitlines()


def variable_parts(address: str) -> tuple[str, dict[str, str]]:
    """The name of the page, and its parts but for the shop."""
    from django.urls import resolve

    found = resolve(address.partition("?")[0])
    return str(found.url_name), {name: str(each) for name, each in found.kwargs.items() if name != "shop"}


@pytest.fixture
def stranger(sign_in: Callable[..., Person]) -> Person:
    """An owner of another shop, with a second factor."""
    return sign_in(proven=True)


def test_a_true_id_in_an_address_answers_like_none(
    filled: Person, filled_pages: dict[str, str], stranger: Person
) -> None:
    walked = 0
    for address in filled_pages.values():
        _, parts = variable_parts(address)
        own = address.partition("?")[0].replace(str(filled.shop.id), str(stranger.shop.id))
        for value in parts.values():
            if value not in own or not any(each.isdigit() for each in value):
                continue  # the name of a report, or of a group of settings
            wrong = mistyped(value)
            for call in (stranger.get, stranger.post):
                true, said = seen(call(own), value), notices(stranger)
                assert (true, said) == (seen(call(own.replace(value, wrong)), wrong), notices(stranger)), own
            walked += 1
    assert walked > 15


def test_true_ids_in_a_form_answer_like_none(filled: Person, filled_pages: dict[str, str], stranger: Person) -> None:
    """Each form of the filled shop is sent to the stranger's shop, and once more with ids that no shop has."""
    walked = 0
    for place, fields in forms_of(filled, filled_pages.values()):
        own = place.replace(str(filled.shop.id), str(stranger.shop.id))
        ids = {
            value for values in fields.values() for value in values if re.fullmatch(r"[a-z]{2,3}_[0-9a-z]{19,}", value)
        }
        if own == place or not ids:
            continue
        wrong = {name: [mistyped(each) if each in ids else each for each in values] for name, values in fields.items()}
        true, said = seen(stranger.post(own, fields), *ids), notices(stranger)
        none = seen(stranger.post(own, wrong), *map(mistyped, ids))
        assert (true, said) == (none, notices(stranger)), own
        walked += 1
    assert walked > 5
