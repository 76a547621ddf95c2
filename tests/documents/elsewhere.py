"""What the documents show and this room does not run, by its first word, with the reason and the check instead."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import yaml

from paymatch.settings import Settings
from tests.documents.pages import ROOT, Piece

Look = Callable[[Sequence[str]], str | None]
"""What is wrong with the words of a command; None if nothing is."""

_OURS = re.compile(r"(?:deploy|docs|tests|tools)/[\w./*-]+|requirements[\w-]*\.lock|\./client")


def files_exist(words: Sequence[str]) -> str | None:
    """The files of this repository that it names are there."""
    named = [found[0] for word in words for found in _OURS.finditer(word)]
    missing = [name for name in named if not list(ROOT.glob(name.removeprefix("./")))]
    return f"not in the repository: {', '.join(missing)}" if missing else None


def goal_exists(words: Sequence[str]) -> str | None:
    """The goal is in the Makefile, and what ARGS hands on is known there."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    recipe = re.search(rf"^{re.escape(words[1])}:.*\n((?:\t.*\n)*)", makefile, re.MULTILINE)
    if recipe is None:
        return f"no goal {words[1]}"
    handed = " ".join(word.removeprefix("ARGS=") for word in words[2:])
    module = re.search(r"-m ([\w.]+)", recipe[1])
    return options_exist(["-m", module[1], *handed.split()]) if module and handed else None


def options_exist(words: Sequence[str]) -> str | None:
    """The module that python starts is there, and knows the options."""
    module = words[list(words).index("-m") + 1]
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return f"no module {module}"
    files = [Path(spec.origin)]
    if spec.submodule_search_locations:
        files = list(files[0].parent.glob("*.py"))
    source = "\n".join(path.read_text("utf-8") for path in files)
    unknown = [word for word in words if word.startswith("--") and f'"{word}"' not in source]
    return f"{module} has no {', '.join(unknown)}" if unknown else None


def venv_is_made(words: Sequence[str]) -> str | None:
    """It makes an environment."""
    return None if tuple(words[1:3]) == ("-m", "venv") else "not known"


NOT_RUN: Final[dict[str, tuple[str, Look]]] = {
    "make": ("is made of the commands that other tests run; a demo or all tests take minutes", goal_exists),
    ".venv/bin/python": ("benchmarks take minutes and a quiet machine", options_exist),
    "pip": ("needs a package index; tools/try_wheel.sh installs by it (`make wheel`)", files_exist),
    "/opt/paymatch/bin/pip": ("needs a package index and root; see `make wheel`", files_exist),
    "python3": ("makes an environment in /opt; see `make wheel`", venv_is_made),
    "apt-get": ("installs on the machine", files_exist),
    "useradd": ("changes the machine", files_exist),
    "install": ("writes below /etc and /var as root", files_exist),
    "cp": ("writes below /etc as root", files_exist),
    "systemctl": ("needs systemd; tests/deploy reads the units", files_exist),
    "sudo": ("needs root and other accounts; the command behind it is run without it", files_exist),
    "docker": ("needs base images; tests/deploy reads the Containerfile", files_exist),
    "podman": ("needs base images; tests/deploy reads the Containerfile", files_exist),
    "mmdebstrap": ("needs root and a Debian archive", files_exist),
    "kubectl": ("needs a cluster", files_exist),
    "helm": ("needs a cluster; tests/deploy/test_helm.py renders the chart", files_exist),
    "psql": ("needs a cluster of three nodes; `make ha` runs the file", files_exist),
}

NOT_RUN_OF_OURS: Final[dict[str, str]] = {
    "serve": "does not end by itself; tests/front starts it",
    "distribute": "needs nodes with Citus: `make citus`",
    "scenario": "plays all that are bundled: tests/scenarios/test_stories.py",
}
"""Commands of paymatch that are parsed only, with the reason; `scenario` with files is run."""

CODE: Final[dict[tuple[str, str], str]] = {
    ("callbacks.md", "python"): "tests/house/test_callback_document.py",
    ("callbacks.md", "php"): "tests/house/test_callback_document.py",
    ("callbacks.md", "javascript"): "tests/house/test_callback_document.py",
    ("client/README.md", "python"): "tests/client/test_readme.py",
}
"""Programs on a page, by their language, and the test that runs them."""


def why_not_run(words: Sequence[str]) -> str | None:
    """Why a command of paymatch is not run; None if it is."""
    name = words[1] if len(words) > 1 else ""
    return None if name == "scenario" and len(words) > 2 else NOT_RUN_OF_OURS.get(name)


def command_problem(words: Sequence[str]) -> str | None:
    """What is wrong with a command that is not run here."""
    if words[0].endswith("paymatch"):
        return None  # tests/cli/test_documented_commands.py parses it
    if words[0] not in NOT_RUN:
        return "is neither run nor listed in tests/documents/elsewhere.py"
    return NOT_RUN[words[0]][1](words)


def code_problem(piece: Piece) -> str | None:
    """What is wrong with a text in another language: no one tests it, or it differs from our files."""
    if piece.language == "text":
        return None  # a drawing
    if piece.language == "yaml":
        return None if isinstance(yaml.safe_load(piece.text), dict) else "is no YAML"
    if piece.language == "sql":
        source = (ROOT / "tests/nodes.py").read_text("utf-8")
        unknown = [name for name in re.findall(r"citus_\w+", piece.text) if name not in source]
        return f"is done otherwise in tests/nodes.py: {unknown}" if unknown else None
    if piece.language == "ini":
        settings = (ROOT / "deploy/ha/patroni.yml").read_text("utf-8").replace('"', "").replace("'", "")
        lines = [line.replace(" = ", ": ").replace("'", "") for line in piece.text.splitlines()]
        return next((f"is not in deploy/ha/patroni.yml: {line}" for line in lines if line not in settings), None)
    test = CODE.get((piece.page, piece.language))
    if test is None:
        return "no test is named in tests/documents/elsewhere.py"
    return None if Path(piece.page).name in (ROOT / test).read_text("utf-8") else f"{test} does not read the page"


def settings_problem(piece: Piece) -> str | None:
    """What is wrong with environment variables: ours are settings, others are read by files in deploy/."""
    names = [word.partition("=")[0] for word in shlex.split(piece.text, comments=True)]
    ours = {f"PAYMATCH_{name.upper()}" for name in Settings.model_fields}
    deployed = "\n".join(path.read_text("utf-8") for path in (ROOT / "deploy").rglob("*") if path.is_file())
    unknown = [name for name in names if name not in ours and (name.startswith("PAYMATCH_") or name not in deployed)]
    return f"nobody reads {', '.join(unknown)}" if unknown else None


def listing_problem(piece: Piece) -> str | None:
    """What is wrong with a list of files: a room below src/paymatch, by its depth, or a path of the repository."""
    above: list[tuple[int, str]] = []
    for line in piece.text.splitlines():
        depth, name = len(line) - len(line.lstrip()), line.split()[0]
        above = [each for each in above if each[0] < depth] + [(depth, name)]
        path = "/".join(each.rstrip("/") for _, each in above)
        if not (ROOT / path).exists() and not (ROOT / "src/paymatch" / path).exists():
            return f"there is no {path}"
    return None
