"""The findings of a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from labrys import html
from labrys.finding import Finding

if TYPE_CHECKING:
    import pandas as pd


class Findings(tuple[Finding, ...]):
    """Findings in their report's order, worst first: a tuple that can be filtered and made a table of."""

    __slots__ = ()

    def where(self, wanted: Callable[[Finding], bool]) -> Findings:
        """Those of which something holds: `findings.where(lambda of: of.severity == "lost")`."""
        return Findings(of for of in self if wanted(of))

    def to_records(self) -> list[dict[str, object]]:
        """A dictionary for each finding, all with the same keys; of what a finding does not have, `None`.

        Beside what all findings have: of `diff` the variant that differs, whether the witness is within fast-math's contract, how many ulps
        results are apart, and the cause; of `exceptions` the exception and the true result; of `accuracy` the error in bits, relative, and
        as a multiple of what the problem brings about; of `verify` what goes wrong. `witness` maps inputs to numbers.
        """
        return [_record(of) for of in self]

    def to_dataframe(self) -> pd.DataFrame:
        """A row for each finding, with the columns of `to_records`; columns that no finding has are left out.

        Raises:
            ImportError: pandas is not installed.

        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("to_dataframe() needs pandas: pip install pandas; to_records() does without") from error
        table = pd.DataFrame(self.to_records(), columns=list(_COLUMNS))
        return table.dropna(axis="columns", how="all") if self else table

    def _repr_html_(self) -> str:
        return html.findings(self)


def _record(of: Finding) -> dict[str, object]:
    return {name: column(of) for name, column in _COLUMNS.items()}


_COLUMNS: dict[str, Callable[[Finding], object]] = {
    "id": lambda of: of.id,
    "severity": lambda of: of.severity,
    "function": lambda of: of.function,
    "file": lambda of: of.place.file or of.subject_file or None,
    "line": lambda of: of.place.line,
    "column": lambda of: of.place.column,
    "summary": lambda of: of.summary,
    "inputs_that_show_it": lambda of: of.count,
    "found_by": lambda of: of.found_by,
    "witness": lambda of: of.witness,
    "variant": lambda of: of.between[-1] if of.between else None,
    "baseline_clean": lambda of: of.baseline_clean,
    "in_control": lambda of: of.in_control,
    "ulps": lambda of: of.difference.ulps if of.difference else None,
    "cause": lambda of: of.difference.cause.kind if of.difference and of.difference.cause else None,
    "flags": lambda of: " ".join(of.difference.blame.flags) if of.difference and of.difference.blame else None,
    "exception": lambda of: of.exception.exception if of.exception else None,
    "true_result": lambda of: of.exception.true_result if of.exception else None,
    "avoidable": lambda of: of.exception.avoidable if of.exception else None,
    "error_bits": lambda of: of.accuracy.error.bits if of.accuracy else None,
    "error_relative": lambda of: of.accuracy.error.relative if of.accuracy else None,
    "excess": lambda of: of.accuracy.excess if of.accuracy else None,
    "condition": lambda of: of.accuracy.condition if of.accuracy else None,
    "kind": lambda of: of.kind,
    "command": lambda of: of.command,
}
"""The columns of a table of findings."""
