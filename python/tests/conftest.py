"""What the tests share: the repository, a copy of its examples, and a report of each analysis, made once."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import labrys
from labrys import analyses
from labrys.finding import Origin

pytest_plugins = ["pytester"]

REPOSITORY = Path(__file__).resolve().parents[2]

PROGRAM = """\
#include <assert.h>
#include <klee/klee.h>
int main(void) {
    int x;
    klee_make_symbolic(&x, sizeof x, "x");
    assert(x != 7);
    return 0;
}
"""


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture(scope="session")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the repository's examples are `examples`, and a program with an assertion that fails."""
    folder = tmp_path_factory.mktemp("work")
    shutil.copytree(REPOSITORY / "examples", folder / "examples")
    (folder / "program.c").write_text(PROGRAM)
    return folder


@dataclass(frozen=True)
class Made:
    """Reports by name, and what labrys printed for each."""

    reports: Mapping[str, labrys.Report]
    documents: Mapping[str, Any]


@pytest.fixture(scope="session")
def made(examples: Path) -> Made:
    """A report of each analysis, and of runs in which further members appear. All have findings but `cover` and `clean`."""
    work = examples / "examples"
    old, new = work / "recipes/midpoint_old.c", work / "recipes/midpoint.c"
    printed: list[str] = []

    def recording(document: str, origin: Origin | None = None, exit_code: int | None = None) -> labrys.Report:
        printed.append(document)
        return labrys.parse(document, origin, exit_code)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analyses, "parse", recording)
        reports = {
            "diff": labrys.diff(
                "examples/carbongas.c", cwd=examples, max_work=20_000, compare_random=True, output="out", time="10m"
            ),
            "versions": labrys.diff(old, new, max_work=3000, no_blame=True, time="10m"),
            "clean": labrys.diff(
                new, inputs="finite", range={"a": (1.0, 2.0), "b": (1.0, 2.0)}, ulps=100, max_work=2000, time="10m"
            ),
            "exceptions": labrys.exceptions(
                "examples/average.c", cwd=examples, function="average1", inputs="finite", time="10m"
            ),
            "accuracy": labrys.accuracy(
                work / "accuracy/textbook.c",
                function="root_naive",
                range={"p": (1, 1e8), "q": (1e-8, 1)},
                max_work=4000,
            ),
            "bounds": labrys.accuracy(
                work / "bounds/sine.c", range={"x": (-1.5, 1.5)}, bound=True, max_work=2000, time="1m"
            ),
            "verify": labrys.verify("program.c", cwd=examples, time="10m"),
            "cover": labrys.cover(work / "cover/roots.c", time="10m"),
        }
    return Made(reports, dict(zip(reports, map(json.loads, printed), strict=True)))


LIBRARY = """\
static double quotient(double x, double y) { return x / y; }
double mean(double x, double y) { return quotient(x + y, 2); }
double slope(double x, double y) { return x > 1 ? quotient(y, x - 2) : 0; }
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run over a library."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "library.c").write_text(LIBRARY)
    entry = {"directory": str(folder), "file": "library.c", "arguments": ["clang-22", "-c", "library.c"]}
    (folder / "compile_commands.json").write_text(json.dumps([entry]))
    words = ["exceptions", "-p", ".", "--max-work", "600", "--function-time", "10m", "-o", "out"]
    done = subprocess.run([labrys.find_binary(), *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    return folder / "out"


@pytest.fixture(scope="session")
def reports(made: Made) -> Mapping[str, labrys.Report]:
    return made.reports


@pytest.fixture(scope="session")
def documents(made: Made) -> Mapping[str, Any]:
    return made.documents
