"""docs/command-line.md: all commands with their arguments and options, as the help says them."""

from __future__ import annotations

from typing import Any, Final

import typer

from paymatch.cli.loading import load
from paymatch.cli.main import COMMANDS

_HEAD: Final = """# The command line

Generated from the commands (`make docs`). `paymatch COMMAND -h` says the same in the terminal, and
`paymatch --install-completion` lets your shell complete commands and options.

- **Shop.** SHOP is the id of a shop, the beginning of its id, or its name, which is unique. It may be left out where
  `PAYMATCH_SHOP` names one, or where there is only one. The first word is the shop if it names one.
- **Ids** may be shortened to a beginning that only one id of the shop has.
- **Days** are `2026-03-01`, amounts `12.30` in units of the currency, in and out; JSON has amounts as texts.
- **Lists** take `--json`, `--csv`, `--columns NAME,...` and `--where NAME=VALUE`. Nothing is cut: where a table is
  wider than the terminal, texts wrap or each row becomes a block of lines. In CSV, what a table
  program would take for a formula begins with an apostrophe.
- **Files** may be `-` for standard input.
- **What cannot be undone** asks for confirmation. `--yes` confirms; without a terminal nothing is done without it.
- **A number that begins with #** is written in quotes: a shell takes `#1853` for a comment.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | refused or failed: one line on stderr says why; with `--json` it is `{"error": "..."}` |
| 2 | the words of the command line were wrong: an unknown command or option, a missing argument |

Only `serve`, `demo` and `migrate` create a database or bring it up to date; all other commands want it to be there.
"""


def command_line() -> str:
    """The document."""
    parts = [_HEAD]
    for name, entry in COMMANDS.items():
        command = load(name, entry)
        context = typer.Context(command, info_name=f"paymatch {name}")
        subcommands: dict[str, Any] = getattr(command, "commands", {})
        if not subcommands:
            parts.append(_section(command, context))
        for each in subcommands.values():
            parts += _nested(each, context)
    return "\n".join(parts)


def _nested(command: Any, parent: Any) -> list[str]:
    """The sections of a command of a group, or of all commands of a group in it."""
    context = typer.Context(command, info_name=command.name, parent=parent)
    subcommands: dict[str, Any] = getattr(command, "commands", {})
    if not subcommands:
        return [_section(command, context)]
    return [section for each in subcommands.values() for section in _nested(each, context)]


def _section(command: Any, context: Any) -> str:
    """Name, what it does, and its options, those of every list left out."""
    pieces = " ".join(piece for piece in command.collect_usage_pieces(context) if piece != "[OPTIONS]")
    lines = [f"## {context.command_path} {pieces}".rstrip(), "", " ".join((command.help or "").split()), ""]
    rows = [row for each in command.params if not each.hidden and (row := each.get_help_record(context))]
    lines += [f"- `{_plain(name)}` {' '.join(text.split())}".rstrip() for name, text in rows if not _of_all(name)]
    return "\n".join(lines).rstrip() + "\n"


def _plain(name: str) -> str:
    return " ".join(name.split())


def _of_all(name: str) -> bool:
    """Whether an option is one that all lists have, or the shop."""
    return name.startswith(("--json", "--csv", "--columns", "--where", "--help", "-h", "SHOP", "--yes", "-y"))
