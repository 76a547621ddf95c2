"""Probabilistic record linkage with Splink on DuckDB: weights by expectation maximisation, without labels."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import pandas
import splink.comparison_library as cl
from splink import DuckDBAPI, Linker, SettingsCreator, block_on

from lab.matching.clerk import words
from lab.matching.peers.desk import from_bits
from lab.matching.peers.pairs import Pair

TRAINED = False
logging.getLogger("splink").setLevel(logging.ERROR)


def scorer(_worlds: object) -> Any:
    """The linkage; its weights are estimated on each world alone, only the threshold on the training range."""
    return score


def _surname(name: str) -> str:
    return max(words(name), key=len, default="")


def score(pairs: Sequence[Pair]) -> list[float]:
    """The match probability that Splink gives each pair; 0 for pairs that its blocking does not bring together."""
    posted, ordered = _tables(pairs)
    settings = SettingsCreator(
        link_type="link_only",
        unique_id_column_name="unique_id",
        comparisons=[
            cl.ExactMatch("number"),
            cl.ExactMatch("amount"),
            cl.JaroWinklerAtThresholds("name", [0.92, 0.8]),
            cl.ExactMatch("customer"),
        ],
        blocking_rules_to_generate_predictions=[block_on("number"), block_on("amount"), block_on("surname")],
        probability_two_random_records_match=1 / max(len(ordered), 2),
    )
    api = DuckDBAPI()
    tables = [api.register(each, table_name=name) for name, each in (("posted", posted), ("ordered", ordered))]
    linker = Linker(tables, settings)
    linker.training.estimate_u_using_random_sampling(max_pairs=200_000)
    for rule in ("amount", "surname"):
        try:
            linker.training.estimate_parameters_using_expectation_maximisation(block_on(rule))
        except Exception as error:  # a small world may lack pairs of a kind
            logging.getLogger("lab").warning("training by %s: %s", rule, error)
    found = linker.inference.predict().as_pandas_dataframe()
    known: dict[tuple[str, str], float] = {}
    for row in found.itertuples():
        ids = (row.unique_id_l, row.unique_id_r)
        posting, order = ids if ids[0].startswith("p:") else ids[::-1]
        known[posting[2:], order[2:]] = from_bits(row.match_weight)
    return [known.get((pair.posting, pair.order.number), 0.0) for pair in pairs]


def _tables(pairs: Sequence[Pair]) -> tuple[Any, Any]:
    posted: dict[str, dict[str, Any]] = {}
    ordered: dict[str, dict[str, Any]] = {}
    for pair in pairs:
        row = posted.setdefault(
            pair.posting,
            {
                "unique_id": f"p:{pair.posting}", "number": None, "amount": None, "name": pair.payer.upper(),
                "surname": _surname(pair.payer), "customer": None,
            },
        )  # fmt: skip
        if pair.key and (row["number"] is None or abs(pair.amount_ratio - 1) < 1e-9):
            row["number"] = pair.order.number
        if pair.customer_named:
            row["customer"] = pair.order.customer
        row["amount"] = str(round(pair.amount_ratio * pair.order.amount))
        ordered[pair.order.number] = {
            "unique_id": f"o:{pair.order.number}", "number": pair.order.number, "amount": str(pair.order.amount),
            "name": pair.name.upper(), "surname": _surname(pair.name), "customer": pair.order.customer or None,
        }  # fmt: skip
    return pandas.DataFrame(posted.values()), pandas.DataFrame(ordered.values())
