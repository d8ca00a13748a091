"""Findings as tables, texts and pages."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from html.parser import HTMLParser

import pandas as pd
import pytest

import labrys
from labrys import html, model, text


def test_a_table_has_a_row_for_each_finding(reports: Mapping[str, labrys.Report]) -> None:
    findings = reports["diff"].findings
    table = findings.to_dataframe()
    assert list(table["id"]) == [of.id for of in findings]
    assert table.loc[0, "severity"] == "introduced"
    assert table.loc[0, "cause"] == "operation"
    assert "-ffp-contract=fast" in str(table.loc[0, "flags"])
    # What no finding of the analysis has is no column.
    assert "error_bits" not in table.columns
    accuracy = reports["accuracy"].findings.to_dataframe()
    assert accuracy.loc[0, "error_bits"] == reports["accuracy"].findings[0].accuracy.error.bits  # type: ignore[union-attr]
    assert {"exception", "true_result"} <= set(reports["exceptions"].findings.to_dataframe().columns)


def test_a_table_of_nothing_has_columns_and_no_rows(reports: Mapping[str, labrys.Report]) -> None:
    table = reports["clean"].findings.to_dataframe()
    assert isinstance(table, pd.DataFrame)
    assert len(table) == 0
    assert "severity" in table.columns


def test_without_pandas_there_are_records(
    reports: Mapping[str, labrys.Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="needs pandas"):
        reports["diff"].findings.to_dataframe()
    records = reports["diff"].findings.to_records()
    assert records[0]["id"] == "468dd3ebf69b"
    assert records[0]["witness"] == {"v": 5e-152}


def test_findings_are_filtered(reports: Mapping[str, labrys.Report]) -> None:
    report = reports["diff"]
    worst = report.findings.where(lambda of: of.severity == "introduced")
    assert isinstance(worst, labrys.Findings)
    assert [of.id for of in worst] == ["468dd3ebf69b"]
    assert report.finding("468d") == worst[0]
    with pytest.raises(KeyError, match="0 findings"):
        report.finding("nothing")
    known = dataclasses.replace(report, known=("468dd3ebf69b",))
    assert len(known.new_findings) == len(report.new_findings) - 1


def test_a_finding_in_words(reports: Mapping[str, labrys.Report]) -> None:
    text = str(reports["exceptions"].findings[0])
    for words in (
        "lost[93566f4db0d5]: overflow at 6:15",
        "    return (x + y) / 2;",
        "x = 1e+308  0x1.1ccf385ebc8ap+1023",
        "baseline  inf  overflow",
        "true result: 1.000000000000000011e308",
        "replay: labrys exceptions examples/average.c --function average1",
    ):
        assert words in text
    assert "--format" not in text
    for of in reports.values():
        assert of.target.file in str(of)


class Strict(HTMLParser):
    """Reads HTML whose elements must all be closed, and has what a browser would show."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def shown(page: str) -> Strict:
    parser = Strict()
    parser.feed(page)
    parser.close()
    assert not parser.open
    return parser


def test_pages_of_every_analysis_are_well_formed(reports: Mapping[str, labrys.Report]) -> None:
    for name, of in reports.items():
        page = shown(of._repr_html_())
        assert f"labrys {of.analysis}" in page.text, name
        assert {tag for tag, _ in page.elements} <= {
            "div", "span", "b", "code", "pre", "mark", "table", "tr", "td", "th", "details", "summary", "ul", "li",
        }  # fmt: skip
        for finding in of.findings:
            assert finding.id in shown(finding._repr_html_()).text
            assert finding.summary in page.text


def test_the_character_of_the_place_is_marked(reports: Mapping[str, labrys.Report]) -> None:
    page = reports["exceptions"].findings[0]._repr_html_()
    assert '<mark style="padding:0">+</mark>' in page


def test_a_cause_without_a_place_has_none(reports: Mapping[str, labrys.Report]) -> None:
    finding = reports["diff"].findings[0]
    assert finding.difference is not None
    cause = model.Cause(kind="licence", operator="-ffinite-math-only")
    difference = dataclasses.replace(finding.difference, cause=cause)
    observations = tuple(dataclasses.replace(of, trace=()) for of in finding.observations)
    bare = dataclasses.replace(finding, difference=difference, observations=observations)
    assert dict(text.details(bare))["because"] == "licence -ffinite-math-only"


def test_texts_of_strangers_stay_texts(reports: Mapping[str, labrys.Report]) -> None:
    nasty = '<script>alert("x")</script>\x1b[2J\u202e&'
    finding = dataclasses.replace(
        reports["diff"].findings[0],
        summary=nasty,
        function=nasty,
        id=nasty,
        command=f"labrys diff '{nasty}'",
        inputs=(model.Value(name=nasty, type="double", decimal=nasty, hex=nasty),),
        origin=None,
    )
    report = dataclasses.replace(reports["diff"], findings=labrys.Findings([finding]), notes=(nasty,))
    for page in (finding._repr_html_(), report._repr_html_(), html.findings([finding])):
        parsed = shown(page)
        assert "script" not in {tag for tag, _ in parsed.elements}
        assert "\\x1b[2J\\u{202e}&" in parsed.text
        assert "\x1b" not in page
        assert "\u202e" not in page
    assert "\x1b" not in str(finding)
    assert "\x1b" not in str(report)
