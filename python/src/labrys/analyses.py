"""labrys' analyses as functions that return reports."""

from __future__ import annotations

import os
import shlex
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Unpack

from labrys import process
from labrys.errors import ContradictionWarning, LabrysInterruptedError, NotAReportError
from labrys.finding import Origin
from labrys.options import AccuracyOptions, CoverOptions, DiffOptions, ExceptionsOptions, VerifyOptions, arguments
from labrys.process import StrPath
from labrys.report import Report, parse

ANALYSES: Mapping[str, type] = {
    "diff": DiffOptions,
    "exceptions": ExceptionsOptions,
    "accuracy": AccuracyOptions,
    "verify": VerifyOptions,
    "cover": CoverOptions,
}
"""The analyses by name, with the types of their options."""


def diff(
    *files: StrPath,
    flags: Sequence[str] = (),
    timeout: float | None = None,
    cwd: StrPath | None = None,
    **options: Unpack[DiffOptions],
) -> Report:
    """Finds inputs on which two builds of a function behave differently.

    Args:
        files: A source file, or two: the old and the new version; none for a library (`build_dir`) or shared objects.
        flags: Flags that go to every build, after its own.
        timeout: Seconds after which labrys is ended, whatever it has found; to get what was found, limit the run by `time`.
        cwd: The folder to run in. Names of files are relative to it.
        options: Those of `labrys diff`, with `_` for `-`.

    Raises:
        LabrysError: labrys cannot do it, and says why.
        LabrysNotFoundError: There is no labrys.
        LabrysTimeoutError: `timeout` was up.
        LabrysInterruptedError: A `KeyboardInterrupt`, with the report of what was found until then.

    """
    return analyse("diff", files, options, flags=flags, timeout=timeout, cwd=cwd)


def exceptions(
    *files: StrPath,
    flags: Sequence[str] = (),
    timeout: float | None = None,
    cwd: StrPath | None = None,
    **options: Unpack[ExceptionsOptions],
) -> Report:
    """Finds every floating-point exception that a function can raise, or proves that it cannot.

    `report.sites` has a verdict for each operation and exception. Arguments and errors are those of `diff`.
    """
    return analyse("exceptions", files, options, flags=flags, timeout=timeout, cwd=cwd)


def accuracy(
    *files: StrPath,
    flags: Sequence[str] = (),
    timeout: float | None = None,
    cwd: StrPath | None = None,
    **options: Unpack[AccuracyOptions],
) -> Report:
    """Finds the inputs on which a function's results are furthest from the truth, and whose fault that is.

    With `bound=True`, `report.bounds` has proved bounds of errors. Arguments and errors are those of `diff`.
    """
    return analyse("accuracy", files, options, flags=flags, timeout=timeout, cwd=cwd)


def verify(
    *files: StrPath,
    flags: Sequence[str] = (),
    timeout: float | None = None,
    cwd: StrPath | None = None,
    **options: Unpack[VerifyOptions],
) -> Report:
    """Verifies a whole program: finds inputs on which it goes wrong, or proves that there are none.

    `report.verdict` is what it came to. Arguments and errors are those of `diff`.
    """
    return analyse("verify", files, options, flags=flags, timeout=timeout, cwd=cwd)


def cover(
    *files: StrPath,
    flags: Sequence[str] = (),
    timeout: float | None = None,
    cwd: StrPath | None = None,
    **options: Unpack[CoverOptions],
) -> Report:
    """Finds tests that cover a function or a program, and proves what no input covers.

    `report.coverage` has them. Arguments and errors are those of `diff`.
    """
    return analyse("cover", files, options, flags=flags, timeout=timeout, cwd=cwd)


def analyse(
    analysis: str,
    files: Sequence[StrPath],
    options: Mapping[str, object],
    *,
    flags: Sequence[str] = (),
    timeout: float | None = None,
    cwd: StrPath | None = None,
) -> Report:
    """Runs an analysis by its name; what its own function says holds here.

    Raises:
        TypeError: The analysis has no such option.

    """
    known = ANALYSES[analysis].__annotations__
    if unknown := [name for name in options if name not in known]:
        raise TypeError(f"labrys {analysis} has no option {', '.join(unknown)}")
    words = [analysis, *(_file(of) for of in files), "--format", "json", *arguments(options)]
    if flags:
        # A text is words as a shell takes them: its characters are none.
        words += ["--", *(shlex.split(flags) if isinstance(flags, str) else flags)]
    origin = Origin(Path(cwd or os.curdir).resolve())
    try:
        done = process.run(words, timeout=timeout, cwd=cwd)
    except process.Interrupted as interrupt:
        raise LabrysInterruptedError(_partial(interrupt.completed, origin)) from None
    if done.returncode not in (0, 1, 3, 4):
        raise done.error()
    report = parse(done.stdout, origin, done.returncode)
    if report.contradictions:
        message = f"{len(report.contradictions)} proofs were contradicted and withdrawn: an error of labrys or of another solver"
        warnings.warn(ContradictionWarning(message), stacklevel=3)
    return report


def _file(of: StrPath) -> str:
    """A file's name that is not taken for an option."""
    name = os.fspath(of)
    return f"./{name}" if name.startswith("-") else name


def _partial(done: process.Completed | None, origin: Origin) -> Report | None:
    """The report of a run that was interrupted, where it left one."""
    if done is None:
        return None
    try:
        return parse(done.stdout, origin, done.returncode)
    except NotAReportError:
        return None
