"""kill -9 of workers loses no callback; the full run is `python -m lab.callback_kills`."""

from __future__ import annotations

from tests.jobs.killing import Outcome, killed_workers


def test_every_callback_arrives_although_workers_are_killed(migrated_url: str) -> None:
    found = killed_workers(migrated_url, orders=150, changes=3, kills=8, seed=7)
    assert found == Outcome(
        callbacks=450, kills=8, undelivered=0, missing=0, foreign=0, repeated=found.repeated, out_of_sequence=0
    )
    # A killed worker had at most so many calls under way, and each is repeated once.
    assert found.repeated <= 8 * 36
