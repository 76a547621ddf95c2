"""Every `paymatch ...` in the documents is taken by the real parser: commands, options, the number of arguments."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer

from paymatch.cli.loading import load
from paymatch.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "client" / "README.md", ROOT / "CONTRIBUTING.md"]
)
_BLOCK = re.compile(r"(?:^    [^\n]*\n)+|^```(?:sh|console|bash)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"(?:^|[\s(;|&])(?:\S*/)?paymatch (?=[a-z])(.*)")
_INLINE = re.compile(r"`(?:\.venv/bin/)?paymatch ([^`]+)`")
_RUN = {"operations.md", "watching.md", "index.md", "first-paid-order.md", "README.md"}
"""Pages whose blocks are typed as they stand there; others explain beside their commands."""
_OTHERS = ("#", "docker", "podman", "helm", "kubectl", "useradd", "install")
_ENDS = {"|", "||", "&&", ";", "<", ">", ">>", "&", "\\"}


@dataclass(frozen=True)
class Named:
    """A command as a document names it. `whole`: it is complete and can be run."""

    page: str
    text: str
    whole: bool


def named(path: Path) -> Iterator[Named]:
    """All commands of a page: lines of its blocks, and what stands between backticks."""
    text = path.read_text("utf-8")
    blocks = _BLOCK.finditer(text)
    for block in blocks:
        joined = block.group(0).replace("\\\n", " ")
        for line in joined.splitlines():
            found = _COMMAND.search(line)
            if found is not None and "`" not in line and not line.strip().startswith(_OTHERS):
                yield Named(path.name, found.group(1), whole=path.name in _RUN)
    for found in _INLINE.finditer(_BLOCK.sub("", text)):
        yield Named(path.name, " ".join(found.group(1).split()), whole=False)


def words(text: str) -> list[str]:
    """The arguments of one command: up to a pipe, a redirection or a comment."""
    lexer = shlex.shlex(re.split(r"\s{2,}|\s#\s|\)$", text)[0], posix=True, punctuation_chars="<>;&")
    lexer.whitespace_split = True
    lexer.commenters = ""
    found = []
    for word in lexer:
        if word in _ENDS:
            break
        found.append(word.strip("[]"))
    return found


def problem(arguments: list[str], *, whole: bool) -> str | None:
    """What the parser says against a command; None if it takes it. Alternatives (`a|b`) are tried one by one."""
    for place, word in enumerate(arguments):
        if "|" in word:
            each = ([*arguments[:place], one, *arguments[place + 1 :]] for one in word.split("|"))
            return next((found for tried in each if (found := problem(tried, whole=whole)) is not None), None)
    name, *rest = arguments
    if name.startswith("-") or name == "COMMAND":
        return None  # of every command
    if name not in COMMANDS:
        return f"no command {name}"
    command = load(name, COMMANDS[name])
    while rest and (inside := getattr(command, "commands", None)) is not None and not rest[0].startswith("-"):
        if rest[0] in inside:
            command = inside[rest.pop(0)]
        elif name == "jobs":  # `jobs SHOP` is `jobs list SHOP`
            command = inside["list"]
        else:
            return f"no command {name} {rest[0]}"
    known = {option for each in command.params for option in (*each.opts, *each.secondary_opts)} | {"--help", "-h"}
    unknown = [word for word in re.findall(r"(?:^| )(--[a-z][a-z0-9-]*)", " ".join(rest)) if word not in known]
    if unknown:
        return f"{name} has no option {', '.join(unknown)}"
    if whole:
        try:
            command.make_context(name, rest)
        except typer.TyperException as error:
            return error.format_message()
    return None


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_parser_takes_every_command_of_the_page(path: Path) -> None:
    found = {each.text: problem(words(each.text), whole=each.whole) for each in named(path)}
    assert {text: said for text, said in found.items() if said is not None} == {}


def test_commands_are_found_where_they_stand() -> None:
    counts = {path.name: len(list(named(path))) for path in PAGES}
    assert counts["operations.md"] >= 8
    assert counts["sandbox.md"] >= 15
    assert sum(counts.values()) > 200


@pytest.mark.parametrize(
    ("text", "whole", "said"),
    [
        ("backup FILE", True, None),
        ("backup", True, "Missing argument 'FILE'."),
        ("backup FILE --quick", False, "backup has no option --quick"),
        ("refunds pay SHOP", False, "no command refunds pay"),
        ("privacy export|destroy SHOP", False, "no command privacy destroy"),
        ("jobs SHOP --failed", False, None),
        ("jobs SHOP --late", False, "jobs has no option --late"),
        ("move-to - < url      # as a role that may", True, None),
        ("paint", False, "no command paint"),
    ],
)
def test_what_the_parser_says(text: str, whole: bool, said: str | None) -> None:
    assert problem(words(text), whole=whole) == said
