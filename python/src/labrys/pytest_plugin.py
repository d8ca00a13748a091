"""A pytest plugin: `pytest --labrys` runs the checks that `pyproject.toml` names, each as a test.

    [tool.labrys]
    checks = [
        { analysis = "diff", file = "src/kernel.c", function = "step", variant = "-O3 -ffast-math", inputs = "finite" },
        { analysis = "exceptions", file = "src/mean.c", function = "mean", only = "overflow" },
    ]

A check fails where labrys finds something that its `known` or `baseline` does not have, where labrys cannot run it, and, unless it says
`incomplete = "pass"` or `"skip"`, where a limit cut the work short before anything was found. Names of files are relative to
`pyproject.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import pytest

from labrys import text
from labrys.analyses import ANALYSES, analyse
from labrys.errors import LabrysError
from labrys.report import Report

SETTINGS = "pyproject.toml"
"""The file that names checks."""

Incomplete = Literal["fail", "pass", "skip"]
"""What becomes of a check that a limit cut short, with nothing found."""


@dataclass(frozen=True)
class Settings:
    """A check as `pyproject.toml` has it."""

    name: str
    analysis: str
    files: tuple[str, ...]
    flags: tuple[str, ...]
    timeout: float | None
    incomplete: Incomplete
    options: Mapping[str, object]


class CheckFailed(Exception):  # noqa: N818 -- what pytest calls a failure
    """A check did not pass."""

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self.report = report


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--labrys`."""
    group = parser.getgroup("labrys")
    group.addoption(
        "--labrys", action="store_true", help="run the checks of [tool.labrys] in pyproject.toml, each as a test"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Names the marker that every check has."""
    config.addinivalue_line("markers", "labrys: a check of [tool.labrys] in pyproject.toml")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ChecksFile | None:
    """Collects the project's checks where its settings are given by name: `pytest --labrys pyproject.toml::NAME`."""
    config = parent.config
    if config.getoption("--labrys") and file_path == config.rootpath / SETTINGS:
        return ChecksFile.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Adds the checks to whatever else is run, unless they are there already. First of all hooks, so that `-k` and `-m` select of them."""
    settings = config.rootpath / SETTINGS
    if not config.getoption("--labrys") or any(isinstance(item, Check) for item in items):
        return
    if settings.is_file():
        items.extend(ChecksFile.from_parent(session, path=settings).collect())
    else:
        raise pytest.UsageError(f"--labrys: there is no {settings}")


class ChecksFile(pytest.File):
    """The project's settings with their checks."""

    def collect(self) -> Iterator[Check]:
        """A test for each check."""
        for settings in read_settings(self.path):
            check = Check.from_parent(self, name=settings.name, settings=settings)
            check.add_marker("labrys")
            yield check


class Check(pytest.Item):
    """A check as a test."""

    def __init__(self, *, settings: Settings, **others: Any) -> None:
        super().__init__(**others)
        self.settings = settings

    def runtest(self) -> None:
        """Runs labrys, and fails with what it found."""
        of = self.settings
        report = analyse(of.analysis, of.files, of.options, flags=of.flags, timeout=of.timeout, cwd=self.path.parent)
        self.add_report_section("call", "labrys", text.conclusion(report))
        if report.exit_code == 3 and of.incomplete != "fail":
            if of.incomplete == "skip":
                pytest.skip(f"nothing found, but {text.conclusion(report)}")
        elif report.exit_code != 0:
            raise CheckFailed(report)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What was found, in labrys' words, without a traceback into this file."""
        error = excinfo.value
        if isinstance(error, CheckFailed):
            return failure(error.report)
        if isinstance(error, LabrysError):
            command = f"\ncommand: {' '.join(error.command)}" if error.command else ""
            return f"labrys could not run the check: {error.message}{command}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The name that pytest shows."""
        return self.path, None, f"labrys: {self.name}"


def failure(report: Report) -> str:
    """Why a check failed: the findings that count, or why nothing is known."""
    new = report.new_findings
    parts = [text.finding(of) for of in new[: text.SHOWN]]
    if len(new) > text.SHOWN:
        parts.append(f"... and {len(new) - text.SHOWN} more")
    if report.exit_code == 3:
        parts.append(
            'nothing found, but the work was not done: `incomplete = "pass"` or `"skip"` in the check lets that be'
        )
        parts += [f"note: {note}" for note in (*(report.reasons or ()), *report.notes)]
    parts.append(f"labrys {report.analysis} of {text.subject(report)}: {text.conclusion(report)}")
    return "\n\n".join(parts)


def read_settings(path: Path) -> list[Settings]:
    """The checks of a `pyproject.toml`.

    Raises:
        pytest.UsageError: Something in it is no check.

    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise pytest.UsageError(f"{path}: {error}") from error
    table = document.get("tool", {}).get("labrys", {})
    checks = table.get("checks") if isinstance(table, dict) else None
    if not isinstance(checks, list) or not all(isinstance(of, dict) for of in checks):
        raise pytest.UsageError(f"{path}: [tool.labrys] has no list `checks` of tables")
    found: list[Settings] = []
    for i, check in enumerate(checks):
        settings = _settings(check, f"{path}: [tool.labrys] checks[{i}]")
        if any(settings.name == other.name for other in found):
            raise pytest.UsageError(f"{path}: two checks are named {settings.name!r}: give them a `name`")
        found.append(settings)
    return found


def _settings(check: dict[str, Any], where: str) -> Settings:
    """A check of its table. What the plugin does not know is an option of the analysis, or an error."""
    options = dict(check)
    analysis = options.pop("analysis", None)
    if analysis not in ANALYSES:
        raise pytest.UsageError(f"{where}: `analysis` is one of {', '.join(ANALYSES)}, not {analysis!r}")
    files = _texts(options.pop("file", options.pop("files", [])), f"{where}.file")
    flags = _texts(options.pop("flags", []), f"{where}.flags")
    timeout = options.pop("timeout", None)
    if timeout is not None and (not isinstance(timeout, int | float) or isinstance(timeout, bool) or timeout <= 0):
        raise pytest.UsageError(f"{where}: `timeout` is a number of seconds")
    incomplete = options.pop("incomplete", "fail")
    if incomplete not in get_args(Incomplete):
        raise pytest.UsageError(f"{where}: `incomplete` is one of {', '.join(get_args(Incomplete))}")
    subject = " ".join([*files, *([options["function"]] if isinstance(options.get("function"), str) else [])])
    name = options.pop("name", f"{analysis} {subject}".strip())
    options = {key.replace("-", "_"): value for key, value in options.items()}
    known = ANALYSES[analysis].__annotations__
    if unknown := [key for key in options if key not in known]:
        raise pytest.UsageError(f"{where}: labrys {analysis} has no option {', '.join(map(repr, unknown))}")
    # TOML has arrays where Python has pairs.
    if isinstance(ranges := options.get("range"), dict):
        options["range"] = {key: tuple(of) if isinstance(of, list) else of for key, of in ranges.items()}
    return Settings(name, analysis, files, flags, timeout, incomplete, options)


def _texts(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(of, str) for of in value):
        return tuple(value)
    raise pytest.UsageError(f"{where} is a text or a list of texts")
