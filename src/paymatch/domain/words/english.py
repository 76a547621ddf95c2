"""Every sentence in English by its code; a pair is singular and plural, by the value `count`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words import english_only
from paymatch.domain.words.sentences import (
    alerts,
    assigning,
    bank_feeds,
    calls,
    connectors,
    evidence,
    files,
    held_back,
    listed_payments,
    privacy,
    refunds,
    refusals,
    replays,
    rules,
    settings,
    tariffs,
)
from paymatch.domain.words.template import Template

TRANSLATED: Final[Mapping[str, Template]] = {
    **evidence.SENTENCES,
    **held_back.SENTENCES,
    **rules.SENTENCES,
    **assigning.SENTENCES,
    **settings.SENTENCES,
    **alerts.SENTENCES,
    **connectors.SENTENCES,
    **calls.SENTENCES,
    **refunds.SENTENCES,
    **tariffs.SENTENCES,
    **privacy.SENTENCES,
    **files.SENTENCES,
    **listed_payments.SENTENCES,
    **bank_feeds.SENTENCES,
    **refusals.SENTENCES,
    **replays.SENTENCES,
}
"""The sentences that pages may show; each language of the area has all of them."""

SENTENCES: Final[Mapping[str, Template]] = {**TRANSLATED, **english_only.SENTENCES}
