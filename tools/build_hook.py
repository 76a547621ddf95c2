"""What hatchling does before it packs the wheel: catalogues of translations are compiled."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CataloguesHook(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles the catalogues that are missing or out of date."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Runs before the files are collected."""
        sys.path.insert(0, self.root)
        build = import_module("tools.catalogues").build  # only now is the folder of the source known
        build(Path(self.root) / "src" / "paymatch")
