"""The schema follows the Rust types, the dataclasses follow the schema, and reports follow both."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import labrys

SCHEMA = "crates/report/schema/labrys-report-2.schema.json"
SCRIPTS = ("report_schema.py", "python_types.py")


@pytest.fixture(scope="session")
def schema(repository: Path) -> Any:
    return json.loads((repository / SCHEMA).read_text())


@pytest.fixture(scope="session")
def strict(schema: Any) -> jsonschema.Draft202012Validator:
    """The schema without the licence that further members have: what it does not name is an error."""
    jsonschema.Draft202012Validator.check_schema(schema)
    closed = copy.deepcopy(schema)
    _close(closed)
    return jsonschema.Draft202012Validator(closed)


def _close(node: Any) -> None:
    if isinstance(node, dict):
        if node.get("type") == "object" and "properties" in node:
            node.setdefault("additionalProperties", False)
        for inner in node.values():
            _close(inner)
    elif isinstance(node, list):
        for inner in node:
            _close(inner)


@pytest.mark.parametrize("script", SCRIPTS)
def test_files_are_what_their_scripts_write(repository: Path, script: str) -> None:
    done = subprocess.run(
        [sys.executable, repository / "scripts/schema" / script, "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def copied(repository: Path, to: Path) -> Path:
    """The parts of the repository that the scripts read and write."""
    for part in ("scripts/schema", "crates/report/src", "crates/report/schema"):
        shutil.copytree(repository / part, to / part)
    shutil.copytree(repository / "python/src", to / "python/src")
    return to


def checked(root: Path, script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, root / "scripts/schema" / script, "--check"], capture_output=True, text=True)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    pub flags: Vec<String>,\n    /// Which", "    pub words: Vec<String>,\n    /// Which"),
        ("    pub ulps: f64,\n", "    pub ulps: f64,\n    /// Further.\n    pub further: Option<u64>,\n"),
        ("    /// The sign of a zero alone.\n    Sign,\n", "    /// The sign.\n    Negated,\n"),
    ],
)
def test_a_change_of_the_rust_types_is_noticed(repository: Path, tmp_path: Path, before: str, after: str) -> None:
    root = copied(repository, tmp_path)
    source = root / "crates/report/src/finding/difference.rs"
    text = source.read_text()
    assert before in text
    source.write_text(text.replace(before, after, 1))
    assert checked(root, "report_schema.py").returncode == 1
    # And from the schema on in the dataclasses.
    subprocess.run([sys.executable, root / "scripts/schema/report_schema.py"], check=True)
    assert checked(root, "report_schema.py").returncode == 0
    assert checked(root, "python_types.py").returncode == 1


def test_what_the_reader_of_types_does_not_know_is_an_error(repository: Path, tmp_path: Path) -> None:
    root = copied(repository, tmp_path)
    source = root / "crates/report/src/status.rs"
    source.write_text(source.read_text().replace('rename_all = "lowercase"', 'rename_all_fields = "lowercase"'))
    done = checked(root, "report_schema.py")
    assert done.returncode == 1
    assert "rename_all_fields" in done.stderr


def test_real_reports_have_the_members_that_the_schema_names_and_no_others(
    reports: Mapping[str, labrys.Report], documents: Mapping[str, Any], strict: jsonschema.Draft202012Validator
) -> None:
    for name, of in documents.items():
        errors = [f"{error.json_path}: {error.message[:200]}" for error in strict.iter_errors(of)]
        assert not errors, (name, errors[:5])
    assert reports["diff"].findings
    assert reports["exceptions"].sites


def test_a_librarys_report_follows_the_schema(library: Path, strict: jsonschema.Draft202012Validator) -> None:
    of = json.loads((library / "report.json").read_text())
    assert isinstance(of["sites"][0]["site"], int)
    errors = [f"{error.json_path}: {error.message[:200]}" for error in strict.iter_errors(of)]
    assert not errors, errors[:5]
    of["sites"][0]["site"] = "here"
    assert not strict.is_valid(of)


def broken(of: Any, name: str) -> Any:
    """A report with one fault."""
    of = copy.deepcopy(of)
    finding = of["findings"][0]
    match name:
        case "no id":
            del finding["id"]
        case "an unknown severity":
            finding["severity"] = "terrible"
        case "a number as text":
            finding["count"] = "3"
        case "an unknown exception":
            finding["observations"][0]["flags"] = ["denormal"]
        case "half a verdict":
            of["verdict"] = "holds"
        case "another schema":
            of["schema"] = "labrys-report/3"
    return of


@pytest.mark.parametrize(
    "name",
    ["no id", "an unknown severity", "a number as text", "an unknown exception", "half a verdict", "another schema"],
)
def test_the_schema_refuses(documents: Mapping[str, Any], schema: Any, name: str) -> None:
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid(documents["diff"])
    assert not validator.is_valid(broken(documents["diff"], name))


def test_a_proof_needs_its_members(documents: Mapping[str, Any], schema: Any) -> None:
    validator = jsonschema.Draft202012Validator(schema)
    of = copy.deepcopy(documents["exceptions"])
    proof = next(site for site in of["sites"] if site["verdict"] == "unreachable")
    del proof["engine"]
    assert not validator.is_valid(of)
