"""JSON Schemas of single values, of lists and of objects, in the forms of `contract/values.py`."""

from __future__ import annotations

from typing import Any, Final

Schema = dict[str, Any]

_DAY_EXAMPLE: Final = "17-03-2026"


def text(description: str, **more: Any) -> Schema:
    """A string."""
    return {"type": "string", "description": description, **more}


def day(description: str) -> Schema:
    """A date `dd-MM-yyyy`."""
    return text(description, pattern=r"^\d{2}-\d{2}-\d{4}$", examples=[_DAY_EXAMPLE])


def moment(description: str) -> Schema:
    """A moment `dd-MM-yyyy HH:mm:ss` in the shop's time zone."""
    return text(description, pattern=r"^\d{2}-\d{2}-\d{4} \d{2}:\d{2}:\d{2}$", examples=["17-03-2026 14:05:00"])


def amount(description: str) -> Schema:
    """An amount with two decimals."""
    return {"type": "number", "format": "decimal", "description": description, "examples": [119.9]}


def sent_amount(description: str) -> Schema:
    """An amount as it is sent: a number or a numeric string, two decimals and trailing zeros (D-14, D-39)."""
    return {
        "type": ["number", "string"],
        "format": "decimal",
        "description": f"{description} Two decimals; true further ones are refused, never rounded.",
        "pattern": r"^-?\d{1,9}(\.\d{1,2}0*)?$",
        "examples": [119.9],
    }


def whole(description: str, **more: Any) -> Schema:
    """A whole number."""
    return {"type": "integer", "description": description, **more}


def flag(description: str) -> Schema:
    """true or false."""
    return {"type": "boolean", "description": description}


def array(items: Schema, description: str = "") -> Schema:
    """An array."""
    return {"type": "array", "items": items} | ({"description": description} if description else {})


def ref(name: str) -> Schema:
    """A schema of the document by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def thing(description: str, fields: dict[str, Schema], required: tuple[str, ...] = (), *, title: str = "") -> Schema:
    """An object; `title` names one inside of another."""
    found: Schema = {"type": "object", **({"title": title} if title else {}), "description": description}
    found["properties"] = fields
    return found | ({"required": list(required)} if required else {})
