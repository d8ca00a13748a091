"""What the package's README shows is so."""

from __future__ import annotations

import re
from pathlib import Path

import labrys
from labrys import analyses
from labrys.pytest_plugin import read_settings


def blocks(repository: Path, language: str) -> list[str]:
    text = (repository / "python/README.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


def test_checks_are_read(repository: Path, tmp_path: Path) -> None:
    [checks] = blocks(repository, "toml")
    settings = tmp_path / "pyproject.toml"
    settings.write_text(checks)
    names = [of.name for of in read_settings(settings)]
    assert names == ["diff src/kernel.c step", "exceptions src/mean.c mean", "library"]
    assert read_settings(settings)[1].options["range"] == {"x": (-1e3, 1e3)}


def test_constraints_are_solved(repository: Path) -> None:
    [block] = [of for of in blocks(repository, "python") if "labrys.solve" in of]
    found: dict[str, object] = {"labrys": labrys}
    exec(block, found)
    solution = found["solution"]
    assert isinstance(solution, labrys.Solution)
    assert solution.word == "sat"
    x = solution.values["x"]
    assert isinstance(x, float)
    assert x < x**0.5


def test_analyses_are_called_with_options_that_they_have(repository: Path) -> None:
    calls = [call for of in blocks(repository, "python") for call in re.findall(r"labrys\.(\w+)\(\"[^\"]*\"(.*)\)", of)]
    assert {name for name, _ in calls} >= set(analyses.ANALYSES)
    for name, arguments in calls:
        if name in analyses.ANALYSES:
            given = set(re.findall(r"(\w+)=", arguments))
            assert given <= set(analyses.ANALYSES[name].__annotations__), name
