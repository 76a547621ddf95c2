"""Sentences of refusals that pages may show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.sentences.refusals import money, orders, people, reports, sandbox, settings, work
from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    **money.SENTENCES,
    **orders.SENTENCES,
    **people.SENTENCES,
    **reports.SENTENCES,
    **sandbox.SENTENCES,
    **settings.SENTENCES,
    **work.SENTENCES,
}
