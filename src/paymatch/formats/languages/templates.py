"""Templates of what customers read: Jinja2 in its sandbox, escaping what it is handed, in the customer's language.

A template sees its context and nothing else: no attribute that begins with an underscore, no method that changes a
value, and a name that it misspells is an error and not an empty place.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from jinja2 import PackageLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from paymatch.formats.languages.texts import LANGUAGES, LanguageTexts, group_digits

_PLAIN: Final = (".txt",)


@lru_cache(maxsize=64)
def _environment(package: str, spoken: LanguageTexts) -> ImmutableSandboxedEnvironment:
    """The templates in the folder `templates` of a package, in a language; what does not end in .txt is HTML."""
    found = ImmutableSandboxedEnvironment(
        loader=PackageLoader(package), autoescape=lambda name: not (name or "").endswith(_PLAIN),
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        extensions=["jinja2.ext.i18n"], auto_reload=False,
    )  # fmt: skip
    found.policies["ext.i18n.trimmed"] = True  # a text is written over several lines, and is one
    translating: Any = found
    said = spoken.catalogue
    translating.install_gettext_callables(said.gettext, said.ngettext, newstyle=True, pgettext=said.pgettext)
    found.filters |= {
        "amount": spoken.amount, "plain_amount": spoken.plain_amount, "day": spoken.day,
        "short_day": spoken.short_day, "grouped": group_digits, "moment": spoken.moment, "apart": spoken.apart,
    }  # fmt: skip
    found.globals.update(language=spoken.language, colon=spoken.colon, languages=LANGUAGES)
    return found


def render(package: str, name: str, spoken: LanguageTexts, context: Mapping[str, Any]) -> str:
    """The template of a package, filled with the context, in a language."""
    return _environment(package, spoken).get_template(name).render(context)
