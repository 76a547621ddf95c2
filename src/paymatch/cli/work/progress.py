"""Progress of work on the whole installation."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def byte_progress(*, quiet: bool) -> Iterator[Callable[[str, int], None]]:
    """Shows what is being done and how much of it, on a terminal."""
    from rich.console import Console
    from rich.progress import DownloadColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), DownloadColumn(), TimeElapsedColumn())
    console = Console(stderr=True, quiet=quiet or not sys.stderr.isatty())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=None)

        def tell(what: str, size: int) -> None:
            progress.update(task, description=what, completed=size)

        yield tell
