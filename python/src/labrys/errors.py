"""What can go wrong between Python and labrys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labrys.report import Report


class LabrysError(Exception):
    """labrys could not do what it was asked to: its own line says why."""

    def __init__(self, message: str, command: Sequence[str] = (), returncode: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        """labrys' own words, or what is wrong with what it printed."""
        self.command = tuple(command)
        """The command that was run; empty where none was."""
        self.returncode = returncode
        """Its exit code, the negative number of a signal, or `None` where it did not end."""


class LabrysNotFoundError(LabrysError):
    """There is no labrys executable where one is looked for."""


class LabrysTimeoutError(LabrysError, TimeoutError):
    """labrys was still running at the caller's `timeout`, and was ended."""


class NotAReportError(LabrysError):
    """A document is no report of the schema that this package knows."""


class ReportNotFoundError(LabrysError, FileNotFoundError):
    """There is no report where one is to be read."""


class LabrysInterruptedError(KeyboardInterrupt):
    """The caller was interrupted while labrys ran; a `KeyboardInterrupt` with what was found until then."""

    def __init__(self, report: Report | None) -> None:
        super().__init__("interrupted")
        self.report = report
        """What labrys had found; `None` where it could not say."""


class ContradictionWarning(UserWarning):
    """A proof was contradicted by a second opinion, and withdrawn: an error of labrys or of another solver. Please report it."""
