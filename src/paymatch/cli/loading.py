"""Groups of commands: loaded when they are used, so that `--help` is quick; SHOP may be left out where it is clear."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Final, NamedTuple, NoReturn, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

_F = TypeVar("_F", bound=Callable[..., Any])
HELP_NAMES: Final = ("-h", "--help")
CONTEXT: Final = {"help_option_names": list(HELP_NAMES), "max_content_width": 100}


class CommandEntry(NamedTuple):
    """A command or group: the module and the object in it, and its line in the help."""

    place: str
    help: str


class Command(TyperCommand):
    """A command that takes `--yes`, also where nothing is asked: a script gives it to each.

    Its usage line names required arguments in the usual form: FILE, without braces.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if not any("--yes" in each.opts for each in self.params):
            self.params.append(_never_asks())

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words of the usage line after the command's name."""
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]


@cache
def _never_asks() -> Any:
    """The option `--yes` of a command that has no use for it."""

    def asks_nothing(yes: Annotated[bool, typer.Option("--yes", "-y", hidden=True)] = False) -> None:
        """A command with the option and nothing else."""

    asking = typer.Typer(add_completion=False)
    asking.command(cls=TyperCommand)(asks_nothing)
    option = next(each for each in get_command(asking).params if "--yes" in each.opts)
    option.expose_value = False
    return option


class Commands(typer.Typer):
    """Commands whose usage lines are written so."""

    def command(self, name: str | None = None, **options: Any) -> Callable[[_F], _F]:
        """The decorator of a command of this name."""
        return super().command(name, **{"cls": Command, **options})


class DefaultShopGroup(TyperGroup):
    """A group whose commands take the default shop where SHOP is left out."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that the first word names, and the words for it."""
        name, found, rest = super().resolve_command(ctx, args)
        return name, found, _with_shop(found, ctx, rest) if isinstance(found, TyperCommand) else rest


class LazyGroup(DefaultShopGroup):
    """The group of all commands. What is listed is not loaded; a command is loaded when it is called."""

    entries: Mapping[str, CommandEntry] = {}

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of the table."""
        return list(self.entries)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command as a line of the help."""
        entry = self.entries.get(cmd_name)
        return None if entry is None else TyperCommand(cmd_name, help=entry.help, rich_markup_mode=None)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The loaded command that the first word names, and the words for it."""
        self.commands = {each: self.get_command(ctx, each) for each in self.entries}  # what a mistyped name is like
        name, found, rest = TyperGroup.resolve_command(self, ctx, args)
        if name is None or found is None:
            return name, found, rest
        loaded = load(name, self.entries[name])
        return name, loaded, _with_shop(loaded, ctx, rest) if isinstance(loaded, TyperCommand) else rest

    def main(self, args: Sequence[str] | None = None, *further: Any, **options: Any) -> Any:
        """Runs a command; a mistake in the words of the command line ends with exit code 2, as JSON with `--json`."""
        words = sys.argv[1:] if args is None else list(args)
        if "--json" in words and options.get("standalone_mode", True):
            return self._main_of_programs(words, *further, **options)
        return super().main(args, *further, **options)

    def _main_of_programs(self, words: list[str], *further: Any, **options: Any) -> NoReturn:
        try:
            code = super().main(words, *further, **{**options, "standalone_mode": False})
        except typer.TyperException as error:
            typer.echo(json.dumps({"error": error.format_message()}, ensure_ascii=False), err=True)
            sys.exit(error.exit_code)
        except typer.Abort:
            typer.echo(json.dumps({"error": "Aborted"}), err=True)
            sys.exit(1)
        sys.exit(code if isinstance(code, int) else 0)


def new_group(text: str) -> typer.Typer:
    """A group of commands with this help."""
    return Commands(cls=DefaultShopGroup, help=text, no_args_is_help=True, rich_markup_mode=None, add_completion=False)


def load(name: str, entry: CommandEntry) -> Any:
    """The command or group at the entry's place."""
    module, _, attribute = entry.place.partition(":")
    found = getattr(import_module(f"paymatch.cli.{module}"), attribute)
    if isinstance(found, typer.Typer):
        command: Any = get_group(found)
    else:
        single = Commands(rich_markup_mode=None, add_completion=False)
        single.command(name)(found)
        command = get_command(single)
    command.name = name
    return command


def _with_shop(command: TyperCommand, ctx: Any, args: list[str]) -> list[str]:
    """The words with an empty SHOP in front where none is given: the shop of PAYMATCH_SHOP, or the only one.

    The first word is the shop if it names one. Where the number of words decides, it is not looked up.
    """
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    first = arguments[0] if arguments else None
    asks_for_help = ctx.resilient_parsing or any(word in HELP_NAMES for word in args)
    if first is None or first.name != "shop" or asks_for_help:
        return args
    words = _positional(command, ctx, args)
    further = arguments[1:]
    least = sum(each.required for each in further)
    if not words or len(words) <= least:
        return ["", *args]
    if len(words) == 1 + len(further) and all(each.required and each.nargs == 1 for each in further):
        return args
    from paymatch.cli.context import names_a_shop

    return args if names_a_shop(words[0], as_json="--json" in args) else ["", *args]


def _positional(command: TyperCommand, ctx: Any, args: list[str]) -> list[str]:
    """The words that are no options; none where the command line cannot be read, which the command itself reports."""
    own = typer.Context(command, parent=ctx, resilient_parsing=True)
    try:
        found, further, _ = command.make_parser(own).parse_args(list(args))
    except typer.TyperException:
        return []
    names = [each.name for each in command.params if each.param_type_name == "argument"]
    words: list[str] = []
    for name in names:
        value = found.get(name)
        words += [value] if isinstance(value, str) else [each for each in value or () if isinstance(each, str)]
    return words + further
