"""The form of a sentence with gaps."""

from __future__ import annotations

Template = str | tuple[str, str]
"""A sentence with gaps such as `{number}`; a pair is singular and plural, by the value `count`."""
