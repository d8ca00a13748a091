"""labrys tells what compiled floating-point code really does; this package runs it and reads what it says.

>>> import labrys
>>> report = labrys.diff("midpoint.c", variant="-O3 -ffast-math", inputs="finite")  # doctest: +SKIP
>>> report.findings.to_dataframe()  # doctest: +SKIP

`diff`, `exceptions`, `accuracy`, `verify` and `cover` return a `Report`; `solve` decides constraints. The executable is that of
`LABRYS_BIN`, of `PATH`, or of the checkout that the package was installed from.
"""

from labrys import model
from labrys.analyses import accuracy, cover, diff, exceptions, verify
from labrys.binary import find_binary
from labrys.errors import (
    ContradictionWarning,
    LabrysError,
    LabrysInterruptedError,
    LabrysNotFoundError,
    LabrysTimeoutError,
    NotAReportError,
    ReportNotFoundError,
)
from labrys.finding import Finding, Place, Replay
from labrys.findings import Findings
from labrys.report import Report, parse, read
from labrys.solving import Answer, Solution, solve
from labrys.values import number

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "ContradictionWarning",
    "Finding",
    "Findings",
    "LabrysError",
    "LabrysInterruptedError",
    "LabrysNotFoundError",
    "LabrysTimeoutError",
    "NotAReportError",
    "Place",
    "Replay",
    "Report",
    "ReportNotFoundError",
    "Solution",
    "accuracy",
    "cover",
    "diff",
    "exceptions",
    "find_binary",
    "model",
    "number",
    "parse",
    "read",
    "solve",
    "verify",
]
