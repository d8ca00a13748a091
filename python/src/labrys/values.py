"""Values of a report as Python's numbers."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TypeAlias

from labrys.model import Value

Number: TypeAlias = float | int | Decimal | None
"""A scalar: `float` for C's `float`, `double` and `_Float16`, `Decimal` for wider formats, `int` for integers; `None` where a report has no
number."""

_FLOATS = {"double", "float", "_Float16"}


def number(value: Value) -> Number:
    """A scalar as a number of Python's: exactly, but that of long doubles is the shortest decimal that reads back."""
    if value.decimal is None or value.elements is not None:
        return None
    if value.type in _FLOATS:
        finite = value.hex is not None and value.hex.lstrip("+-").startswith("0x")
        return float.fromhex(value.hex) if finite and value.hex is not None else float(value.decimal)
    try:
        return int(value.decimal)
    except ValueError:
        return Decimal(value.decimal)


def scalars(value: Value) -> Iterator[Value]:
    """The scalars in a value, depth first; itself where it is one."""
    if value.elements is None:
        yield value
    else:
        for element in value.elements:
            yield from scalars(element)
