"""What there is to do: every kind of alert leads to a page that helps."""

from __future__ import annotations

import pytest

from paymatch.domain.shops.alerts import CALLBACK_KINDS, FOR_INFORMATION, AlertKind


@pytest.mark.usefixtures("service")  # Django is set up
def test_every_alert_is_a_task_in_words() -> None:
    from paymatch.area.page import PAGES
    from paymatch.area.views import ALL
    from paymatch.area.views.to_do import _ALARMS, alert_words

    assert ALL
    assert set(_ALARMS) == set(AlertKind) - {*CALLBACK_KINDS, *FOR_INFORMATION}
    assert {name for name, _title, _advice in _ALARMS.values()} <= {page.name for page in PAGES}
    assert alert_words(AlertKind.SILENT_FEED) == "No new statements"
    assert {alert_words(kind) for kind in CALLBACK_KINDS} == {"Callbacks fail"}
