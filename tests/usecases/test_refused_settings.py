"""What is wrong with a setting is a message, so that a German page says it in German."""

from __future__ import annotations

import pytest

from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.message import Message
from paymatch.usecases.shops.settings import SETTINGS, read_setting

WRONG = "\x00 no such value \x00" * 100


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_every_setting_refuses_by_a_message(name: str) -> None:
    with pytest.raises(SettingRefused) as refused:
        read_setting(name, WRONG, "EUR")
    message = refused.value.message
    assert isinstance(message, Message)
    assert isinstance(message.values.get("why", message), Message)
    assert refused.value.parameter in ("", name)


@pytest.mark.parametrize("language", ["pt", "de-AT", "DE", ""])
def test_a_shops_language_is_one_that_is_written(language: str) -> None:
    with pytest.raises(SettingRefused, match="one of de, en, fr, it, nl, pl, es is expected"):
        read_setting("language", language, "EUR")
    assert read_setting("language", "pl", "EUR") == ("language", "pl")
