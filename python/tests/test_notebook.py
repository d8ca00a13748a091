"""A notebook that uses the package, executed, shows findings as HTML."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient


def test_a_notebook_shows_findings(examples: Path) -> None:
    cells = [
        "import labrys",
        'report = labrys.exceptions("examples/average.c", function="average1", inputs="finite", time="10m")',
        "report",
        "report.findings[0]",
        "report.findings.to_dataframe()",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])  # type: ignore[no-untyped-call]
    client = NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(examples)}}
    )
    client.execute()
    shown = [cell.outputs[0].data for cell in notebook.cells[2:]]
    assert "lost" in shown[0]["text/html"]
    assert "labrys exceptions" in shown[0]["text/html"]
    assert "93566f4db0d5" in shown[1]["text/html"]
    # Where no HTML is shown there are words.
    assert "93566f4db0d5" in shown[1]["text/plain"]
    assert "<table" in shown[2]["text/html"]
