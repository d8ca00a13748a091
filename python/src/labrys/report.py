"""A report, and what people do with it."""

from __future__ import annotations

import dataclasses
import importlib
import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from labrys import html, model, text
from labrys.errors import NotAReportError, ReportNotFoundError
from labrys.finding import Finding, Origin
from labrys.findings import Findings
from labrys.process import StrPath
from labrys.reading import read as read_object
from labrys.reading import stands_for
from labrys.tables import unfold

SCHEMA = "labrys-report/2"
"""The schema that this package reads."""
EARLIER = "labrys-report/1"
"""One that it reads, too: it has no tables."""


@stands_for(model.Report)
@dataclass(frozen=True, kw_only=True)
class Report(model.Report):
    """A run of an analysis: what was found, and how much was done.

    `print(report)` tells it in words, a notebook shows it as a page.
    """

    findings: Findings
    """What was found, worst first."""
    exit_code: int | None = field(default=None, compare=False)
    """labrys' exit code, where it was run and not read: 0 nothing found and the planned work done, 1 findings, 3 cut short by a limit with
    nothing found (of `verify` and `cover`: something is unknown), 4 a proof was contradicted.
    """
    origin: Origin | None = field(default=None, repr=False, compare=False)
    """Where it comes from."""

    @property
    def new_findings(self) -> Findings:
        """Those that count for the exit code: no errors of a few roundings, and none that `known` or `baseline` names."""
        known = frozenset(self.known or ())
        return self.findings.where(lambda of: of.counts and of.id not in known)

    @property
    def is_complete(self) -> bool:
        """Whether the planned work was done."""
        return self.status == "complete"

    def finding(self, id: str) -> Finding:
        """The finding of an id, or of the beginning of one.

        Raises:
            KeyError: None has it, or several have.

        """
        found = self.findings.where(lambda of: of.id.startswith(id))
        if len(found) != 1:
            raise KeyError(f"{len(found)} findings have ids that begin with {id!r}")
        return found[0]

    def __str__(self) -> str:
        return text.report(self)

    def _repr_html_(self) -> str:
        return html.report(self)


def read(path: StrPath, *, folder: StrPath | None = None) -> Report:
    """Reads a report: its file, that of a finding, or the folder of `-o`.

    Args:
        path: The file or folder.
        folder: The folder that labrys ran in, to which names of sources in the report are relative; the current one by default.

    Raises:
        ReportNotFoundError: It is not there.
        OSError: It cannot be read.
        NotAReportError: It is no report, or of another schema.

    """
    file = Path(path)
    if file.is_dir():
        file /= "report.json"
        if not file.exists() and file.with_name("report.json.zst").exists():
            file = file.with_name("report.json.zst")
        if not file.exists():
            raise ReportNotFoundError(f"{path}: there is no report.json in this folder: name one that was given to -o")
    elif not file.exists():
        raise ReportNotFoundError(f"{path}: there is no such report or folder, seen from {Path.cwd()}")
    document = _contents(file).decode("utf-8", errors="replace")
    try:
        return parse(document, Origin(Path(folder or Path.cwd()).resolve(), file.resolve()))
    except NotAReportError as error:
        raise NotAReportError(f"{file}: {error}") from error


def _contents(file: Path) -> bytes:
    """What a file has, unpacked if labrys was told to compress it (`compress="zstd"`)."""
    if file.suffix != ".zst":
        return file.read_bytes()
    try:
        unpack: bytes = importlib.import_module("compression.zstd").decompress(file.read_bytes())
    except ImportError:
        # Python has it since 3.14.
        try:
            return subprocess.run(["zstd", "-dc", str(file)], check=True, capture_output=True).stdout
        except (FileNotFoundError, subprocess.CalledProcessError) as error:
            raise ReportNotFoundError(
                f"{file}: it is compressed, and `zstd -dc` does not unpack it: {error}"
            ) from error
    return unpack


def parse(document: str, origin: Origin | None = None, exit_code: int | None = None) -> Report:
    """A report of its JSON text.

    Raises:
        NotAReportError: It is no report, or of another schema.

    """
    try:
        value = json.loads(document)
    except ValueError as error:
        raise NotAReportError(f"no report: {error}") from error
    schema = value.get("schema") if isinstance(value, dict) else None
    if schema not in (SCHEMA, EARLIER):
        is_other = isinstance(schema, str) and schema.startswith("labrys-report/")
        raise NotAReportError(
            f"a report of {schema}; this package reads {SCHEMA}" if is_other else "no report of labrys"
        )
    report = read_object(model.Report, unfold(value))
    assert isinstance(report, Report)
    # Of a library, the function that each finding is of.
    units = {one: unit for unit in report.functions for one in unit.findings}

    def placed(of: Finding) -> Finding:
        unit = units.get(of.id)
        function = unit.function if unit else report.target.function
        file = (unit.file if unit else None) or report.target.file
        return dataclasses.replace(of, function=function, subject_file=file, origin=origin)

    findings = Findings(placed(of) for of in report.findings)
    return dataclasses.replace(report, findings=findings, exit_code=exit_code, origin=origin)
