"""The options of labrys' commands as keyword arguments.

A key is an option's name with `_` for `-`; `labrys diff --help` says what each does, and its default. A test compares these types with
what the executable offers.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, TypedDict

from labrys.process import StrPath

Number: TypeAlias = int | float
"""A number that stands for an input's value or for a bound of it."""

Several: TypeAlias = str | Sequence[str]
"""One text or several: the option is given once for each."""

Duration: TypeAlias = Number | str
"""Seconds, or as labrys writes them: `"90s"`, `"5m"`, `"1h"`."""


class InputOptions(TypedDict, total=False):
    """What functions are called with."""

    function: str
    """The function to analyse; not needed where the file has only one."""
    build_dir: StrPath
    """The folder that holds `compile_commands.json`: the file's own flags go to every build."""
    link: StrPath | Sequence[StrPath]
    """Sources, objects or libraries that every build is linked with."""
    signature: str
    """The function's prototype, where debug information lacks it."""
    length: Mapping[str, int | str] | Several
    """Elements behind pointer parameters: `{"x": 8}`, `{"x": "n"}`."""
    assume: Several
    """Only inputs for which this holds."""
    range: Mapping[str, tuple[Number, Number]] | Several
    """Only inputs within closed intervals: `{"x": (-1e3, 1e3)}`."""
    inputs: Literal["all", "finite"]
    """Which values inputs take."""


class RunOptions(InputOptions, total=False):
    """What `diff`, `exceptions` and `accuracy` have in common."""

    input: Mapping[str, Number] | Sequence[Mapping[str, Number]] | Several
    """Run these inputs instead of a search: `{"v": 6e-152}`; what is not named is zero."""
    tracing: Literal["auto", "trap", "step", "interpreter"]
    """How the order and place of exceptions are found."""
    seed: int
    """The seed of every random choice."""
    loop_bound: int
    """How often a loop with a symbolic bound is unrolled."""
    max_paths: int
    """How many paths are explored symbolically in each build."""
    call_timeout: Duration
    """A bound on one call of the code under test."""
    second_opinion: str
    """Who is asked again about proofs."""
    dump_queries: StrPath
    """A folder for every solver query as SMT-LIB."""
    output: StrPath
    """A folder for the report in every format and a reproducer for each finding."""
    all: bool
    """Of `diff`: every divergence instead of one for each cause."""
    time: Duration
    """A bound on the whole run; what was found until then is in the report."""
    max_work: int
    """How many inputs are run."""
    entry: Several
    """Functions of a library, by patterns: `"gsl_sf_*"`."""
    init: str
    """A function of a library that is called once, before everything else."""
    function_time: Duration
    """A bound on each function of a library."""
    jobs: int
    """How many functions of a library are worked on at a time."""
    compress: Literal["zstd"]
    """How reports that are written into `output` are compressed."""


class DiffOptions(RunOptions, total=False):
    """Options of `labrys diff`."""

    baseline: str
    """Flags of the baseline; a first word without `-` names the compiler."""
    variant: Several
    """Flags of variants, each compared with the baseline."""
    baseline_lib: StrPath
    """A shared object as the baseline, instead of a source."""
    variant_lib: StrPath | Sequence[StrPath]
    """Shared objects as variants."""
    ulps: int
    """Results of equal class that are at most so far apart do not differ."""
    inexact: bool
    """Watch inexact too."""
    compare: Literal["results", "trace"]
    """What is compared."""
    startup: Literal["loaded", "default", "ftz"]
    """The control registers that the code starts with."""
    compare_random: bool
    """Run a plain sampler beside."""
    no_blame: bool
    """Do not find out which flags and which pass a finding takes."""
    safe_flags: bool | Literal["introduced", "masked", "underflow", "ulps"]
    """Look for the largest parts of the variant's flags under which no divergence this bad is found; `True`: none at all."""
    known: StrPath
    """Findings that are known: they do not count."""
    write_known: StrPath
    """A file for this run's findings as known ones."""


class OneBuildOptions(RunOptions, total=False):
    """What the analyses of one build have in common."""

    build: str
    """Flags of the build; a first word without `-` names the compiler."""
    baseline: StrPath
    """Findings that are known: they do not count."""
    write_baseline: StrPath
    """A file for this run's findings as known ones."""
    libm_ulps: Number | str
    """How far libm's functions may be off."""


class ExceptionsOptions(OneBuildOptions, total=False):
    """Options of `labrys exceptions`."""

    only: Several
    """Which exceptions are looked for."""
    split: int
    """The most pairs of a function that are decided in one analysis."""


class AccuracyOptions(OneBuildOptions, total=False):
    """Options of `labrys accuracy`."""

    metric: Literal["bits", "relative", "absolute"]
    """What errors are measured by."""
    floor: Number
    """The least that relative errors are relative to."""
    grid: Literal["binary16", "binary32"]
    """Which numbers inputs are taken from."""
    reference: Several
    """What results are compared with, instead of the function's own formulas."""
    bound: bool
    """Prove bounds of errors."""
    compare_random: bool
    """Run a plain sampler beside."""
    emit: Literal["fpcore"]
    """What functions compute, as FPCore."""


class ProgramOptions(TypedDict, total=False):
    """What `verify` and `cover` have in common."""

    argument: Several
    """Words of the program's command line."""
    sym_args: tuple[int, int, int]
    """How many further words at least and at most may be any text, and of how many bytes at most."""
    stdin: int
    """How many bytes standard input has at most, which may be any."""
    time: Duration
    """A bound on the whole run."""
    memory: int
    """A bound on memory, in MiB."""
    loop_bound: int
    """How often a loop is followed."""
    max_paths: int
    """How many paths are followed."""
    run_timeout: Duration
    """A bound on one native run."""
    seed: int
    """The seed of every random choice."""
    tests: StrPath
    """A folder for tests."""
    test_format: Literal["ktest", "test-comp", "c", "ctest", "catch2", "rust", "pytest", "fortran"]
    """How tests are written."""
    output: StrPath
    """A folder for the report in every format."""


class VerifyOptions(ProgramOptions, total=False):
    """Options of `labrys verify`."""

    property: Several
    """What is asked about."""
    entry: str
    """The function that the program begins with."""
    length: Mapping[str, int | str] | Several
    """Elements behind pointer parameters of the entry: `{"x": 8}`, `{"x": "n"}`."""
    assume: Several
    """Only inputs of an entry with pointers for which this holds."""
    compiler: str
    """The compiler."""
    input: Mapping[str, bytes] | str
    """Run the program on this alone, bytes as they lie in memory: `{"x": struct.pack("<d", 1.0)}`, `"x=000000000000f03f"`."""
    witness: StrPath
    """A file for a witness."""


class CoverOptions(ProgramOptions, InputOptions, total=False):
    """Options of `labrys cover`."""

    goal: Literal["lines", "branches", "mcdc", "paths", "boundaries"]
    """What is to be covered."""
    boundaries: bool
    """Tests at the boundaries of comparisons."""
    path: str
    """A path to be taken: `"12:T,15:F"`."""
    scope: Literal["function", "file"]
    """Which functions count."""
    ulps: int
    """How far results may be off in tests."""
    all: bool
    """Show everything."""


class SolveOptions(TypedDict, total=False):
    """Options of `labrys solve`."""

    engine: Literal["portfolio", "interval", "bitblast", "local"]
    """Which engine decides."""
    labelling: Literal["conflicts", "largest-domain", "smallest-domain", "most-constrained", "declared"]
    """Which variable the interval engine cuts next."""
    no_ulp_maximum: bool
    """Narrow sums by inverse projections alone."""
    time: Duration
    """A bound on the whole run: what is not decided then is unknown."""
    memory: str
    """A bound on memory: `"512m"`."""
    seed: int
    """The seed of every random choice."""
    reproducible: bool
    """The same model in every run."""
    show_domains: bool
    """Print what propagation alone knows."""
    stats: bool
    """Print what was done to stderr."""
    check_status: bool
    """Compare answers with the script's own."""
    trust: bool
    """Let the script write any file."""
    certify: bool
    """Answer unsat only where it is certified."""
    proof_limit: str
    """A bound on a proof's size."""
    proof: StrPath
    """A folder for clauses and proofs."""
    dump_queries: StrPath
    """A folder for queries."""


_LISTS = {"property", "only"}
"""Options that take several words with commas between them."""

_TOGETHER = {"sym_args"}
"""Options that take several words behind each other."""

_AT_EQUALS = {"safe_flags"}
"""Options whose word, if there is one, stands behind an equals sign."""

_DURATIONS = {"time", "function_time", "call_timeout", "run_timeout"}
"""Options whose numbers are seconds."""


def arguments(options: Mapping[str, object]) -> list[str]:
    """Options as words of a command; those that are `None` or `False` are left out."""
    words: list[str] = []
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
            continue
        if name in _TOGETHER and isinstance(value, Sequence):
            words += [option, *(str(of) for of in value)]
            continue
        for text in _texts(name, value):
            # What begins with a dash would be taken for another option.
            is_one_word = text.startswith("-") or name in _AT_EQUALS
            words += [f"{option}={text}"] if is_one_word else [option, text]
    return words


def _texts(name: str, value: object) -> list[str]:
    """The values of an option that may be given several times."""
    if isinstance(value, Mapping):
        if name == "input":
            return [_assignments(value)]
        return [f"{key}={_interval(of) if name == 'range' else of}" for key, of in value.items()]
    if isinstance(value, Sequence) and not isinstance(value, str):
        texts = [_assignments(of) if isinstance(of, Mapping) else os.fspath(of) for of in value]
        return [",".join(texts)] if name in _LISTS and texts else texts
    if isinstance(value, int | float):
        return [_duration(value) if name in _DURATIONS else _number(value)]
    if isinstance(value, str | os.PathLike):
        return [os.fspath(value)]
    raise TypeError(f"{name} is a {type(value).__name__}")


def _number(value: Number) -> str:
    """A number that reads back as itself."""
    return repr(value)


def _duration(seconds: Number) -> str:
    if not math.isfinite(seconds):
        raise ValueError(f"a duration is a number of seconds, not {seconds}")
    return f"{seconds}s" if isinstance(seconds, int) else f"{round(seconds * 1000)}ms"


def _interval(of: object) -> str:
    if isinstance(of, str):
        return of
    if isinstance(of, tuple) and len(of) == 2:
        return f"{_number(of[0])}..{_number(of[1])}"
    raise TypeError(f"a range is a pair of numbers, not {of!r}")


def _assignments(of: Mapping[str, Number | bytes]) -> str:
    return ",".join(
        f"{name}={value.hex() if isinstance(value, bytes) else _number(value)}" for name, value in of.items()
    )
