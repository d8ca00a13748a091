"""Findings and reports in words, as labrys' own diagnostics have them, but shorter."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from labrys.values import scalars
from labrys.visible import visible

if TYPE_CHECKING:
    from labrys.finding import Finding
    from labrys.model import ObservationRecord, Value
    from labrys.report import Report

SHOWN = 10
"""How many findings of a report, and how many scalars of a witness, are told."""


def finding(of: Finding) -> str:
    """A finding: what, where, on which input, what each build did, how to see it again."""
    lines = [f"{of.severity}[{of.id}]: {of.summary}"]
    if str(of.place):
        lines.append(f" --> {of.place}" + (f" in {of.function}" if of.function else ""))
    if (source := of.source_line) is not None:
        lines += [f"  | {source.expandtabs(4)}"]
    lines.append("  witness")
    lines += [f"    {line}" for line in witness(of.inputs)]
    lines += table([(role, *told) for role, *told in (observed(one) for one in of.observations)])
    lines += [f"  {name}: {value}" for name, value in details(of)]
    if of.replay_command:
        lines.append(f"  replay: {of.replay_command}")
    return "\n".join(visible(line) for line in lines)


def report(of: Report) -> str:
    """A report: what was analysed, its findings, how much was done."""
    head = f"labrys {of.analysis}: {subject(of)}"
    parts = [visible(head), *(visible(f"note: {note}") for note in of.notes)]
    parts += [finding(one) for one in of.findings[:SHOWN]]
    if len(of.findings) > SHOWN:
        parts.append(f"... and {len(of.findings) - SHOWN} more")
    parts.append(visible(conclusion(of)))
    return "\n\n".join(parts)


def subject(of: Report) -> str:
    """What was analysed, in a few words."""
    if of.functions:
        return f"{len(of.functions)} functions of {of.target.file}"
    parameters = ", ".join(f"{one.type} {one.name}" for one in of.target.parameters)
    return f"{of.target.function}({parameters}) in {of.target.file}"


def conclusion(of: Report) -> str:
    """What it came to: counts of findings by severity, and whether the planned work was done."""
    words: list[str] = []
    if of.verdict:
        words.append(of.verdict)
    if of.coverage:
        words += [f"{one.criterion}: {one.covered} of {one.total} covered" for one in of.coverage.totals]
    counted = Counter(one.severity for one in of.findings)
    if counted:
        words.append(", ".join(f"{count} {severity}" for severity, count in counted.items()))
    elif not words:
        words.append("nothing found")
    if of.sites:
        verdicts = Counter(one.verdict.replace("_", " ") for one in of.sites)
        words.append(", ".join(f"{count} {verdict}" for verdict, count in verdicts.items()))
    if of.counts.inputs_tested:
        words.append(f"{of.counts.inputs_tested:,} inputs tested")
    if not of.is_complete:
        words.append("cut short by a limit")
    if of.contradictions:
        words.append(f"{len(of.contradictions)} proofs contradicted: please report it")
    return "; ".join(words)


def witness(inputs: tuple[Value, ...]) -> list[str]:
    """The scalars of an input, in decimal and in hexadecimal."""
    named = [one for value in inputs for one in scalars(value)]
    width = max((len(one.name or "") for one in named), default=0)
    lines = [f"{one.name or '':{width}} = {one.decimal}  {one.hex or ''}".rstrip() for one in named[:SHOWN]]
    if len(named) > SHOWN:
        lines.append(f"... and {len(named) - SHOWN} more")
    return lines


def observed(of: ObservationRecord) -> tuple[str, str, str]:
    """What a build did: its role, what came out, what was raised."""
    raised = ", ".join(of.flags) or "no exception"
    if of.not_compared:
        raised += f"; not compared: {', '.join(of.not_compared)}"
    return of.role, outcome(of), raised


def outcome(of: ObservationRecord) -> str:
    """What came out of a call."""
    if of.outcome == "signal":
        return f"signal {of.signal}"
    if of.outcome == "exit":
        return f"exit({of.exit_code})"
    if of.outcome == "timeout":
        return "time-out"
    if of.outcome == "panic":
        return "a panic"
    outputs = [f"{one.name} = {one.decimal}" for one in of.outputs]
    return "; ".join(([of.result.decimal or ""] if of.result else []) + outputs) or "returned"


def details(of: Finding) -> list[tuple[str, str]]:
    """What only its analysis can say, by name."""
    found: list[tuple[str, str]] = []
    if of.difference:
        if of.difference.ulps is not None:
            found.append(("apart", f"{of.difference.ulps:.6g} ulps"))
        if (cause := of.difference.cause) is not None:
            place = f" at {of.place}" if str(of.place) else ""
            found.append(("because", f"{cause.kind} {cause.operator}".strip() + place))
        if (blame := of.difference.blame) is not None:
            own = f" with both builds' {' '.join(blame.own)}" if blame.own else ""
            flags = (", ".join(blame.flags) or ("the compiler" if own else "the compiler, whatever the flags")) + own
            found.append(("made by", flags + (f", in {blame.pass_}" if blame.pass_ else "")))
            if blame.also:
                found.append(("without these also by", " or ".join(" ".join(flags) for flags in blame.also)))
        for truth in of.difference.truths:
            found.append((f"{truth.output} without rounding", truth.truth))
        if of.in_control:
            found.append(("control", "the strict build at the variant's level differs, too"))
        if of.baseline_clean is False:
            found.append(
                ("outside the contract", "of fast-math: the input or the baseline's result is exceptional itself")
            )
    if of.exception:
        found.append(("exception", f"{of.exception.exception} of {of.exception.site.operator}"))
        if of.exception.true_result is not None:
            found.append(("true result", of.exception.true_result))
    if of.accuracy:
        found += [("result", of.accuracy.result), ("true result", of.accuracy.truth)]
        if of.accuracy.error.bits is not None:
            found.append(("error", f"{of.accuracy.error.bits:.1f} bits"))
        if of.accuracy.excess is not None:
            found.append(("excess", f"{of.accuracy.excess:.3g} times what the problem brings about"))
        if (remedy := of.accuracy.remedy) is not None:
            found.append(("remedy", f"{remedy.better} in place of {remedy.formula}"))
    if of.kind:
        found.append(("error", of.kind))
        found.append(("observed", of.observed or ""))
    return found


def table(rows: list[tuple[str, ...]]) -> list[str]:
    """Rows with their columns below one another."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  " + "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
