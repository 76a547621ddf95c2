"""Links of the command line lead to the running service, whatever its port."""

from __future__ import annotations

from pathlib import Path

import pytest

from paymatch.app import open_doors
from paymatch.service_address import address, published_address
from paymatch.settings import Settings


@pytest.mark.parametrize(
    ("host", "port", "tls", "reached"),
    [
        ("127.0.0.1", 8071, False, "http://127.0.0.1:8071"),
        ("0.0.0.0", 443, True, "https://127.0.0.1:443"),  # noqa: S104
        ("::", 8000, False, "http://127.0.0.1:8000"),
        ("::1", 8001, False, "http://[::1]:8001"),
        ("pay.example.org", 8443, True, "https://pay.example.org:8443"),
    ],
)
def test_the_running_service_says_where_it_listens(
    tmp_path: Path, host: str, port: int, tls: bool, reached: str
) -> None:
    settings = Settings(data_dir=tmp_path)
    assert address(settings) == "http://127.0.0.1:8000"
    with published_address(settings, host, port, tls=tls):
        assert address(settings) == reached
        assert address(Settings(data_dir=tmp_path, base_url="https://pay.example.com")) == "https://pay.example.com"
    assert address(settings) == "http://127.0.0.1:8000"


def test_work_for_sandbox_shops_links_to_the_running_service(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    with published_address(settings, "127.0.0.1", 8611, tls=False), open_doors(settings) as doors:
        assert (doors.base, doors.here) == ("", "http://127.0.0.1:8611")


def test_who_stops_first_leaves_the_others_address(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    first, second = (published_address(settings, "127.0.0.1", port, tls=False) for port in (8001, 8002))
    first.__enter__()
    with second:
        first.__exit__(None, None, None)
        assert address(settings) == "http://127.0.0.1:8002"
