"""Calls generated from the API's own description: no 500, and only answers that the description knows."""

from __future__ import annotations

from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from paymatch.api import Api
from paymatch.api.router import ROUTES, EndpointRoute
from tests.contract.client import ShopClient
from tests.length import times

CHOSEN: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
EXAMPLES: Final = times(5, 15)


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.template}")
def test_generated_calls_are_answered_as_described(
    api: Api, shop: ShopClient, route: EndpointRoute, mode: GenerationMode
) -> None:
    for number in ("0", "1"):  # numbers that generated paths and bodies often have
        shop.submit(number)
    shop.post("order/0/setpaid")
    schema = schemathesis.openapi.from_wsgi("/api/v2/openapi.json", app=api)
    operation = schema[f"/{route.template}"][route.method]

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def run(case: Any) -> None:
        answer = case.call(headers={"X-Service-API-Key": shop.key})
        case.validate_response(answer, checks=CHOSEN)

    run()
