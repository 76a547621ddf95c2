"""Settings: defaults that are safe, refusals that name the variable and not its value."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_network
from pathlib import Path

import pytest
from tools.documents.settings import explanations

from paymatch.settings import Settings, SettingsRefused, is_loopback, load_settings, unknown_variables


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("PAYMATCH_") and not name.startswith("PAYMATCH_TEST"):
            monkeypatch.delenv(name)


def test_defaults() -> None:
    settings = load_settings()
    assert settings.database_url is None
    assert settings.data_dir.name == "paymatch"
    assert settings.require_https is True
    assert settings.callback_allow_private is False
    assert settings.api_key_headers == settings.callback_code_headers == ()
    assert settings.invoice_max_bytes == 10_000_000
    assert settings.upload_max_bytes == 32 * 1024 * 1024
    assert settings.trusted_proxies == (ip_network("127.0.0.0/8"), ip_network("::1/128"))
    assert (settings.log_format, settings.log_level) == ("console", "info")


def test_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", "postgresql://u:geheim@db/x")
    monkeypatch.setenv("PAYMATCH_REQUIRE_HTTPS", "0")
    monkeypatch.setenv("PAYMATCH_CALLBACK_ALLOW_PRIVATE", "1")
    monkeypatch.setenv("PAYMATCH_API_KEY_HEADERS", "X-Api-Key, X-Other-Key,")
    monkeypatch.setenv("PAYMATCH_CALLBACK_CODE_HEADERS", "X-Access-Code,Other")
    monkeypatch.setenv("PAYMATCH_TRUSTED_PROXIES", "10.0.0.0/8, 192.0.2.7")
    monkeypatch.setenv("PAYMATCH_BASE_URL", "https://pay.example.com/")
    settings = load_settings()
    assert settings.database_url is not None
    assert settings.database_url.get_secret_value() == "postgresql://u:geheim@db/x"
    assert settings.require_https is False
    assert settings.callback_allow_private is True
    assert settings.api_key_headers == ("X-Api-Key", "X-Other-Key")
    assert settings.callback_names() == {"X-Service-Access-Code": ("X-Access-Code", "Other")}
    assert settings.trusted_proxies == (ip_network("10.0.0.0/8"), ip_network("192.0.2.7/32"))
    assert settings.base_url == "https://pay.example.com"
    assert "geheim" not in repr(settings)


@pytest.mark.parametrize("name", ["DATABASE_URL", "DATA_DIR", "TRUSTED_PROXIES", "LOG_LEVEL", "SECRET_KEY"])
def test_an_empty_variable_is_an_unset_one(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    unset = load_settings()
    monkeypatch.setenv(f"PAYMATCH_{name}", "")
    assert load_settings() == unset


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("DATABASE_URL", "mysql://u:geheim@db/x", "must be a URL that begins with postgresql://"),
        ("SECRET_KEY", "geheim", "must have at least 32 characters"),
        ("BASE_URL", "geheim.example.com", "must begin with https:// or http://"),
        ("TRUSTED_PROXIES", "geheim", "Input is not a valid IPv4 network"),
        ("REQUIRE_HTTPS", "geheim", "Input should be a valid boolean, unable to interpret input"),
        ("LOG_LEVEL", "geheim", "Input should be 'debug', 'info', 'warning' or 'error'"),
        ("CALLBACK_CODE_HEADERS", "X-Ok,not a name", "must be names of headers, such as X-Access-Code"),
        ("INVOICE_MAX_BYTES", "0", "Input should be greater than 0"),
    ],
)
def test_refusals(monkeypatch: pytest.MonkeyPatch, name: str, value: str, text: str) -> None:
    monkeypatch.setenv(f"PAYMATCH_{name}", value)
    with pytest.raises(SettingsRefused) as refused:
        load_settings()
    assert str(refused.value) == f"PAYMATCH_{name}: {text}"


def test_the_secret_key_is_made_once_by_many_at_once(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: settings.secret(), range(32)))
    assert len(keys) == 1
    assert len(keys.pop()) == 64
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["secret_key"]
    assert (tmp_path / "data" / "secret_key").stat().st_mode & 0o777 == 0o600


def test_the_operators_secret_key_wins_and_touches_no_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAYMATCH_SECRET_KEY", "k" * 40)
    monkeypatch.setenv("PAYMATCH_DATA_DIR", str(tmp_path / "data"))
    assert load_settings().secret() == "k" * 40
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("[::1]", True),
        ("::ffff:127.0.0.1", True),
        ("10.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("localhost", False),
        ("", False),
    ],
)
def test_loopback(address: str, expected: bool) -> None:
    assert is_loopback(address) is expected
    assert Settings().trusts(address) is expected


def test_variables_that_are_no_setting_are_named_with_the_nearest_one() -> None:
    environment = ("PAYMATCH_DATABSE_URL", "PAYMATCH_XYZZY", "PAYMATCH_DATA_DIR", "PAYMATCH_TEST_CITUS", "PATH")
    assert unknown_variables(environment) == (
        "PAYMATCH_DATABSE_URL is not a setting; did you mean PAYMATCH_DATABASE_URL?",
        "PAYMATCH_XYZZY is not a setting",
    )


def test_every_setting_is_explained_on_the_page_of_variables() -> None:
    said = explanations()
    assert list(said) == list(Settings.model_fields)
    assert [name for name, words in said.items() if not words] == []
    page = (Path(__file__).resolve().parents[2] / "docs" / "settings.md").read_text("utf-8")
    assert [name for name in said if page.count(f"| `PAYMATCH_{name.upper()}` |") != 1] == []
