"""A finding, and what people do with it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from labrys import html, model, process, text
from labrys.errors import LabrysError
from labrys.reading import stands_for
from labrys.values import Number, number, scalars

REPLAYING = ("diff", "exceptions", "accuracy", "verify", "replay")
"""The commands that reports give to see a finding again."""


class Place(NamedTuple):
    """A place of the source, as far as debug information knows it."""

    file: str | None = None
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return ":".join(str(part) for part in self if part is not None)


@dataclass(frozen=True)
class Origin:
    """Where a report comes from."""

    folder: Path
    """The folder that labrys ran in: names of files in reports are relative to it."""
    file: Path | None = None
    """The report's file, where it was read from one."""

    def line(self, place: Place) -> str | None:
        """The source's line at a place, where it can still be read."""
        if place.file is None or place.line is None:
            return None
        try:
            with open(self.folder / place.file, encoding="utf-8", errors="replace") as source:
                return next((text.rstrip("\n") for number, text in enumerate(source, 1) if number == place.line), None)
        except (OSError, ValueError):
            return None


@dataclass(frozen=True)
class Replay:
    """What became of a finding when it was run again."""

    holds: bool
    """Whether it still shows."""
    output: str
    """What labrys printed."""


def _without_format(words: list[str]) -> list[str]:
    """A command without `--format FORMAT`, which this package gives, and which nobody wants who looks at a finding again."""
    return [word for i, word in enumerate(words) if word != "--format" and words[i - 1 : i] != ["--format"]]


@stands_for(model.Finding)
@dataclass(frozen=True, kw_only=True)
class Finding(model.Finding):
    """What an analysis found, with a witness and what was observed on it.

    `print(finding)` tells it in words, a notebook shows it as a table, `finding.replay()` runs it again.
    """

    function: str = ""
    """The function that was analysed when it was found."""
    subject_file: str = field(default="", repr=False)
    """The file of that function."""
    origin: Origin | None = field(default=None, repr=False, compare=False)
    """Where its report comes from."""

    @property
    def place(self) -> Place:
        """Where in the source it is, as far as that is known."""
        cause = self.difference and self.difference.cause
        site = self.exception and self.exception.site
        operation = self.accuracy.causes[0] if self.accuracy and self.accuracy.causes else None
        known = cause or site or operation or self
        return Place(known.file, known.line, known.column)

    @property
    def witness(self) -> dict[str, Number]:
        """The input that shows it: each scalar by its name, `x`, `x[3]` or `p.re`."""
        return {of.name or "": number(of) for value in self.inputs for of in scalars(value)}

    @property
    def counts(self) -> bool:
        """Whether it counts for a run's exit code, unless it is known: errors of a few roundings do not."""
        return self.severity != "benign"

    @property
    def source_line(self) -> str | None:
        """The line of the source that it is about, where that is known and can still be read."""
        return self.origin.line(self.place) if self.origin else None

    @property
    def replay_command(self) -> str | None:
        """The command that shows it again, for a shell, in words for people."""
        if self.command is None:
            return None
        return shlex.join(_without_format(shlex.split(self.command)))

    def observation(self, role: str) -> model.ObservationRecord | None:
        """What a build did on the witness: `"baseline"`, `"variant"`, ..."""
        return next((of for of in self.observations if of.role == role), None)

    def replay(self, *, timeout: float | None = None) -> Replay:
        """Runs the witness again, by the command that the report gives, in the folder that labrys ran in.

        Of a report that was read from a file, `labrys replay` is asked, which takes no compilers and flags from it that it does not know.

        Raises:
            LabrysError: The report has no such command, or labrys cannot run it.
            LabrysTimeoutError: The time was up.

        """
        if self.origin is None:
            raise LabrysError(
                f"{self.id} is of no report that was read or made here: nothing is known of where it was found"
            )
        try:
            done = process.run(self._replaying(self.origin), timeout=timeout, cwd=self.origin.folder)
        except process.Interrupted:
            raise KeyboardInterrupt from None
        if done.returncode not in (0, 1, 3):
            raise done.error()
        return Replay(done.returncode == 1, done.stdout)

    def _replaying(self, origin: Origin) -> list[str]:
        if origin.file is not None:
            return ["replay", str(self._file_beside(origin.file))]
        words = shlex.split(self.command or "")
        if len(words) < 3 or words[0] != "labrys" or words[1] not in REPLAYING:
            raise LabrysError(f"{self.id} has no command that shows it again")
        return _without_format(words[1:])

    def _file_beside(self, report: Path) -> Path:
        """The file that holds this finding alone."""
        if report.stem == self.id:
            return report.resolve()
        beside = report.with_name(f"{self.id}.json")
        if not beside.is_file():
            raise LabrysError(f"{self.id}.json, which holds the finding alone, is not beside {report}")
        return beside.resolve()

    def __str__(self) -> str:
        return text.finding(self)

    def _repr_html_(self) -> str:
        return html.finding(self)
