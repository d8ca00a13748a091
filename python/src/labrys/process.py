"""Runs labrys: arguments in, what it printed out; time-outs and interrupts end it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from labrys.binary import find_binary
from labrys.errors import LabrysError, LabrysTimeoutError

StrPath: TypeAlias = str | os.PathLike[str]
"""The name of a file or a folder."""

GRACE_S = 15.0
"""Seconds that labrys gets to finish after an interrupt: it confirms what it found for up to ten."""


@dataclass(frozen=True)
class Completed:
    """A run that came to its end."""

    command: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str

    def error(self) -> LabrysError:
        """What labrys said of a run that did not work: its line on stderr."""
        said = self.stderr.strip()
        if not said:
            ended = f"signal {-self.returncode}" if self.returncode < 0 else f"exit code {self.returncode}"
            said = f"labrys ended with {ended} and said nothing"
        return LabrysError(said.removeprefix("labrys: "), self.command, self.returncode)


class Interrupted(Exception):  # noqa: N818 -- it carries a run, and never leaves this package
    """An interrupt came while labrys ran; with the run, where it ended in time."""

    def __init__(self, completed: Completed | None) -> None:
        super().__init__()
        self.completed = completed


def run(
    arguments: Sequence[str], *, timeout: float | None = None, cwd: StrPath | None = None, stdin: str | None = None
) -> Completed:
    """Runs labrys to its end.

    Args:
        arguments: What stands behind `labrys` in a command.
        timeout: Seconds after which it is ended. `None`: it may take as long as it takes.
        cwd: The folder that it runs in; the current one by default.
        stdin: What it reads from standard input.

    Raises:
        LabrysNotFoundError: There is no executable.
        LabrysTimeoutError: The time was up.
        Interrupted: A `KeyboardInterrupt` came. labrys was interrupted, too, and got some seconds to say what it had found.

    """
    command = (find_binary(), *arguments)
    # A session of its own: of an interrupt at the terminal labrys hears from us, once, and what it started can be ended with it.
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            stdout, stderr = process.communicate(stdin, timeout=timeout)
        except subprocess.TimeoutExpired:
            _end(process)
            message = f"labrys {arguments[0]} was still running after {timeout:g} s, and was ended"
            raise LabrysTimeoutError(message, command) from None
        except KeyboardInterrupt:
            raise Interrupted(_interrupt(process, command)) from None
        except BaseException:
            _end(process)
            raise
    return Completed(command, process.returncode, stdout, stderr)


def _interrupt(process: subprocess.Popen[str], command: tuple[str, ...]) -> Completed | None:
    """Asks for what was found so far; a second interrupt, or too long a wait, ends it."""
    process.send_signal(signal.SIGINT)
    try:
        stdout, stderr = process.communicate(timeout=GRACE_S)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        _end(process)
        return None
    return Completed(command, process.returncode, stdout, stderr)


def _end(process: subprocess.Popen[str]) -> None:
    """Ends labrys and what it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
