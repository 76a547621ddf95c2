"""Colours of a shop, and whether text in them is readable (WCAG 2.2, success criterion 1.4.3)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from paymatch.domain.words.faults import UnreadableValue
from paymatch.domain.words.message import Message

READABLE: Final = 4.5
"""Contrast of text that everyone can read; 1 is none, 21 is black on white."""

_HEX: Final = re.compile(r"#?([0-9a-fA-F]{6})")
_STEPS: Final = 64


class ColourUnreadable(UnreadableValue):
    """The text is not a colour."""


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour in sRGB, 0 to 255 each; as text `#0f6b4f`."""

    red: int
    green: int
    blue: int

    def __str__(self) -> str:
        return f"#{self.red:02x}{self.green:02x}{self.blue:02x}"

    def mixed_with(self, other: Colour, share: float) -> Colour:
        """The colour mixed with `share` (0 to 1) of another one."""
        return Colour(*(
            round(own + (its - own) * share)
            for own, its in ((self.red, other.red), (self.green, other.green), (self.blue, other.blue))
        ))  # fmt: skip


WHITE: Final = Colour(255, 255, 255)
BLACK: Final = Colour(0, 0, 0)
USUAL_ACCENT: Final = Colour(0x0F, 0x5C, 0x7A)
"""The colour of a shop that has chosen none."""


def colour_of(text: str) -> Colour:
    """The colour that `#0f6b4f` or `0f6b4f` names. ColourUnreadable."""
    found = _HEX.fullmatch(text.strip())
    if found is None:
        raise ColourUnreadable(Message("setting-colour"))
    return Colour(*bytes.fromhex(found[1]))


def contrast(one: Colour, other: Colour) -> float:
    """The contrast ratio of two colours, from 1 to 21 (WCAG 2.2, definition)."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def ink_on(background: Colour) -> Colour:
    """Black or white, whichever is read more easily on the background: one of them always is READABLE."""
    return max(WHITE, BLACK, key=lambda ink: contrast(ink, background))


def readable_on(colour: Colour, background: Colour) -> Colour:
    """The colour as text on a background: darker or lighter by just enough to be READABLE."""
    ink = ink_on(background)
    shades = (colour.mixed_with(ink, step / _STEPS) for step in range(_STEPS))
    return next((shade for shade in shades if contrast(shade, background) >= READABLE), ink)


def _luminance(colour: Colour) -> float:
    """Relative luminance (WCAG 2.2, definition)."""
    weights = ((0.2126, colour.red), (0.7152, colour.green), (0.0722, colour.blue))
    return sum(weight * _linear(value / 255) for weight, value in weights)


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
