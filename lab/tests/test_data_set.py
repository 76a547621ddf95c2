"""The data set needs no paymatch: plain files, a scorer in a bare Python, and seeds that nothing was chosen on."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import tomllib
from hashlib import sha256
from pathlib import Path

import pytest
from lab.matching import dataset
from lab.matching.command import main
from lab.matching.seeds import HELD_OUT, READ, TRAINING, HeldOut, for_choosing

from paymatch.domain.matching.calibrate import SUGGESTIONS
from paymatch.domain.matching.catalogue import CATALOGUE

ROOT = Path(__file__).parents[2]
HISTORY = tomllib.loads((ROOT / "lab/matching/weights.toml").read_text("utf-8"))["weights"]
_SEEDS = re.compile(r"\bseeds?\s+(\d[\d,]*(?:\s*(?:-|,|\bto\b|\band\b)\s*\d[\d,]*)*)", re.IGNORECASE)
_SPAN = re.compile(r"(\d+)(?:\s*(?:-|to)\s*(\d+))?")


def touches(first: int, last: int) -> bool:
    """Whether a span of seeds, both ends included, has one that is held out."""
    return first < HELD_OUT.stop and last >= HELD_OUT.start


def seeds_in(text: str) -> list[tuple[int, int]]:
    """The spans of seeds that a text names."""
    named = [re.sub(r"(?<=\d),(?=\d{3}\b)", "", found) for found in _SEEDS.findall(text)]
    return [(int(first), int(last or first)) for each in named for first, last in _SPAN.findall(each)]


def digest() -> str:
    """The weights in the code, in short."""
    rows = sorted(f"{each.code} {each.said} {each.weight}" for each in CATALOGUE)
    return sha256("\n".join([*rows, repr(SUGGESTIONS)]).encode()).hexdigest()[:16]


def test_the_history_of_weights_has_the_weights_of_the_code() -> None:
    """Who changes a weight adds an entry: which seeds it was chosen on, and why."""
    assert HISTORY[-1]["digest"] == digest()


def test_no_weight_was_chosen_on_a_held_out_seed() -> None:
    spans = [(first, last) for entry in HISTORY for first, last in entry["chosen_on"] + entry["read"]]
    assert [span for span in spans if touches(*span)] == []
    assert not {*TRAINING, *READ} & {*HELD_OUT}


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("seed 70000", [(70000, 70000)]), ("seeds 1,310 to 1,321 and 7", [(1310, 1321), (7, 7)]),
        ("Seeds 69000-72000", [(69000, 72000)]),
        ("chosen on seeds 0 to 9 and 69990 to 71010", [(0, 9), (69990, 71010)]),
        ("70500 orders", []),
    ],
)  # fmt: skip
def test_spans_of_seeds_are_read_whole(text: str, spans: list[tuple[int, int]]) -> None:
    assert seeds_in(text) == spans
    held = {"seed 70000", "Seeds 69000-72000", "chosen on seeds 0 to 9 and 69990 to 71010"}
    assert any(touches(*span) for span in spans) is (text in held)


def test_no_commit_of_the_engine_speaks_of_a_held_out_seed() -> None:
    log = subprocess.run(
        ["git", "log", "--format=%B", "--", "src/paymatch/domain/matching"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if log.returncode:
        pytest.skip("no history here")
    assert [span for span in seeds_in(log.stdout) if touches(*span)] == []


def test_single_mistakes_of_held_out_worlds_are_not_shown() -> None:
    with pytest.raises(HeldOut):
        main(["run", "--seeds", f"{HELD_OUT[0]}", "--kinds", "new-shop", "--show-wrong", "1"])
    assert for_choosing([1, READ[0]]) == [1, READ[0]]


def test_a_stranger_scores_decisions_with_nothing_but_python(tmp_path: Path) -> None:
    assert dataset.write(tmp_path / "set", 1, ["new-shop"]) == 2
    (world,) = (tmp_path / "set" / "held-out").iterdir()
    assert {each.name for each in (tmp_path / "set").iterdir()} == {
        "LICENSE.txt", "README.md", "held-out", "score.py", "training",
    }  # fmt: skip
    truth = json.loads((world / "truth.json").read_text("utf-8"))
    made = {posting: {"status": "matched", **true} for posting, true in truth.items() if true["auto"] == "certain"}
    (tmp_path / "decisions").mkdir()
    (tmp_path / "decisions" / f"{world.name}.json").write_text(json.dumps(made), "utf-8")
    said = subprocess.run(
        [sys.executable, "-I", "-S", "score.py", "held-out", str(tmp_path / "decisions"), "--json"],
        cwd=tmp_path / "set", capture_output=True, text=True, check=True,
    )  # fmt: skip
    figures = json.loads(said.stdout)["all"]
    assert (figures["precision_count"], figures["recall_certain"], figures["wrong"]) == (100.0, 100.0, 0)


def test_the_tables_hold_what_the_json_holds(tmp_path: Path) -> None:
    dataset.write(tmp_path, 1, ["new-shop"])
    (world,) = (tmp_path / "training").iterdir()
    for name, key in (("orders", "number"), ("postings", "id")):
        with (world / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows = [row[key] for row in csv.DictReader(file)]
        assert rows == [each[key] for each in json.loads((world / f"{name}.json").read_text("utf-8"))]
    with (world / "truth.csv").open(encoding="utf-8", newline="") as file:
        told = [(row["id"], row["orderNumber"]) for row in csv.DictReader(file) if row["orderNumber"]]
    truth = json.loads((world / "truth.json").read_text("utf-8"))
    assert told == [(posting, a["orderNumber"]) for posting, true in truth.items() for a in true["allocations"]]
