"""The pages, a module per subject. Each asks the use cases, and shows."""

from typing import Final

from paymatch.area.views import overview

ALL: Final = (overview,)
"""Modules that declare pages of shops."""
