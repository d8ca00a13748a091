#!/usr/bin/env python3
"""Writes the Python package's dataclasses from the JSON Schema of reports.

    scripts/schema/python_types.py            # writes python/src/labrys/model.py
    scripts/schema/python_types.py --check    # exits with 1 where that file is not what it would write

The schema's descriptions become docstrings.
"""

from __future__ import annotations

import json
import keyword
import sys
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "crates/report/schema/labrys-report-2.schema.json"
TARGET = ROOT / "python/src/labrys/model.py"

WIDTH = 120

HEAD = '''\
"""What a report says: a class for each type of the JSON Schema of `labrys-report/2`.

Written by scripts/schema/python_types.py from crates/report/schema/labrys-report-2.schema.json; not to be edited.
What people do with reports and findings is in `labrys.report` and `labrys.finding`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias
'''

Schema = dict[str, Any]


def name_of(schema: Schema) -> str | None:
    """The definition that a schema refers to."""
    reference = schema.get("$ref")
    return reference.removeprefix("#/$defs/") if reference else None


def type_of(schema: Schema) -> str:
    """The Python type of a schema."""
    if name := name_of(schema):
        return name
    if "anyOf" in schema:
        return " | ".join(type_of(choice) for choice in schema["anyOf"] if "x-table" not in choice)
    if "const" in schema:
        return f'Literal["{schema["const"]}"]'
    if "oneOf" in schema:
        return literal(schema)
    if "prefixItems" in schema:
        return f"tuple[{', '.join(type_of(item) for item in schema['prefixItems'])}]"
    if schema["type"] == "array":
        return f"tuple[{type_of(schema['items'])}, ...]"
    return {"string": "str", "boolean": "bool", "number": "float", "integer": "int", "null": "None"}[schema["type"]]


def words(schema: Schema) -> list[str]:
    """The names that an enum has."""
    return list(schema["enum"]) if "enum" in schema else [choice["const"] for choice in schema["oneOf"]]


def literal(schema: Schema) -> str:
    return f"Literal[{', '.join(json.dumps(word) for word in words(schema))}]"


def docstring(text: str, indent: str) -> str:
    """A docstring of lines that are short enough."""
    text = text.replace("\\", "\\\\")
    if len(indent) + len(text) + 6 <= WIDTH and not text.endswith('"'):
        return f'{indent}"""{text}"""\n'
    lines = textwrap.wrap(text, WIDTH - len(indent) - 3, break_long_words=False, break_on_hyphens=False)
    body = f"\n{indent}".join(lines)
    # The closing quotation marks stand on their own line, as in any docstring of several.
    return f'{indent}"""{body}\n{indent}"""\n'


def alias(name: str, schema: Schema) -> str:
    """A type that is no class: names to choose from, or a tuple."""
    if "prefixItems" in schema:
        return f"{name}: TypeAlias = {type_of(schema)}\n" + docstring(schema["description"], "")
    one_line = f"{name}: TypeAlias = {literal(schema)}\n"
    if len(one_line) <= WIDTH + 1:
        text = one_line
    else:
        text = f"{name}: TypeAlias = Literal[\n"
        text += "".join(f"    {json.dumps(word)},\n" for word in words(schema)) + "]\n"
    return text + docstring(schema["description"], "")


def member(name: str, schema: Schema, is_required: bool) -> str:
    """A field with its documentation."""
    kind = type_of(schema)
    if keyword.iskeyword(name):
        name += "_"
    if is_required:
        text = f"    {name}: {kind}\n"
    elif "default" in schema:
        default = schema["default"]
        shown = {"[]": "()", "true": "True", "false": "False"}.get(json.dumps(default), json.dumps(default))
        text = f"    {name}: {kind} = {shown}\n"
    else:
        text = f"    {name}: {kind if kind.endswith('None') else f'{kind} | None'} = None\n"
    return text + docstring(schema["description"], "    ")


def structure(name: str, schema: Schema) -> str:
    """A class of a type's members; those that are always there first."""
    text = f"@dataclass(frozen=True, kw_only=True)\nclass {name}:\n"
    text += docstring(schema["description"], "    ")
    # What stands in the report's tables is put where it belongs before it is read.
    required = [*schema["required"], *schema.get("anyOf", [{"required": []}])[0]["required"]]
    for key, inner in schema["properties"].items():
        if "x-table" in inner or key == "tables":
            continue
        text += "\n" + member(key, inner, key in required)
    if "additionalProperties" in schema:
        kind = type_of(schema["additionalProperties"])
        text += f"\n    more: Mapping[str, {kind}] = field(default_factory=dict)\n"
        text += docstring("Further members, by name.", "    ")
    return text


def module() -> str:
    """The whole module."""
    document = json.loads(SOURCE.read_text())
    definitions = {name: of for name, of in document.pop("$defs").items() if name not in ("Tables", "Grounds")}
    aliases = {name: of for name, of in definitions.items() if "properties" not in of}
    classes = {name: of for name, of in definitions.items() if "properties" in of} | {"Report": document}
    parts = [alias(name, of) for name, of in aliases.items()]
    return HEAD + "\n" + "\n".join(parts) + "\n\n" + "\n\n".join(structure(name, of) for name, of in classes.items())


def main() -> int:
    text = module()
    if sys.argv[1:] == ["--check"]:
        if TARGET.is_file() and TARGET.read_text() == text:
            return 0
        print(f"{TARGET} is not what {SOURCE.name} says: run scripts/schema/python_types.py", file=sys.stderr)
        return 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
