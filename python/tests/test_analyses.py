"""The functions run labrys, and what goes wrong is an exception with labrys' own words."""

from __future__ import annotations

import dataclasses
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

import labrys
from labrys import analyses, binary, options, process


def test_reports_come_with_their_exit_code(reports: Mapping[str, labrys.Report]) -> None:
    codes = {name: of.exit_code for name, of in reports.items()}
    assert codes == {
        "diff": 1, "versions": 1, "clean": 0, "exceptions": 1, "accuracy": 1, "bounds": 0, "verify": 1, "cover": 0,
    }  # fmt: skip
    for name, of in reports.items():
        assert (of.exit_code == 1) == bool(of.new_findings), name


def test_findings_are_those_that_the_readme_shows(reports: Mapping[str, labrys.Report]) -> None:
    diff = reports["diff"].findings[0]
    assert (diff.id, diff.severity, diff.witness) == ("468dd3ebf69b", "introduced", {"v": 5e-152})
    variant = diff.observation("variant")
    assert variant is not None
    assert variant.flags == ("overflow",)
    lost = reports["exceptions"].findings[0]
    assert (lost.severity, lost.exception and lost.exception.exception) == ("lost", "overflow")
    assert reports["accuracy"].findings[0].severity == "unstable"
    assert reports["bounds"].bounds[0].absolute is not None
    assert reports["verify"].verdict == "violated"
    assert reports["verify"].findings[0].witness == {"x": 7}
    coverage = reports["cover"].coverage
    assert coverage is not None
    assert coverage.tests


def test_the_witness_of_accuracy_is_as_wrong_as_it_says(reports: Mapping[str, labrys.Report]) -> None:
    """p - sqrt(p² - q) by Python's own doubles, which are the machine's, and by integers."""
    finding = reports["accuracy"].findings[0]
    p, q = finding.witness["p"], finding.witness["q"]
    assert isinstance(p, float)
    assert isinstance(q, float)
    result = p - (p * p - q) ** 0.5
    assert finding.accuracy is not None
    assert float(finding.accuracy.result) == result
    truth = q / (p + (p * p - q) ** 0.5)
    assert abs(float(finding.accuracy.truth) - truth) <= 1e-14 * truth
    assert finding.accuracy.error.bits is not None
    assert finding.accuracy.error.bits > 10


def test_replay_says_whether_a_finding_still_holds(examples: Path, tmp_path: Path) -> None:
    source = tmp_path / "f.c"
    source.write_text((examples / "examples/recipes/midpoint.c").read_text())
    # Run from its folder, read from elsewhere: the command is run where labrys ran.
    ran = labrys.diff("f.c", cwd=tmp_path, inputs="finite", max_work=20_000, no_blame=True, output="out").findings[0]
    read = labrys.read(tmp_path / "out", folder=tmp_path).findings[0]
    assert ran.replay().holds
    assert read.replay().holds
    source.write_text("double midpoint(double a, double b) { return a; }\n")
    assert not ran.replay().holds
    again = read.replay()
    assert not again.holds
    assert "no longer" in again.output


def test_a_command_that_is_not_labrys_is_not_run(reports: Mapping[str, labrys.Report], tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    for command in (f"touch {marker}", f"labrys; touch {marker}", f"labrys solve {marker}", "labrys", None):
        finding = dataclasses.replace(reports["diff"].findings[0], command=command)
        with pytest.raises(labrys.LabrysError):
            finding.replay()
    assert not marker.exists()
    stranger = dataclasses.replace(reports["diff"].findings[0], origin=None)
    with pytest.raises(labrys.LabrysError, match="of no report"):
        stranger.replay()


@pytest.mark.parametrize(
    ("file", "arguments", "message"),
    [
        ("missing.c", {}, "missing.c"),
        ("examples/average.c", {"function": "nothing"}, "there is no function nothing"),
        ("examples/average.c", {"function": "average", "range": {"z": (0, 1)}}, "z"),
    ],
)
def test_errors_are_labrys_own_line(examples: Path, file: str, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(labrys.LabrysError, match=message) as caught:
        analyses.analyse("diff", [file], arguments, cwd=examples)
    assert caught.value.returncode == 2
    assert "\n" not in caught.value.message
    assert not caught.value.message.startswith("labrys:")
    assert caught.value.command[1] == "diff"


def test_what_a_compiler_says_is_in_the_error(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text("double f(double x) { return y; }\n")
    with pytest.raises(labrys.LabrysError, match="undeclared"):
        labrys.diff("f.c", cwd=tmp_path)


def test_options_that_an_analysis_does_not_have_are_refused() -> None:
    with pytest.raises(TypeError, match="labrys exceptions has no option variant"):
        analyses.analyse("exceptions", ["f.c"], {"variant": "-O2"})


def running(folder: Path) -> list[str]:
    """Command lines of processes that run in a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and Path(os.readlink(entry / "cwd")) == folder:
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found


def test_a_time_out_ends_labrys_and_what_it_started(examples: Path, tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text((examples / "examples/turbine1.c").read_text())
    before = time.monotonic()
    with pytest.raises(labrys.LabrysTimeoutError, match=r"labrys diff was still running after 1\.5 s") as caught:
        labrys.diff("f.c", cwd=tmp_path, time="10m", max_work=10**9, timeout=1.5)
    assert isinstance(caught.value, TimeoutError)
    assert time.monotonic() - before < 30
    limit = time.monotonic() + 10
    while (left := running(tmp_path)) and time.monotonic() < limit:
        time.sleep(0.1)
    assert not left


INTERRUPTED = """
import signal, sys, labrys
# Where a test runs in the background it is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
print("ready", flush=True)
try:
    labrys.diff("f.c", time="10m", max_work=10**9, inputs="finite")
except labrys.LabrysInterruptedError as error:
    assert isinstance(error, KeyboardInterrupt)
    report = error.report
    print("report", report.status, report.counts.inputs_tested > 0)
"""


def test_an_interrupt_comes_with_what_was_found(examples: Path, tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text((examples / "examples/turbine1.c").read_text())
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(6)
        child.send_signal(signal.SIGINT)
        stdout, stderr = child.communicate(timeout=60)
    assert stdout == "report limit True\n", stderr
    assert not running(tmp_path)


def test_the_executable_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LABRYS_BIN", str(tmp_path / "nothing"))
    with pytest.raises(labrys.LabrysNotFoundError, match="which is no executable file"):
        labrys.diff("f.c")
    fake = tmp_path / "labrys"
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    monkeypatch.setenv("LABRYS_BIN", str(fake))
    assert labrys.find_binary() == str(fake)
    monkeypatch.delenv("LABRYS_BIN")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert labrys.find_binary() == str(fake)
    # Not in PATH: the checkout's. In the current folder nothing is looked for.
    monkeypatch.setenv("PATH", "/nowhere")
    checkout = tmp_path / "checkout"
    built = checkout / "target/release/labrys"
    built.parent.mkdir(parents=True)
    built.write_text("#!/bin/sh\n")
    built.chmod(0o755)
    monkeypatch.setattr(binary, "_checkouts", lambda: iter([checkout]))
    assert labrys.find_binary() == str(built)
    monkeypatch.setattr(binary, "_checkouts", lambda: iter([]))
    monkeypatch.chdir(checkout)
    with pytest.raises(labrys.LabrysNotFoundError, match="no labrys in PATH"):
        labrys.find_binary()


def test_a_labrys_that_dies_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "labrys"
    fake.write_text("#!/bin/sh\nkill -SEGV $$\n")
    fake.chmod(0o755)
    monkeypatch.setenv("LABRYS_BIN", str(fake))
    with pytest.raises(labrys.LabrysError, match="signal 11") as caught:
        labrys.diff("f.c")
    assert caught.value.returncode == -signal.SIGSEGV
    fake.write_text("#!/bin/sh\necho '{}'\n")
    with pytest.raises(labrys.NotAReportError):
        labrys.diff("f.c")


LEFT_OUT = {"format", "help", "print_include_dir", "replay", "version", "shard", "gather", "products", "balance"}
"""Options that make labrys print something other than a report: parts of a run have none."""


@pytest.mark.parametrize("command", [*analyses.ANALYSES, "solve"])
def test_every_option_of_the_executable_is_an_argument(command: str) -> None:
    text = process.run([command, "--help"]).stdout
    offered = {name.replace("-", "_") for name in re.findall(r"^ +(?:-\w, )?--([a-z-]+)", text, re.M)} - LEFT_OUT
    typed = analyses.ANALYSES.get(command, options.SolveOptions).__annotations__
    shared = {"all"} if command == "diff" else set()
    assert set(typed) | shared == offered | shared


def test_options_become_words() -> None:
    given: dict[str, object] = {
        "function": "f", "variant": ["-O2", "gcc -O3"], "range": {"x": (-1e3, 2.5)}, "length": {"p": "n"}, "time": 90,
        "call_timeout": 0.25, "all": True, "inexact": False, "signature": None, "build_dir": Path("b"), "max_work": 10,
        "sym_args": (0, 2, 8), "input": [{"v": 6e-152, "w": float("inf")}, {"v": -0.0}], "only": ["overflow", "invalid"],
        "safe_flags": "masked",
    }  # fmt: skip
    assert options.arguments(given) == [
        "--function", "f", "--variant=-O2", "--variant", "gcc -O3", "--range", "x=-1000.0..2.5", "--length", "p=n", "--time",
        "90s", "--call-timeout", "250ms", "--all", "--build-dir", "b", "--max-work", "10", "--sym-args", "0", "2", "8", "--input",
        "v=6e-152,w=inf", "--input", "v=-0.0", "--only", "overflow,invalid", "--safe-flags=masked",
    ]  # fmt: skip
    with pytest.raises(TypeError):
        options.arguments({"range": {"x": [1, 2, 3]}})
    assert options.arguments({"input": {"x": b"\0\xf0\x7f"}}) == ["--input", "x=00f07f"]
    with pytest.raises(ValueError, match="a number of seconds, not nan"):
        options.arguments({"time": float("nan")})


def test_a_file_whose_name_begins_with_a_dash(examples: Path, tmp_path: Path) -> None:
    (tmp_path / "-O3.c").write_text((examples / "examples/recipes/midpoint.c").read_text())
    report = labrys.diff("-O3.c", cwd=tmp_path, input={"a": 1.0, "b": 3.0}, no_blame=True)
    assert (report.exit_code, report.counts.inputs_tested) == (0, 1)
