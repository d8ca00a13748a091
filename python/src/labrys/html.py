"""Findings and reports as HTML for notebooks.

Styles stand in the elements, for notebooks drop style sheets; colours of text are the notebook's own, so that dark ones stay readable. All
texts are escaped, and characters that hide or turn others are shown by what they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from labrys import text
from labrys.values import scalars
from labrys.visible import visible

if TYPE_CHECKING:
    from labrys.finding import Finding
    from labrys.report import Report

SHOWN = 50
"""How many findings of a report are shown."""

_ALARM, _WARN, _CALM = "#b3261e", "#9a6700", "#57606a"
_COLOURS = {
    **dict.fromkeys(("introduced", "lost", "wrong-algorithm", "unstable", "violated"), _ALARM),
    **dict.fromkeys(("masked", "branch", "inaccurate", "ulps", "unclassified"), _WARN),
}
_CELL = "padding:2px 14px 2px 0;text-align:left;vertical-align:top;border:0"
_MONO = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:0.92em"
_EDGE = "1px solid rgba(128,128,128,.35)"


def finding(of: Finding) -> str:
    """A finding as a card."""
    colour = _COLOURS.get(of.severity, _CALM)
    parts = [f"<div>{_badge(of.severity)} <b>{_shown(of.summary)}</b> {_faint(f'<code>{_shown(of.id)}</code>')}</div>"]
    if str(of.place) or of.function:
        at = " in ".join(part for part in (str(of.place), of.function) if part)
        parts.append(_faint(_shown(at)))
    if (line := of.source_line) is not None:
        parts.append(f'<pre style="{_MONO};margin:6px 0;white-space:pre-wrap">{_source(line, of.place.column)}</pre>')
    named = [one for value in of.inputs for one in scalars(value)]
    shown = [(one.name or "", one.decimal or "", one.hex or "", one.bits or "") for one in named[: text.SHOWN]]
    if shown:
        more = [(f"… {len(named) - len(shown)} more", "", "", "")] if len(named) > len(shown) else []
        parts.append(_table(("witness", "", "", ""), shown + more))
    if of.observations:
        parts.append(_table(("build", "result", "exceptions"), [text.observed(one) for one in of.observations]))
    if told := text.details(of):
        parts.append(_table((), told))
    if of.replay_command:
        parts.append(f'<div style="margin-top:4px">{_faint("replay")} <code>{_shown(of.replay_command)}</code></div>')
    body = "".join(parts)
    return f'<div style="border-left:4px solid {colour};padding:4px 12px;margin:8px 0;text-align:left">{body}</div>'


def findings(of: Iterable[Finding]) -> str:
    """Findings as cards, the first ones open."""
    every = list(of)
    if not every:
        return "<div>no findings</div>"
    cards = [_folded(one, is_open=i < 3) for i, one in enumerate(every[:SHOWN])]
    if len(every) > SHOWN:
        cards.append(f"<div>… and {len(every) - SHOWN} more</div>")
    return "".join(cards)


def report(of: Report) -> str:
    """A report: what was analysed and how it was built, its conclusion, its findings."""
    head = f'<div style="font-size:1.1em"><b>labrys {_shown(of.analysis)}</b> <code>{_shown(text.subject(of))}</code></div>'
    builds = [(one.role, one.compiler, " ".join(one.flags)) for one in of.target.builds]
    notes = "".join(f"<li>{_shown(note)}</li>" for note in of.notes)
    parts = [
        head,
        _table((), builds) if builds else "",
        f'<div style="margin:6px 0">{_shown(text.conclusion(of))}</div>',
        findings(of.findings) if of.findings else "",
        f"<details><summary>{len(of.notes)} notes</summary><ul>{notes}</ul></details>" if notes else "",
    ]
    return f'<div style="border:{_EDGE};border-radius:6px;padding:10px 14px;text-align:left">{"".join(parts)}</div>'


def _folded(of: Finding, *, is_open: bool) -> str:
    state = " open" if is_open else ""
    summary = f"{_badge(of.severity)} {_shown(of.function)} {_faint(_shown(str(of.place)))}"
    return f'<details{state}><summary style="cursor:pointer">{summary}</summary>{finding(of)}</details>'


def _shown(words: str) -> str:
    return escape(visible(words))


def _faint(html: str) -> str:
    return f'<span style="opacity:.7">{html}</span>'


def _badge(severity: str) -> str:
    style = f"background:{_COLOURS.get(severity, _CALM)};color:#fff;border-radius:3px;padding:1px 6px;font-size:.85em"
    return f'<span style="{style}">{_shown(severity)}</span>'


def _source(line: str, column: int | None) -> str:
    """A line of source; the character that the place is about is marked. Columns count bytes."""
    data = line.encode()
    if column is None or not 0 < column <= len(data):
        return _shown(line)
    before = data[: column - 1].decode(errors="replace")
    rest = data[column - 1 :].decode(errors="replace")
    mark = f'<mark style="padding:0">{_shown(rest[:1])}</mark>'
    return f"{_shown(before.expandtabs(4))}{mark}{_shown(rest[1:])}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    cells = "".join(f'<th style="{_CELL};font-weight:normal;opacity:.7">{_shown(cell)}</th>' for cell in head)
    lines = [f"<tr>{cells}</tr>"] if head else []
    for row in rows:
        first, *others = (_shown(cell) for cell in row)
        lines.append(
            f'<tr><td style="{_CELL};opacity:.7;white-space:nowrap">{first}</td>'
            + "".join(f'<td style="{_CELL};{_MONO}">{cell}</td>' for cell in others)
            + "</tr>"
        )
    return f'<table style="border-collapse:collapse;margin:6px 0">{"".join(lines)}</table>'
