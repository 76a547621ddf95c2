"""What hatchling does before it packs the wheel: catalogues are compiled, the documentation goes along."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CataloguesHook(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles the catalogues that are missing or out of date, and packs the documentation as Markdown."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Runs before the files are collected."""
        sys.path.insert(0, self.root)
        build = import_module("tools.catalogues").build  # only now is the folder of the source known
        build(Path(self.root) / "src" / "paymatch")
        docs = Path(self.root) / "docs"
        packed = self.target_name == "wheel" and version != "editable"
        for path in docs.rglob("*.md") if packed else ():
            build_data["force_include"][str(path)] = f"paymatch/pages/guides/{path.relative_to(docs).as_posix()}"
