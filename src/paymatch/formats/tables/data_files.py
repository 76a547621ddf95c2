"""Tables of banks that are shipped as TOML next to this module: read once, checked on reading."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import TypeVar

import msgspec

T = TypeVar("T")


class DataFileBroken(ValueError):
    """A data file of ours is not as it must be; the text names the file, the place and the reason."""


def read_data_file(name: str, kind: type[T]) -> T:
    """The TOML file `name` of this folder as a `kind`; DataFileBroken if a key or a type is not that of `kind`."""
    text = files(__package__).joinpath(name).read_text("utf-8")
    return parse_data_file(text, name, kind)


def parse_data_file(text: str, name: str, kind: type[T]) -> T:
    """As `read_data_file`, of a text; `name` is for the error alone."""
    try:
        return msgspec.convert(tomllib.loads(text), kind)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise DataFileBroken(f"{name}: {error}") from error
