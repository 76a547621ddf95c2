"""Sentences that no page shows; they are not translated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.english_only import api, commands, installation
from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    **api.SENTENCES,
    **commands.SENTENCES,
    **installation.SENTENCES,
}
