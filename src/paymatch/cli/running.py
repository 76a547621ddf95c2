"""Commands that run the service: serve, worker, migrate."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from paymatch.cli.arguments import AsJson
from paymatch.cli.context import command, loaded_settings, settings, show
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message


@command
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Server processes.")] = 1,
    no_jobs: Annotated[
        bool, typer.Option("--no-jobs", help="Without the worker (callbacks and other due work).")
    ] = False,
    tls_cert: Annotated[Path | None, typer.Option(help="Certificate chain (PEM): serve HTTPS.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Private key (PEM) of the certificate.")] = None,
    parent: Annotated[int, typer.Option(hidden=True)] = 0,
) -> None:
    """Serve the API, the pages and the worker; migrates first; SIGTERM drains."""
    from paymatch import app

    if (tls_cert is None) != (tls_key is None):
        raise SettingRefused(Message("setting-tls-cert-tls-key"))
    for path in (tls_cert, tls_key):
        if path is not None and not path.is_file():
            raise SettingRefused(Message("setting-not-file", path=str(path)))
    if parent:
        app.die_with_parent(parent)
    app.serve(
        loaded_settings(), host=host, port=port, workers=workers, jobs=not no_jobs, tls_cert=tls_cert, tls_key=tls_key,
        says_way_in=not parent,
    )  # fmt: skip


@command
def worker(
    once: Annotated[bool, typer.Option("--once", help="Do what is due now, then end.")] = False,
    alive_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Touched all the time: a worker whose file is minutes old hangs."),
    ] = None,
    parent: Annotated[int, typer.Option(hidden=True)] = 0,
) -> None:
    """Do what is due: callbacks, matching, alerts. Any number of workers may run."""
    from paymatch import app

    app.run_worker(loaded_settings(), once=once, parent=parent, alive_file=alive_file)


@command
def migrate(as_json: AsJson = False) -> None:
    """Create the database or bring it up to date; safe to run from several processes at once."""
    from paymatch.installation import database_url, migrate_and_open

    found = settings()
    with database_url(found, create=True) as url:
        _, applied = migrate_and_open(found, url)
    show({"applied": applied}, as_json=as_json)


@command
def distribute(
    shards: Annotated[int, typer.Option(min=1, max=1024, help="Parts that the shops are cut into.")] = 64,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done and what is in the way; change nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Place the tables of all shops on the nodes of a Citus cluster, by shop; with the service stopped."""
    from paymatch.installation import owner_url
    from paymatch.store.distribution.placing import distribute as place_on_nodes
    from paymatch.store.distribution.placing import survey

    with owner_url(settings()) as url:
        found = survey(url) if dry_run else place_on_nodes(url, shards)
    show([asdict(each) for each in found], as_json=as_json, columns=("name", "place", "rows", "why"))
