"""Writes build/sbom.cdx.json: what a production install brings, as a CycloneDX 1.6 software bill of materials.

Made from requirements-runtime.lock alone, so that it needs no network, and the same lock always gives the same file.
"""

from __future__ import annotations

import json
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model import Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

from paymatch import __version__
from tools.lock_file import RUNTIME, Locked, packages

TARGET: Final = RUNTIME.parent / "build" / "sbom.cdx.json"


def document() -> str:
    """The bill of materials as JSON, without the moment at which it was made."""
    locked = packages()
    root = Component(type=ComponentType.APPLICATION, name="paymatch", version=__version__, bom_ref="paymatch")
    components = [_component(each) for each in locked]
    described = BomMetaData(component=root)
    bom = Bom(serial_number=uuid5(NAMESPACE_URL, repr(locked)), metadata=described, components=components)
    bom.register_dependency(root, components)
    written: dict[str, Any] = json.loads(make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string())
    del written["metadata"]["timestamp"]
    return json.dumps(written, indent=2, sort_keys=True) + "\n"


def _component(package: Locked) -> Component:
    url = PackageURL("pypi", name=package.name, version=package.version)
    condition = [Property(name="paymatch:condition", value=package.condition)] if package.condition else []
    files = [Property(name="paymatch:file:sha256", value=each) for each in package.sha256]
    return Component(
        type=ComponentType.LIBRARY, name=package.name, version=package.version, purl=url, bom_ref=str(url),
        properties=[*condition, *files],
    )  # fmt: skip


def main() -> None:
    """Writes the file."""
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(document(), "utf-8")
    print(f"sbom: {len(packages())} packages in build/{TARGET.name}")


if __name__ == "__main__":
    main()
