"""`pytest --labrys`: checks of pyproject.toml as tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SOURCE = """\
double midpoint(double a, double b) {
    return a / 2 + b / 2;
}
double half(double a) {
    return a / 2;
}
"""

CHECKS = """\
[tool.labrys]
checks = [
    { analysis = "diff", file = "src/mid.c", function = "midpoint", inputs = "finite", max-work = 20000, no-blame = true },
    { analysis = "exceptions", file = "src/mid.c", function = "half", inputs = "finite", only = "overflow", time = "5m" },
]
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    (pytester.path / "src").mkdir()
    (pytester.path / "src/mid.c").write_text(SOURCE)
    (pytester.path / "pyproject.toml").write_text(CHECKS)
    pytester.makepyfile(test_plain="def test_plain():\n    assert True\n")
    return pytester


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return project.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


def test_without_the_option_nothing_is_run(project: pytest.Pytester) -> None:
    run(project).assert_outcomes(passed=1)


def test_each_check_is_a_test_with_a_readable_failure(project: pytest.Pytester) -> None:
    result = run(project, "--labrys")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*introduced[[]*]: variant raises overflow where baseline is clean*",
            "* --> src/mid.c:2:18 in midpoint",
            "*return a / 2 + b / 2;",
            "*a = *0x1.*",
            "*variant *inf *overflow*",
            "*replay: labrys diff *src/mid.c *--input=*",
            "FAILED pyproject.toml::diff src/mid.c midpoint*",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert "pytest_plugin.py" not in result.stdout.str()


def test_checks_are_selected(project: pytest.Pytester) -> None:
    run(project, "--labrys", "-k", "half").assert_outcomes(passed=1, deselected=2)
    run(project, "--labrys", "-m", "labrys and not slow", "-k", "half").assert_outcomes(passed=1, deselected=2)
    run(project, "--labrys", "pyproject.toml::exceptions src/mid.c half").assert_outcomes(passed=1)
    # Tests that are named do not keep the checks away.
    run(project, "--labrys", "test_plain.py", "--deselect", "pyproject.toml::diff src/mid.c midpoint").assert_outcomes(
        passed=2, deselected=1
    )


def test_reports_have_the_checks(project: pytest.Pytester) -> None:
    run(project, "--labrys", "--junit-xml=junit.xml", "-k", "midpoint")
    text = (project.path / "junit.xml").read_text()
    assert 'name="diff src/mid.c midpoint"' in text
    assert "variant raises overflow" in text


def test_known_findings_pass(project: pytest.Pytester) -> None:
    known = {"schema": "labrys-baseline/1", "known": []}
    (project.path / "known.json").write_text(json.dumps(known))
    settings = CHECKS.replace("no-blame = true", 'no-blame = true, write-known = "known.json"')
    (project.path / "pyproject.toml").write_text(settings)
    run(project, "--labrys", "-k", "midpoint").assert_outcomes(failed=1, deselected=2)
    (project.path / "pyproject.toml").write_text(settings.replace("write-known", "known"))
    run(project, "--labrys", "-k", "midpoint").assert_outcomes(passed=1, deselected=2)


def test_what_labrys_cannot_do_is_said_in_its_words(project: pytest.Pytester) -> None:
    checks = '[tool.labrys]\nchecks = [{ analysis = "diff", file = "src/mid.c", function = "nothing", name = "n" }]\n'
    (project.path / "pyproject.toml").write_text(checks)
    result = run(project, "--labrys")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*labrys could not run the check: *there is no function nothing*"])


@pytest.mark.parametrize(("incomplete", "outcome"), [("fail", "failed"), ("pass", "passed"), ("skip", "skipped")])
def test_work_that_was_cut_short(project: pytest.Pytester, incomplete: str, outcome: str) -> None:
    check = (
        f'{{ analysis = "diff", file = "src/mid.c", function = "half", time = "2s", max-work = 1000000000, '
        f'incomplete = "{incomplete}", variant = "-O1", name = "short" }}'
    )
    (project.path / "pyproject.toml").write_text(f"[tool.labrys]\nchecks = [{check}]\n")
    result = run(project, "--labrys", "-k", "short", "-rs")
    result.assert_outcomes(**{outcome: 1}, deselected=1)
    if outcome == "failed":
        result.stdout.fnmatch_lines(["*nothing found, but the work was not done*"])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "has no list `checks`"),
        ("[tool.labrys]\nchecks = 3\n", "has no list `checks`"),
        ('[tool.labrys]\nchecks = [{ file = "a.c" }]\n', "`analysis` is one of diff, exceptions"),
        ('[tool.labrys]\nchecks = [{ analysis = "diff", file = "a.c", varaint = "-O3" }]\n', "no option 'varaint'"),
        ('[tool.labrys]\nchecks = [{ analysis = "diff", file = 3 }]\n', "is a text or a list of texts"),
        ('[tool.labrys]\nchecks = [{ analysis = "diff", timeout = "3s" }]\n', "`timeout` is a number of seconds"),
        (
            '[tool.labrys]\nchecks = [{ analysis = "diff", incomplete = "x" }]\n',
            "`incomplete` is one of fail, pass, skip",
        ),
        ('[tool.labrys]\nchecks = [{ analysis = "diff" }, { analysis = "diff" }]\n', "two checks are named 'diff'"),
        ("[tool.labrys\n", "pyproject.toml"),
    ],
)
def test_settings_that_are_none_are_errors(project: pytest.Pytester, table: str, message: str) -> None:
    (project.path / "pyproject.toml").write_text(table)
    result = run(project, "--labrys", "--rootdir", str(project.path))
    assert result.ret in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERRUPTED)
    assert message in result.stdout.str() + result.stderr.str()


def test_a_project_without_settings(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_plain="def test_plain():\n    assert True\n")
    (pytester.path / "tox.ini").write_text("[pytest]\n")
    result = run(pytester, "--labrys")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "there is no" in result.stderr.str() + result.stdout.str()
    assert Path(pytester.path).is_dir()
