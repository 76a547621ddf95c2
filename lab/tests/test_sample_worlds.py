"""Both sample worlds beside the repository are replayed day by day and judged by their own score, with floors."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from lab.matching.sample_world import replay, score

ROOT = Path(__file__).resolve().parents[2]
PLACES = (
    os.environ.get("PAYMATCH_MATCHING_SAMPLE", ""),
    ROOT / "../shared/matching-sample",
    ROOT / "../../shared/matching-sample",
)
SAMPLE = next((Path(place) for place in PLACES if place and Path(place).is_dir()), None)


@pytest.mark.corpus
@pytest.mark.skipif(SAMPLE is None, reason="the sample worlds are not beside the repository")
@pytest.mark.parametrize(("world", "recall"), [("small-shop", 99.0), ("invoice-b2b", 99.0)])
def test_sample_world_is_matched_without_a_mistake(world: str, recall: float) -> None:
    assert SAMPLE is not None
    result = score(SAMPLE / world, replay(SAMPLE / world))
    assert result["false_auto"] == 0
    assert result["unrelated_wrongly_matched"] == 0
    assert result["auto_precision_money"] == 100.0
    assert result["recall_certain"] >= recall
    assert result["suggest_top1"] >= 90.0
    assert result["exact_amounts"] >= 99.0
