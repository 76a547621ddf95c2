"""Where the service of this installation is reached: what the operator says, else where it listens on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Final

from paymatch.settings import Settings, make_data_dir

_FILE: Final = "service.address"
_USUAL: Final = "http://127.0.0.1:8000"


@contextmanager
def published_address(settings: Settings, host: str, port: int, *, tls: bool) -> Iterator[None]:
    """While the block runs, commands on the same data directory know where the service listens."""
    file = make_data_dir(settings.data_dir) / _FILE
    address = f"{'https' if tls else 'http'}://{_reached_at(host)}:{port}"
    file.write_text(address, "utf-8")
    try:
        yield
    finally:
        if file.exists() and file.read_text("utf-8") == address:  # another service may have stored its own since
            file.unlink()


def address(settings: Settings) -> str:
    """The address for links: PAYMATCH_BASE_URL, else that of the running service, else the usual one."""
    if settings.base_url:
        return settings.base_url
    try:
        return (settings.data_dir.expanduser() / _FILE).read_text("utf-8")
    except FileNotFoundError:
        return _USUAL


def _reached_at(host: str) -> str:
    """The host as this machine calls it in a URL: one that means every address is its own."""
    try:
        found = ip_address(host)
    except ValueError:
        return host
    if found.is_unspecified:
        return "127.0.0.1"
    return f"[{found}]" if found.version == 6 else host
