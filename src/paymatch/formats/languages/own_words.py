"""Words that a shop writes itself: templates cut down to placeholders and conditions.

`{{ name }}`, `{{ name|upper }}`, `{% if name %}...{% else %}...{% endif %}`; `$name` and `${name}` mean the same as
`{{ name }}`, `$$` is a dollar sign. The parsed template is compared with what is allowed below: nothing in it can reach
an attribute, call anything or repeat, so it reads nothing but its values and ends soon.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Final

from jinja2 import StrictUndefined, Template, TemplateSyntaxError, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message

_ALLOWED: Final = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.If, nodes.CondExpr, nodes.Compare,
    nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Filter,
)  # fmt: skip
_FILTERS: Final = frozenset({"upper", "lower", "capitalize", "trim"})

_MARKED: Final = re.compile(r"(\{\{[^{}]*\}\}|\{%[^{}]*%\}|\{#[^{}]*#\})")
_DOLLAR: Final = re.compile(r"\{(?=\$)|\$(?:(\$)|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}|)", re.ASCII)

_ENVIRONMENT: Final = ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)


class WordsRefused(Refused):
    """The words cannot be used as a template; the reason in words."""


def check_words(text: str, names: Set[str]) -> None:
    """WordsRefused unless the template can be filled with values of these names, and of no others."""
    try:
        text.encode()
        parsed = _ENVIRONMENT.parse(_source(text))
        for node in (parsed, *parsed.find_all(nodes.Node)):
            _check(node, names)
        fill_placeholders(text, dict.fromkeys(names, ""))
    except TemplateSyntaxError as error:
        raise WordsRefused(Message("text-syntax", line=error.lineno, message=str(error.message))) from None
    except ValueError:  # a digit too many for a number, half a pair of surrogates
        raise WordsRefused(Message("text-unwritable")) from None
    except (SyntaxError, RecursionError, MemoryError):
        raise WordsRefused(Message("text-too-deep")) from None


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """The words with their placeholders replaced; a value is never parsed again."""
    return _template(text).render(values)


def _check(node: nodes.Node, names: Set[str]) -> None:
    if not isinstance(node, _ALLOWED):
        raise WordsRefused(Message("words-placeholders-conditions-can-used", name=type(node).__name__.lower()))
    if isinstance(node, nodes.Name) and node.name not in names:
        raise WordsRefused(Message("text-no-placeholder", name=node.name, names=", ".join(sorted(names))))
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        node.value.encode()
    if isinstance(node, nodes.Compare) and not all(map(_is_text, (node.expr, *(each.expr for each in node.ops)))):
        raise WordsRefused(Message("words-texts-alone-can-compared"))
    if isinstance(node, nodes.Filter) and (
        node.node is None or node.name not in _FILTERS or node.args or node.kwargs or node.dyn_args or node.dyn_kwargs
    ):
        raise WordsRefused(Message("text-no-filter", name=node.name, names=", ".join(sorted(_FILTERS))))


def _is_text(node: nodes.Expr) -> bool:
    """True if the value is a text for any placeholders: nothing else can be compared with everything."""
    if isinstance(node, nodes.Const):
        return isinstance(node.value, str)
    return isinstance(node, nodes.Name | nodes.Filter)


@lru_cache(maxsize=256)
def _template(text: str) -> Template:
    return _ENVIRONMENT.from_string(_source(text))


def _source(text: str) -> str:
    """The template with `$name` written as `{{ name }}`, except in existing marks of the language."""
    parts = _MARKED.split(text)
    parts[::2] = [_DOLLAR.sub(_placeholder, part) for part in parts[::2]]
    return "".join(parts)


def _placeholder(found: re.Match[str]) -> str:
    if found[0] == "{":  # "{$name}": a brace of the words, not of the language
        return '{{ "{" }}'
    if found[1]:
        return "$"
    name = found[2] or found[3]
    if not name:
        raise WordsRefused(Message("words-dollar-sign-stands-before"))
    return f"{{{{ {name} }}}}"
