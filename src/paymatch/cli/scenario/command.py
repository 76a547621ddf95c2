"""The command `paymatch scenario`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from paymatch.cli.arguments import AsJson
from paymatch.cli.context import command, database_of_command, show, tell_error
from paymatch.domain.shops.sandbox import SandboxRefused
from paymatch.domain.words.message import Message

SHIPPED = Path(__file__).parents[2] / "scenarios"
"""The bundled scenarios."""


@command
def scenario(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="YAML files or folders; by default those that are bundled."),
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the shop, to look at it afterwards.")] = False,
    as_json: AsJson = False,
) -> None:
    """Play scenarios, each in its own sandbox shop; exit code 1 if one fails."""
    from paymatch.cli.scenario.play import play
    from paymatch.cli.scenario.reading import read_scenario

    paths = [path for given in files or [SHIPPED] for path in _files(given)]
    results: list[dict[str, Any]] = []
    with database_of_command() as database:
        for path in paths:
            read = read_scenario(path)
            try:
                failure = play(database, read, keep=keep)
            except SandboxRefused as error:
                raise SandboxRefused(Message("file-named", name=str(path), what=str(error))) from None
            results.append(
                {"file": str(path), "title": read.title, "ok": failure is None, "failure": str(failure or "")}
            )
            if not as_json:
                typer.echo(f"{'ok    ' if failure is None else 'FAILED'} {path.name}: {read.title}")
                if failure is not None:
                    typer.echo("\n".join("       " + line for line in str(failure).splitlines()))
    failed = sum(not result["ok"] for result in results)
    if as_json:
        show(results, as_json=True)
    if failed:
        tell_error(f"{failed} of {len(results)} scenarios did not come out as expected", as_json=as_json)
        raise typer.Exit(1)


def _files(given: Path) -> list[Path]:
    """The file, or the YAML files of a folder by name."""
    if not given.is_dir():
        return [given]
    found = sorted([*given.glob("*.yaml"), *given.glob("*.yml")])
    if not found:
        raise SandboxRefused(Message("sandbox-holds-no-scenario", given=str(given)))
    return found
