"""Everything that a report says is in the objects that it is read as."""

from __future__ import annotations

import dataclasses
import json
import math
import subprocess
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import labrys
from labrys import model

ADDED = {"function", "subject_file", "origin", "exit_code"}
"""Members that objects have beside those of reports."""


def written(of: Any) -> Any:
    """An object as JSON; members that are left out of reports where they say nothing are left out here."""
    if isinstance(of, tuple | list):
        return [written(item) for item in of]
    if not dataclasses.is_dataclass(of):
        return of
    found: dict[str, Any] = {}
    for one in dataclasses.fields(of):
        value = getattr(of, one.name)
        if one.name == "more":
            found.update(value)
        elif not (one.name in ADDED and isinstance(of, labrys.Finding | labrys.Report)) and (
            one.default is dataclasses.MISSING or value != one.default
        ):
            found[one.name.rstrip("_")] = written(value)
    return found


def without_defaults(document: Any, of: Any) -> Any:
    """A document without members that say what their absence says, too (`"outputs": []`)."""
    if isinstance(document, list):
        return [without_defaults(item, inner) for item, inner in zip(document, of, strict=True)]
    if not isinstance(document, dict):
        return document
    kept: dict[str, Any] = {}
    for name, value in document.items():
        attribute = name if hasattr(of, name) else f"{name}_"
        inner = getattr(of, attribute, None)
        defaults = {one.name: one.default for one in dataclasses.fields(of)}
        if attribute not in defaults:
            kept[name] = value
        elif inner != defaults[attribute]:
            kept[name] = without_defaults(value, inner)
    return kept


def test_nothing_is_lost(reports: Mapping[str, labrys.Report], examples: Path) -> None:
    file = examples / "out/report.json"
    document = json.loads(file.read_text())
    report = labrys.read(file)
    assert written(report) == without_defaults(document, report)
    assert len(document["findings"][0]) > 10


def test_members_that_nobody_knows_are_passed_over(examples: Path, reports: Mapping[str, labrys.Report]) -> None:
    document = json.loads((examples / "out/report.json").read_text())
    document["novelty"] = {"a": 1}
    document["findings"][0]["novelty"] = []
    document["findings"][0]["severity"] = "novel"
    report = labrys.parse(json.dumps(document))
    assert str(report.findings[0].severity) == "novel"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no report"),
        ("[]", "no report of labrys"),
        ('{"schema": "labrys-report/9"}', "a report of labrys-report/9; this package reads labrys-report/2"),
        ('{"schema": "labrys-report/2"}', "the report has no `command`"),
        ('{"schema": "labrys-report/2", "command": [1]}', r"command\[0\]: a str is expected, there is a int"),
        ('{"schema": "labrys-report/2", "command": [], "version": "0", "seed": true}', "seed: a int is expected"),
    ],
)
def test_what_is_no_report_is_refused(text: str, message: str) -> None:
    with pytest.raises(labrys.NotAReportError, match=message):
        labrys.parse(text)


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(labrys.ReportNotFoundError, match="nowhere: there is no such report or folder") as caught:
        labrys.read("nowhere")
    assert isinstance(caught.value, FileNotFoundError)
    assert isinstance(caught.value, labrys.LabrysError)
    with pytest.raises(labrys.ReportNotFoundError, match=r"there is no report\.json in this folder"):
        labrys.read(tmp_path)


def test_folders_and_files_of_findings_are_read(examples: Path, reports: Mapping[str, labrys.Report]) -> None:
    report = labrys.read(examples / "out")
    assert report == dataclasses.replace(reports["diff"], timing=report.timing)
    alone = labrys.read(examples / f"out/{report.findings[0].id}.json")
    assert [of.id for of in alone.findings] == [report.findings[0].id]


def test_compressed_reports_are_read(examples: Path, tmp_path: Path) -> None:
    packed = tmp_path / "report.json.zst"
    subprocess.run(["zstd", "-q", str(examples / "out/report.json"), "-o", str(packed)], check=True)
    assert labrys.read(tmp_path) == labrys.read(examples / "out")
    assert labrys.read(packed).findings
    packed.write_bytes(b"no such thing")
    with pytest.raises(labrys.ReportNotFoundError, match="does not unpack it"):
        labrys.read(packed)


def test_what_a_librarys_report_says_once_is_where_it_belongs(library: Path) -> None:
    document = json.loads((library / "report.json").read_text())
    assert document["tables"]["events"]
    report = labrys.read(library)
    assert report.findings
    assert all(site.function and site.operator for site in report.sites)
    assert any(site.verdict == "unreachable" and site.engine and site.assumptions for site in report.sites)
    # The file of a finding has everything itself.
    for finding in report.findings:
        assert labrys.read(library / f"{finding.id}.json").findings[0] == finding


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (("findings", 0, "observations", 0, "trace", 0), "tables.events has no place -1"),
        (("findings", 0, "exception", "site"), "tables.sites has no place -1"),
        (("sites", 0, "site"), "tables.sites has no place -1"),
    ],
)
def test_places_that_are_in_no_table_are_damage(library: Path, place: tuple[str | int, ...], message: str) -> None:
    document = json.loads((library / "report.json").read_text())
    of = document
    for part in place[:-1]:
        of = of[part]
    of[place[-1]] = -1
    with pytest.raises(labrys.NotAReportError, match=message):
        labrys.parse(json.dumps(document))


def value(type: str, decimal: str, hex: str | None = None) -> model.Value:
    return model.Value(type=type, decimal=decimal, hex=hex)


def test_values_are_numbers_of_python() -> None:
    assert labrys.number(value("double", "6e-152", "0x1.923bf703d0966p-503")) == 6e-152
    assert labrys.number(value("double", "-inf", "-inf")) == -math.inf
    nan = labrys.number(value("double", "nan", "nan"))
    assert isinstance(nan, float)
    assert math.isnan(nan)
    assert labrys.number(value("int32_t", "-5", "-0x5")) == -5
    assert labrys.number(value("long double", "1e4000", "0x1p+13287")) == Decimal("1e4000")
    minus_zero = labrys.number(value("double", "-0", "-0x0p+0"))
    assert isinstance(minus_zero, float)
    assert math.copysign(1, minus_zero) == -1


def test_a_finding_is_of_its_function(reports: Mapping[str, labrys.Report]) -> None:
    finding = reports["exceptions"].findings[0]
    assert (finding.function, str(finding.place)) == ("average1", "examples/average.c:6:15")
    assert reports["diff"].findings[0].place.file == "examples/carbongas.c"
    assert reports["diff"].findings[0].source_line is not None
    assert reports["verify"].findings[0].place.line == 6
