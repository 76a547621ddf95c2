"""Messages about the channels for bank statements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.sentences.bank_feeds import account_information, ebics, fints
from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {**ebics.SENTENCES, **account_information.SENTENCES, **fints.SENTENCES}
