"""Reads the types of the report from the Rust sources: members, their types, what serde does to them, their documentation.

This is no Rust parser. It reads what rustfmt leaves of structs and enums with `#[derive(.. Serialize ..)]`, one member a line, and stops
with an error at anything that it does not know, so that a new way of writing a type cannot be read wrongly in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


class Unreadable(Exception):  # noqa: N818
    """Something in the sources that this reader does not know."""


@dataclass
class Serde:
    """What `#[serde(...)]` says, one of each word."""

    words: dict[str, str] = field(default_factory=dict)

    def has(self, word: str) -> bool:
        return word in self.words

    def get(self, word: str) -> str | None:
        return self.words.get(word)


@dataclass
class Member:
    """A field of a struct, or of an enum's variant."""

    name: str
    type: str
    doc: str
    serde: Serde


@dataclass
class Variant:
    """A variant of an enum, with its members where it has any; whether it is the type's default."""

    name: str
    doc: str
    serde: Serde
    members: list[Member]
    is_default: bool


@dataclass
class Type:
    """A struct (`members`), a tuple (`tuple`) or an enum (`variants`)."""

    name: str
    doc: str
    serde: Serde
    members: list[Member] = field(default_factory=list)
    tuple: list[str] = field(default_factory=list)
    variants: list[Variant] = field(default_factory=list)


# What serde writes another type for, which has its documentation.
DOCUMENTED = {"Finding"}

# Documents of their own: the file of known findings, the data of the page.
OTHERS = {"baseline.rs", "html"}

KNOWN_WORDS = {
    "default", "flatten", "from", "into", "rename", "rename_all", "skip", "skip_serializing", "skip_serializing_if", "tag", "with",
}  # fmt: skip

HEAD = re.compile(r"(?:pub(?:\(\w+\))? )?(struct|enum) (\w+)(?:<'a>)?(?: \{|\((.*)\);)$")
MEMBER = re.compile(r"(?:pub(?:\(\w+\))? )?(\w+): (.+),$")
VARIANT = re.compile(r"(\w+)(,| \{)$")


class Pending:
    """The documentation and attributes that stand before something."""

    def __init__(self) -> None:
        self.doc: list[str] = []
        self.attributes: list[str] = []

    def take(self, line: str) -> bool:
        """Whether the line was one of these."""
        if line.startswith("///"):
            self.doc.append(line.removeprefix("///").strip())
        elif line.startswith("#["):
            if not line.endswith("]"):
                raise Unreadable(f"an attribute of several lines: {line}")
            self.attributes.append(line)
        else:
            return False
        return True

    def serde(self) -> Serde:
        found = Serde()
        for attribute in self.attributes:
            if match := re.fullmatch(r"#\[serde\((.*)\)\]", attribute):
                for word, value in re.findall(r'(\w+)(?: = "([^"]*)")?(?:, |$)', match[1]):
                    if word not in KNOWN_WORDS:
                        raise Unreadable(f"serde({word})")
                    found.words[word] = value
        return found

    def is_default(self) -> bool:
        return "#[default]" in self.attributes

    def is_written(self) -> bool:
        return any("derive" in of and re.search(r"\bSerialize\b", of) for of in self.attributes)

    def text(self) -> str:
        return " ".join(self.doc)


def read_file(path: Path) -> list[Type]:
    """The types of a file that are written into reports; its tests are not looked at."""
    lines = iter(path.read_text().split("#[cfg(test)]")[0].splitlines())
    types = []
    pending = Pending()
    for line in lines:
        if pending.take(line):
            continue
        if (match := HEAD.match(line)) and (pending.is_written() or match[2] in DOCUMENTED):
            found = Type(match[2], pending.text(), pending.serde())
            if match[3] is not None:
                found.tuple = [of.removeprefix("pub ") for of in match[3].split(", ")]
            elif match[1] == "struct":
                found.members = read_members(lines, "}")
            else:
                found.variants = read_variants(lines)
            types.append(found)
        pending = Pending()
    return types


def read_members(lines: Iterator[str], end: str) -> list[Member]:
    """The members up to the line that ends them."""
    members: list[Member] = []
    pending = Pending()
    for raw in lines:
        line = raw.strip()
        if line == end:
            return members
        if pending.take(line) or not line:
            continue
        match = MEMBER.match(line)
        if match is None:
            raise Unreadable(f"no member: {line}")
        members.append(Member(match[1], match[2], pending.text(), pending.serde()))
        pending = Pending()
    raise Unreadable("a type without an end")


def read_variants(lines: Iterator[str]) -> list[Variant]:
    """The variants of an enum, up to its end."""
    variants: list[Variant] = []
    pending = Pending()
    for raw in lines:
        line = raw.strip()
        if line == "}":
            return variants
        if pending.take(line) or not line:
            continue
        match = VARIANT.match(line)
        if match is None:
            raise Unreadable(f"no variant: {line}")
        members = read_members(lines, "},") if match[2] == " {" else []
        variants.append(Variant(match[1], pending.text(), pending.serde(), members, pending.is_default()))
        pending = Pending()
    raise Unreadable("an enum without an end")


def read_types(folder: Path) -> dict[str, Type]:
    """The types of every file below a folder that reports are made of, by name."""
    types: dict[str, Type] = {}
    for path in sorted(folder.rglob("*.rs")):
        if OTHERS.intersection(path.relative_to(folder).parts):
            continue
        for found in read_file(path):
            if found.name in types:
                raise Unreadable(f"two types {found.name}")
            types[found.name] = found
    return types
