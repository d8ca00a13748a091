"""From a report's JSON to the classes of `labrys.model`.

Members that a class does not have are passed over: additions do not change the schema's number. Whatever is missing or of another type is
an error that says where it is.
"""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from labrys.errors import NotAReportError

Reader: TypeAlias = Callable[[object, str], Any]
"""Makes a value of what JSON says; the second argument is the place, for messages."""

_CLASSES: dict[type, type] = {}
"""For classes of the model those that stand for them."""


def stands_for(base: type) -> Callable[[type], type]:
    """Decorates a class of which an object is made where a report has one of another class, which it extends."""

    def register(of: type) -> type:
        _CLASSES[base] = of
        return of

    return register


def read(of: type, value: object, where: str = "") -> Any:
    """An object of a class of the model.

    Raises:
        NotAReportError: Something is missing, or is of another type.

    """
    return reader(of)(value, where)


@functools.cache
def reader(hint: Any) -> Reader:
    """What reads values of a type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        # A name that this version does not know is no error: further ones may be added.
        return _scalar(str)
    if origin is tuple:
        return _array(reader(arguments[0])) if arguments[-1] is Ellipsis else _tuple([reader(of) for of in arguments])
    if origin in (types.UnionType, Union):
        [inner] = [of for of in arguments if of is not types.NoneType]
        return _optional(reader(inner))
    if isinstance(hint, type) and is_dataclass(hint):
        return _object(_CLASSES.get(hint, hint))
    if hint in (str, bool, int, float):
        return _scalar(hint)
    raise TypeError(f"no reader of {hint}")


def _wrong(where: str, expected: str, value: object) -> NotAReportError:
    found = "nothing" if value is None else f"a {type(value).__name__}"
    return NotAReportError(f"{where or 'the report'}: {expected} is expected, there is {found}")


def _scalar(of: type) -> Reader:
    def of_scalar(value: object, where: str) -> Any:
        # JSON does not tell 1 from 1.0, and Python takes True for 1.
        if of is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if not isinstance(value, of) or (of is int and isinstance(value, bool)):
            raise _wrong(where, f"a {of.__name__}", value)
        return value

    return of_scalar


def _optional(inner: Reader) -> Reader:
    return lambda value, where: None if value is None else inner(value, where)


def _array(inner: Reader) -> Reader:
    def of_array(value: object, where: str) -> Any:
        if not isinstance(value, list):
            raise _wrong(where, "an array", value)
        return tuple(inner(item, f"{where}[{i}]") for i, item in enumerate(value))

    return of_array


def _tuple(inner: list[Reader]) -> Reader:
    def of_tuple(value: object, where: str) -> Any:
        if not isinstance(value, list) or len(value) != len(inner):
            raise _wrong(where, f"an array of {len(inner)}", value)
        return tuple(read(item, f"{where}[{i}]") for i, (read, item) in enumerate(zip(inner, value, strict=True)))

    return of_tuple


def _object(of: type) -> Reader:
    # What a class adds to the model's is not looked for in reports.
    model = next((base for base, extended in _CLASSES.items() if extended is of), of)
    hints = get_type_hints(model)
    members = [(one, one.name.removesuffix("_"), hints[one.name]) for one in fields(model)]
    further = next((one.name for one, _, hint in members if get_origin(hint) is Mapping), None)
    # Made when they are needed, for types can be made of themselves.
    readers: dict[str, Reader] = {}

    def of_object(value: object, where: str) -> Any:
        if not isinstance(value, dict):
            raise _wrong(where, "an object", value)
        given: dict[str, Any] = {}
        for one, name, hint in members:
            if one.name == further:
                continue
            if name in value:
                inner = readers.get(name) or readers.setdefault(name, reader(hint))
                given[one.name] = inner(value[name], f"{where}.{name}" if where else name)
            elif one.default is MISSING and one.default_factory is MISSING:
                raise NotAReportError(f"{where or 'the report'} has no `{name}`")
        if further is not None:
            names = {name for _, name, _ in members}
            inner = reader(get_args(typing.cast(Any, hints[further]))[1])
            given[further] = {key: inner(item, f"{where}.{key}") for key, item in value.items() if key not in names}
        return of(**given)

    return of_object
