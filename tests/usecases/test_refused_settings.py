"""What is wrong with a setting is a message, so that a German page says it in German."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@given(
    name=st.sampled_from(sorted(SETTINGS)),
    text=st.text(max_size=40) | st.from_regex(r"[A-Z0-9:,.-]{0,30}", fullmatch=True),
)
def test_any_text_is_a_value_or_is_refused(name: str, text: str) -> None:
    """A reader that raises anything else would end a page or a command in an internal error."""
    try:
        column, _ = read_setting(name, text, "EUR")
    except SettingRefused as refused:
        assert isinstance(refused.message, Message)
    else:
        assert column


@pytest.mark.parametrize("language", ["pt", "de-AT", "DE", ""])
def test_a_shops_language_is_one_that_is_written(language: str) -> None:
    with pytest.raises(SettingRefused, match="one of de, en, fr, it, nl, pl, es is expected"):
        read_setting("language", language, "EUR")
    assert read_setting("language", "pl", "EUR") == ("language", "pl")
