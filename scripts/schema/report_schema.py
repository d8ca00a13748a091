#!/usr/bin/env python3
"""Writes the JSON Schema of reports from the Rust types that serde writes them from.

    scripts/schema/report_schema.py            # writes crates/report/schema/labrys-report-2.schema.json
    scripts/schema/report_schema.py --check    # exits with 1 where that file is not what it would write

What members and types mean is their documentation in `crates/report/src`. The schema is of what labrys writes; readers should pass over
members that they do not know, for additions do not change the schema's number.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from rust_types import Member, Type, Unreadable, read_types

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "crates/report/src"
TARGET = ROOT / "crates/report/schema/labrys-report-2.schema.json"

EXCEPTIONS = ["divbyzero", "invalid", "overflow", "underflow", "inexact"]

Schema = dict[str, Any]

PRIMITIVES: dict[str, Schema] = {
    "String": {"type": "string"},
    "str": {"type": "string"},
    "bool": {"type": "boolean"},
    "f64": {"type": "number"},
    "i32": {"type": "integer"},
    "u32": {"type": "integer", "minimum": 0},
    "u64": {"type": "integer", "minimum": 0},
}

# Types whose form in JSON is not what derive makes of them: by `into = "String"` and functions named in `with`.
WRITTEN_AS: dict[str, Schema] = {
    "exceptions": {"type": "array", "items": {"$ref": "#/$defs/ExceptionName"}},
    "exceptions::one": {"$ref": "#/$defs/ExceptionName"},
}


def words_of(name: str, style: str | None) -> str:
    """A variant's name as serde's `rename_all` has it."""
    parts = re.findall(r"[A-Z][a-z0-9]*", name)
    match style:
        case "lowercase":
            return name.lower()
        case "kebab-case":
            return "-".join(parts).lower()
        case "snake_case":
            return "_".join(parts).lower()
        case None:
            return name
    raise Unreadable(f"rename_all = {style}")


class Writer:
    """Makes definitions of types, each once, in the order in which they are needed."""

    def __init__(self, types: dict[str, Type]) -> None:
        self.types = types
        self.definitions: dict[str, Schema] = {}

    def type(self, text: str) -> Schema:
        """The schema of a Rust type."""
        if match := re.fullmatch(r"Cow<'a, (.+)>", text):
            return self.type(match[1])
        if match := re.fullmatch(r"Box<(.+)>", text):
            return self.type(match[1])
        if match := re.fullmatch(r"Vec<(.+)>|\[(.+)\]", text):
            return {"type": "array", "items": self.type(match[1] or match[2])}
        if match := re.fullmatch(r"Option<(.+)>", text):
            return {"anyOf": [self.type(match[1]), {"type": "null"}]}
        if text in PRIMITIVES:
            return dict(PRIMITIVES[text])
        return self.reference(text)

    def reference(self, name: str) -> Schema:
        """A reference to a type's definition, which is made where there is none yet."""
        # A finding is written by a type of its own.
        of = self.types["Written" if name == "Finding" else name]
        if of.serde.get("into") == "String":
            return {"type": "string", "description": plain(of.doc)}
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = self.definition(of, plain(self.types[name].doc))
        return {"$ref": f"#/$defs/{name}"}

    def definition(self, of: Type, doc: str) -> Schema:
        """A type's definition."""
        if of.tuple:
            items = [self.type(item) for item in of.tuple]
            return {"description": doc, "type": "array", "prefixItems": items, "items": False, "minItems": len(items)}
        if of.variants and not of.serde.has("tag"):
            return self.words(of, doc)
        found: Schema = {"description": doc, "type": "object", "properties": {}, "required": []}
        if of.variants:
            self.add_tagged(found, of)
        for member in of.members:
            self.add(found, member)
        return found

    def words(self, of: Type, doc: str) -> Schema:
        """An enum of names: each with its meaning."""
        choices = []
        for variant in of.variants:
            if variant.members:
                raise Unreadable(f"{of.name}::{variant.name} has members and no tag")
            word = variant.serde.get("rename") or words_of(variant.name, of.serde.get("rename_all"))
            choices.append({"const": word, "description": plain(variant.doc)})
        return {"description": doc, "oneOf": choices}

    def add(self, to: Schema, member: Member) -> None:
        """Adds a member to an object's schema."""
        serde = member.serde
        if serde.has("skip") or serde.has("skip_serializing"):
            return
        inner = re.fullmatch(r"Option<(.+)>", member.type)
        if serde.has("flatten"):
            self.add_flattened(to, member, inner[1] if inner else None)
            return
        name = serde.get("rename") or member.name
        if written := serde.get("with"):
            schema = dict(WRITTEN_AS[written])
            if "ExceptionName" not in self.definitions:
                self.definitions["ExceptionName"] = {"description": "An exception of IEEE 754.", "enum": EXCEPTIONS}
        elif inner and serde.has("skip_serializing_if"):
            schema = self.type(inner[1])
        else:
            schema = self.type(member.type)
        if doc := member.doc or self.doc_of_finding(name) or self.doc_of_type(schema):
            schema["description"] = plain(doc)
        if serde.has("default") and not inner:
            schema["default"] = self.default(member)
        to["properties"][name] = schema
        if not serde.has("default") and not serde.has("skip_serializing_if"):
            to["required"].append(name)

    def doc_of_finding(self, name: str) -> str:
        """What the type of findings says of a member of the one that is written for it."""
        members = [*self.types["Finding"].members, *self.types["DifferenceDetails"].members]
        return next((of.doc for of in members if of.name == name), "")

    def doc_of_type(self, schema: Schema) -> str:
        """What a type says of itself."""
        name = schema.get("$ref", "").removeprefix("#/$defs/")
        return self.types[name].doc if name in self.types else ""

    def default(self, member: Member) -> object:
        """What stands for a member that is left out."""
        if function := member.serde.get("default"):
            return {"one": 1}[function]
        if member.serde.get("with") == "exceptions" or re.match(r"Vec<|Cow<'a, \[", member.type):
            return []
        if member.type in PRIMITIVES:
            return {"string": "", "boolean": False, "number": 0.0, "integer": 0}[PRIMITIVES[member.type]["type"]]
        of = self.types[member.type]
        [name] = [variant.name for variant in of.variants if variant.is_default]
        return words_of(name, of.serde.get("rename_all"))

    def add_flattened(self, to: Schema, member: Member, optional: str | None) -> None:
        """Adds the members of what stands among those of the object."""
        name = optional or re.sub(r"Cow<'a, (.+)>", r"\1", member.type)
        name = re.sub(r"Cow<'a, (.+)>", r"\1", name)
        if name == "BTreeMap<String, f64>":
            to["additionalProperties"] = {"type": "number"}
            return
        of = self.types[name]
        inner: Schema = {"properties": {}, "required": []}
        if of.variants:
            self.add_tagged(inner, of)
        for part in of.members:
            self.add(inner, part)
        to["properties"].update(inner["properties"])
        if optional:
            first, *others = inner["required"]
            to["dependentRequired"] = {first: others}
        else:
            to["required"].extend(inner["required"])
        if "oneOf" in inner:
            to["oneOf"] = inner["oneOf"]

    def add_tagged(self, to: Schema, of: Type) -> None:
        """Adds the members of an enum that says by one of them which of its variants it is."""
        tag = of.serde.get("tag")
        assert tag is not None
        choices = []
        names = []
        for variant in of.variants:
            word = words_of(variant.name, of.serde.get("rename_all"))
            members: Schema = {"properties": {}, "required": []}
            for member in variant.members:
                self.add(members, member)
            for name, schema in members["properties"].items():
                to["properties"].setdefault(name, schema)
            names.append({"const": word, "description": plain(variant.doc)})
            choices.append({"properties": {tag: {"const": word}}, "required": members["required"]})
        to["properties"][tag] = {"description": plain(of.doc), "oneOf": names}
        to["required"].append(tag)
        to["oneOf"] = choices


def plain(doc: str) -> str:
    """Documentation without links to Rust's items."""
    return re.sub(r"\[`(?:crate::)?([^`\]]+)`\](?:\([^)]*\))?", r"`\1`", doc)


def place_in(table: str) -> Schema:
    """The schema of a place in one of the report's tables, which Python's types do not have."""
    return {"type": "integer", "minimum": 0, "description": f"A place in `tables.{table}`, from 0.", "x-table": table}


def add_tables(report: Schema, writer: Writer) -> None:
    """Lets places in tables stand where reports of libraries have them (crates/report/src/tables.rs)."""
    definitions = writer.definitions
    tables = writer.reference("Tables")
    report["properties"]["tables"] = {**tables, "description": "Of a library: what is referred to by its place."}

    def or_place(of: Schema, name: str, table: str) -> None:
        doc = of[name].pop("description", None)
        of[name] = {"anyOf": [of[name], place_in(table)], **({"description": doc} if doc else {})}

    or_place(definitions["ObservationRecord"]["properties"]["trace"], "items", "events")
    or_place(definitions["ExceptionDetails"]["properties"], "site", "sites")
    or_place(definitions["Finding"]["properties"]["notes"], "items", "notes")
    record = definitions["SiteRecord"]
    own = [name for name in definitions["SiteKey"]["required"] if name in record["required"]]
    record["required"] = [name for name in record["required"] if name not in own]
    record["properties"]["site"] = place_in("sites")
    record["anyOf"] = [{"required": own}, {"required": ["site"]}]
    for of in (record, definitions["NotSeen"], definitions["Verdict"]):
        of["properties"]["grounds"] = place_in("grounds")
        for choice in of["oneOf"]:
            if "finding" not in choice["required"]:
                choice["anyOf"] = [{"required": choice.pop("required")}, {"required": ["grounds"]}]


def report_schema() -> str:
    """The whole document."""
    writer = Writer(read_types(SOURCES))
    writer.reference("Report")
    report = writer.definitions.pop("Report")
    add_tables(report, writer)
    report["properties"]["schema"] = {"description": "The schema's name and number.", "const": "labrys-report/2"}
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:labrys:labrys-report/2",
        "title": "labrys-report/2",
        **report,
        "$defs": writer.definitions,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    text = report_schema()
    if sys.argv[1:] == ["--check"]:
        if TARGET.is_file() and TARGET.read_text() == text:
            return 0
        print(f"{TARGET} is not what crates/report/src says: run scripts/schema/report_schema.py", file=sys.stderr)
        return 1
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
