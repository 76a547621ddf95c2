"""Django's own commands for the merchant area: `python -m tools.area makemigrations people`."""

from __future__ import annotations

import sys

from django.core.management import execute_from_command_line

from paymatch.area.configuration import set_up_django
from paymatch.settings import load_settings

if __name__ == "__main__":
    set_up_django(load_settings(), "postgresql://127.0.0.1:1/none", as_owner=True)
    execute_from_command_line(["area", *sys.argv[1:]])
