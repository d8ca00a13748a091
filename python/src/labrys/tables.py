"""What a library's report says many times stands in it once, in `tables`: here it is put where it belongs.

What stands in which table is in crates/report/src/tables.rs. Objects are shared and not copied: nothing may change them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from labrys.errors import NotAReportError


def unfold(document: dict[str, Any]) -> dict[str, Any]:
    """A report's document without tables.

    Raises:
        NotAReportError: A place is in none of them.

    """
    tables = document.pop("tables", None)
    if not isinstance(tables, dict):
        return document
    for finding in _objects(document.get("findings")):
        for observation in _objects(finding.get("observations")):
            _list_elements(tables, "events", observation, "trace")
        _list_elements(tables, "notes", finding, "notes")
        exception = finding.get("exception")
        if isinstance(exception, dict):
            if "site" in exception:
                exception["site"] = _element(tables, "sites", exception["site"])
            for verdict in _objects([*_list(exception.get("not_seen_from")), exception.get("only_direct")]):
                _add_members(tables, "grounds", verdict, "grounds")
    for pair in _objects(document.get("sites")):
        _add_members(tables, "sites", pair, "site")
        _add_members(tables, "grounds", pair, "grounds")
    return document


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _objects(value: object) -> Iterator[dict[str, Any]]:
    return (of for of in _list(value) if isinstance(of, dict))


def _element(tables: dict[str, Any], table: str, value: Any) -> Any:
    """The element of a place, and any other value as it is."""
    if not isinstance(value, int):
        return value
    elements = _list(tables.get(table))
    if not 0 <= value < len(elements):
        raise NotAReportError(f"the report is damaged: tables.{table} has no place {value}")
    return elements[value]


def _list_elements(tables: dict[str, Any], table: str, of: dict[str, Any], name: str) -> None:
    if name in of:
        of[name] = [_element(tables, table, value) for value in _list(of[name])]


def _add_members(tables: dict[str, Any], table: str, of: dict[str, Any], name: str) -> None:
    if name in of:
        members = _element(tables, table, of.pop(name))
        if not isinstance(members, dict):
            raise NotAReportError(f"the report is damaged: {name} is no place in tables.{table}")
        of.update(members)
