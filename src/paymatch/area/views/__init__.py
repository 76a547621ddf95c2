"""The pages, a module per subject. Each asks the use cases, and shows."""

from typing import Final

from paymatch.area.views import callbacks, overview

ALL: Final = (overview, callbacks)
"""Modules that declare pages of shops."""
