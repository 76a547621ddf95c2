"""Asks OSV for known vulnerabilities of what a production install brings (`make audit`).

Exit code 1 if there is one. Where no service answers within seconds it says so in one line and goes on: checks must
run without a network too. OSV is asked and not the package index, whose mirrors know of no advisories and would say
that there are none.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, Final

from tools.lock_file import RUNTIME

REQUEST_SECONDS: Final = 5
ALL_SECONDS: Final = 90
COMMAND: Final = (
    sys.executable, "-m", "pip_audit", "--requirement", str(RUNTIME), "--require-hashes", "--disable-pip",
    "--vulnerability-service", "osv", "--timeout", str(REQUEST_SECONDS), "--progress-spinner", "off",
    "--format", "json",
)  # fmt: skip


def main(command: Sequence[str] = COMMAND) -> int:
    """Prints what is known; the exit code."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ALL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        print(f"audit: not done, no answer within {ALL_SECONDS} s")
        return 0
    try:
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        print(f"audit: not done, the advisory service does not answer: {_last_line(done.stderr)}")
        return 0
    found = [(each, known) for each in packages for known in each.get("vulns", ())]
    for each, known in found:
        fixed = ", ".join(known["fix_versions"]) or "no version"
        print(f"audit: {each['name']} {each['version']}: {known['id']}, fixed in {fixed}")
    if not found:
        print(f"audit: no known vulnerabilities in {len(packages)} packages")
    return 1 if found else 0


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:160] if lines else "no reason given"


if __name__ == "__main__":
    sys.exit(main())
