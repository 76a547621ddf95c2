"""The area's tables: Django's migrations, applied by the owner of the database in a process of their own (D-43)."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from importlib import metadata, resources
from typing import Final

from paymatch.store.area_schema import brought_into, is_in

_URL: Final = "PAYMATCH_AREA_OWNER_URL"


@cache
def state() -> str:
    """Names the state of the tables that this version needs; it changes with every migration of ours or a library's."""
    folder = resources.files("paymatch.area.people").joinpath("migrations")
    own = max(item.name for item in folder.iterdir() if item.name[:4].isdigit()).removesuffix(".py")
    return f"area {own} django {metadata.version('django')} allauth {metadata.version('django-allauth')}"


def migrate(url: str) -> None:
    """Brings the area's tables up to date as their owner; RuntimeError with Django's words if that fails."""
    if is_in(url, state()):
        return
    command = [sys.executable, "-m", "paymatch.area.schema"]
    environment = os.environ | {_URL: url}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603  our own
    if done.returncode:
        raise RuntimeError(f"the merchant area's tables could not be created: {done.stderr.strip()[-2000:]}")


def _apply(url: str) -> None:
    from django.core.management import call_command  # noqa: PLC0415  Django is loaded when it is needed

    from paymatch.area.configuration import set_up_django  # noqa: PLC0415
    from paymatch.settings import load_settings  # noqa: PLC0415

    with brought_into(url, state()):
        set_up_django(load_settings(), url, as_owner=True)
        call_command("migrate", interactive=False, verbosity=0)


if __name__ == "__main__":
    _apply(os.environ.pop(_URL))
