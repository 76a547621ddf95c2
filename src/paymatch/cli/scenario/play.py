"""Plays a scenario, moment by moment, and reports where the result differs from what it expects."""

from __future__ import annotations

from dataclasses import dataclass

from paymatch.cli.scenario.expecting import ExpectationDifference, differences
from paymatch.cli.scenario.reading import Scenario, ScenarioStep
from paymatch.cli.scenario.steps import STEPS
from paymatch.cli.scenario.world import World, new_world
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.sandbox import SandboxRefused
from paymatch.domain.words.message import Message
from paymatch.store.database import Database
from paymatch.usecases.work.check import check_shop


@dataclass(frozen=True, slots=True)
class Failure:
    """The first place at which a scenario came out otherwise, and all differences there."""

    moment: str
    step: str
    differences: tuple[ExpectationDifference, ...]

    def __str__(self) -> str:
        lines = [f"{self.moment}, {self.step}:"]
        for each in self.differences:
            lines += [f"  {each.subject}", f"    - expected  {each.expected}", f"    + is        {each.actual}"]
        return "\n".join(lines)


def play(database: Database, scenario: Scenario, *, keep: bool = False) -> Failure | None:
    """None if everything came out as expected and the books are right, otherwise where it did not.

    SandboxRefused if a step is none.
    """
    with new_world(database, scenario.start, dict(scenario.shop), keep=keep) as world:
        for moment in scenario.moments:
            world.move_to(moment.at)
            for place, step in enumerate(moment.steps, start=1):
                found = _take(world, step)
                if found:
                    return Failure(moment.name, f"step {place} ({step.verb})", tuple(found))
        world.settle()
        violations = check_shop(database, world.shop)
        found = [ExpectationDifference(each.rule, "kept", f"{each.subject}: {each.text}") for each in violations]
        return Failure("at the end", "the books", tuple(found)) if found else None


def _take(world: World, step: ScenarioStep) -> list[ExpectationDifference]:
    if step.verb == "expect":
        return differences(world, step.value)
    verb = STEPS.get(step.verb)
    if verb is None:
        raise SandboxRefused(Message("sandbox-not-step-steps-expect", verb=repr(step.verb), steps=", ".join(STEPS)))
    try:
        reply = verb(world, step.value)
    except Refused as error:
        text, status = str(error), 400
    except (KeyError, ValueError) as error:
        raise SandboxRefused(Message("sandbox-missing-not-expected-form", verb=step.verb, error=repr(error))) from None
    else:
        status = reply.status
        text = reply.json.get("error", "") if isinstance(reply.json, dict) else ""
        if "answer" in step.options and str(reply.json) != step.options["answer"]:
            return [ExpectationDifference("answer", step.options["answer"], str(reply.json))]
    world.settle()
    expected = step.options.get("refused", "")
    if status == 200 and not expected:
        return []
    if status == 200:
        return [ExpectationDifference(step.verb, f"refused: {expected}", "accepted")]
    return (
        []
        if expected and expected in text
        else [ExpectationDifference(step.verb, expected or "accepted", f"{status} {text}")]
    )
