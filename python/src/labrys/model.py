"""What a report says: a class for each type of the JSON Schema of `labrys-report/2`.

Written by scripts/schema/python_types.py from crates/report/schema/labrys-report-2.schema.json; not to be edited.
What people do with reports and findings is in `labrys.report` and `labrys.finding`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Analysis: TypeAlias = Literal["diff", "exceptions", "accuracy", "verify", "cover"]
"""The analysis that a report is of: its severities and its renderings."""

Status: TypeAlias = Literal["complete", "limit", "failed"]
"""Whether the planned work was done."""

Startup: TypeAlias = Literal["default", "ftz"]
"""The control register that a build starts with."""

ProgramVerdict: TypeAlias = Literal["violated", "holds", "holds-within-bounds", "unknown"]
"""What is known of a program."""

Criterion: TypeAlias = Literal["lines", "branches", "mcdc", "paths", "boundaries"]
"""What is to be covered."""

Severity: TypeAlias = Literal[
    "introduced",
    "masked",
    "underflow",
    "ulps",
    "trace",
    "lost",
    "wrong-algorithm",
    "unstable",
    "branch",
    "inaccurate",
    "unclassified",
    "ill-conditioned",
    "honest",
    "harmless",
    "benign",
    "violated",
]
"""How bad a finding is; for each analysis the order is worst first. The first five are divergences; the others are what
an exception does to the result, or what an error comes from.
"""

SetVerdict: TypeAlias = Literal["none-found", "cut-short"]
"""What the search says of a set. There is no proof among it: what the solver proves is of exceptions, not of results.
"""

ViolationClass: TypeAlias = Literal[
    "assertion",
    "out-of-bounds",
    "read-only",
    "use-after-free",
    "use-after-return",
    "double-free",
    "invalid-free",
    "null",
    "overlap",
    "uninitialised",
    "division-by-zero",
    "overflow",
    "shift",
    "abort",
    "unreachable",
    "leak",
]
"""What goes wrong in a program."""

FoundBy: TypeAlias = Literal[
    "solver",
    "cancellation",
    "amplification",
    "neighbourhood",
    "guided",
    "random",
    "enumeration",
    "given",
]
"""Who found the first input of a finding."""

ExceptionName: TypeAlias = Literal["divbyzero", "invalid", "overflow", "underflow", "inexact"]
"""An exception of IEEE 754."""

OutcomeKind: TypeAlias = Literal["returned", "signal", "timeout", "exit", "panic"]
"""How a call ended."""

CauseKind: TypeAlias = Literal["operation", "branch", "exception", "code generation", "flushing", "licence"]
"""What a cause is."""

Change: TypeAlias = Literal["exceptions", "outcome", "nan", "infinity", "sign", "number", "integer"]
"""How an output differs between two builds."""

CurvePoint: TypeAlias = tuple[float, float | None]
"""A point of a curve: the input's value to a double's digits, and the error in bits, to two digits behind the point;
absent where there is no number to compare.
"""


@dataclass(frozen=True, kw_only=True)
class Target:
    """What was analysed."""

    file: str
    """The file, as the user named it."""

    function: str
    """The function, as users know it."""

    line: int | None = None
    """The line of the file that the function begins in, where it is known."""

    parameters: tuple[ParameterInfo, ...]
    """Its parameters in call order."""

    builds: tuple[BuildInfo, ...]
    """Every build."""


@dataclass(frozen=True, kw_only=True)
class ParameterInfo:
    """A parameter of the function under test."""

    name: str
    """Its name."""

    type: str
    """Its type, in C's words: `double`, `const double[8]`, `complex_t *`."""


@dataclass(frozen=True, kw_only=True)
class BuildInfo:
    """One build."""

    role: str
    """`baseline`, `variant`, `variant2`, ..., `control`; unique."""

    source: str
    """The source, IR file or shared object, as the user named it."""

    compiler: str
    """Name and version: "clang 22.1.8"; empty for shared objects that were given."""

    flags: tuple[str, ...]
    """The user's words, enough for `COMPILER -shared -fPIC FLAGS -o SO SOURCE -lm`."""

    startup: Startup
    """The control register it starts with."""

    executable: str | None = None
    """The compiler's executable: `clang-22`, `gcc`; absent for shared objects that were given."""

    link: tuple[str, ...] = ()
    """Objects and libraries it is linked with."""


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Counts of a run. The first nine are always written; of the others, zeros are left out."""

    conditions: int
    """Distinct conditions (site and exception) of both programs."""

    conditions_baseline: int
    """Those of the baseline."""

    conditions_variant: int
    """Those of the first variant."""

    sat: int
    """Conditions with a candidate over the reals, or that a known input satisfies."""

    unsat: int
    """Conditions with no candidate over the reals: not a proof about floats."""

    unknown: int
    """Conditions left open."""

    unique_inputs: int
    """Distinct inputs from the solver."""

    diverging_inputs: int
    """Distinct inputs on which some variant differs from the baseline."""

    inputs_tested: int
    """Inputs run on all builds: the work done."""

    sat_known: int = 0
    """Of `sat`, those that an input already known satisfied, so that no solver was asked."""

    sat_clean: int = 0
    """Of `sat`, those with a model over the reals that raises nothing before it comes to the operation."""

    solved_by_method: int = 0
    """Of `unknown`, those that z3 left open and concretising and root isolation then solved (Barr, Vo, Le, Su, POPL
    2013, sections 3.4 to 3.6).
    """

    solved_univariate: int = 0
    """Of these, those whose constraints have one variable each as given."""

    solved_concretised: int = 0
    """Of these, those in which variables were bound until that was so."""

    solved_sampled: int = 0
    """Of these, those in which functions hang on the last variable, whose line was sampled."""

    moved_by_method: int = 0
    """Of `sat`, models that the same method moved to floats at which functions have their own values."""

    differential: int = 0
    """Differential conditions ("this site of the variant raises e, no site of the baseline does", and the reverse)."""

    differential_sat: int = 0
    """Differential conditions with a candidate."""

    differential_unsat: int = 0
    """Differential conditions without a candidate over the reals."""

    differential_unknown: int = 0
    """Differential conditions left open."""

    exact: int = 0
    """Differences asked over the floats: "one build raises e, the other does not"."""

    exact_sat: int = 0
    """Of these, with an input over the IR."""

    exact_unsat: int = 0
    """Of these, proved to have none over the IR."""

    solver_inputs_diverging: int = 0
    """Solver inputs that diverge themselves."""

    solver_neighbourhoods_diverging: int = 0
    """Solver inputs with a diverging input in their neighbourhood."""

    solver_diverging_inputs: int = 0
    """Distinct diverging inputs among solver inputs and their neighbourhoods."""

    random_inputs_tested: int | None = None
    """Inputs run by the plain sampler of `--compare-random`; present where it ran, as are the next two."""

    random_divergences: int | None = None
    """Distinct divergences that the plain sampler saw."""

    random_diverging_inputs: int | None = None
    """Distinct diverging inputs that the plain sampler drew."""


@dataclass(frozen=True, kw_only=True)
class SourcePlace:
    """A place of the source, as far as debug information knows it. In reports its parts stand among those of what is
    there.
    """

    file: str | None = None
    """The file, as the build's debug information names it, relative where it can be."""

    line: int | None = None
    """The line, from 1."""

    column: int | None = None
    """The column, from 1, in bytes."""


@dataclass(frozen=True, kw_only=True)
class PathNumbers:
    """How many paths of a program ended how."""

    completed: int
    """Those that came to the program's end."""

    violated: int
    """Those that ended where something goes wrong."""

    given_up: int
    """Those that were given up."""

    waiting: int
    """Those that were still waiting at the run's end."""


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """What the tests of a program cover."""

    criterion: Criterion
    """What was to be covered."""

    totals: tuple[GoalCounts, ...]
    """Lines and branches, and what else was asked for."""

    goals: tuple[CoverageGoal, ...]
    """Of the criterion: everything that was to be covered, in the order of the source."""

    tests: tuple[TestRecord, ...]
    """The tests, those that cover most first."""

    assumptions: tuple[str, ...]
    """What `infeasible` takes for granted."""

    reasons: tuple[str, ...]
    """Why something is unknown, each reason once."""

    contradicted: tuple[str, ...] = ()
    """Where a native run did what was proved to be impossible."""

    paths: PathNumbers
    """How many paths ended how."""

    instructions: int
    """Instructions executed symbolically."""

    files: tuple[FileCounts, ...]
    """How often lines were executed."""


@dataclass(frozen=True, kw_only=True)
class GoalCounts:
    """How many goals of a criterion came to what."""

    criterion: Criterion
    """The criterion."""

    total: int
    """All of them."""

    covered: int
    """Covered by native runs."""

    infeasible: int
    """Proved to be covered by no input."""


@dataclass(frozen=True, kw_only=True)
class CoverageGoal:
    """Something to be covered."""

    criterion: Criterion
    """Which criterion asks for it."""

    function: str
    """The function."""

    file: str | None = None
    """The file, as the build's debug information names it, relative where it can be."""

    line: int | None = None
    """The line, from 1."""

    column: int | None = None
    """The column, from 1, in bytes."""

    outcome: str = ""
    """What of it: `true` and `false` of a condition, `case` of a switch, `condition 2 of 3` of a decision; of a
    comparison's left operand `equal`, `just below`, `just above`; empty for lines.
    """

    why: str | None = None
    """Why."""

    status: Literal["covered", "infeasible", "unknown"]
    """What is known of something to be covered."""


@dataclass(frozen=True, kw_only=True)
class TestRecord:
    """A test."""

    name: str
    """Its name, which its file has, too."""

    inputs: tuple[Value, ...]
    """Its inputs."""

    ending: str
    """How the native run ended, in words."""

    outputs: tuple[Value, ...] = ()
    """What it computed."""


@dataclass(frozen=True, kw_only=True)
class Value:
    """An input, a result or an output: a scalar in three notations, or an aggregate with elements."""

    name: str | None = None
    """How a user writes it: `v`, `x[3]`, `p.re`; absent for results."""

    variable: str | None = None
    """The variable of the source that gets it, where `name` is the function that returns it: `x`."""

    type: str
    """Its type in C's words: `double`, `double[8]`, `struct complex`."""

    decimal: str | None = None
    """The shortest decimal that reads back as this value; `inf`, `-inf`, `nan`; of an aggregate `[1, 2.5]`."""

    hex: str | None = None
    """The same in hexadecimal: C's `%a` for floats."""

    bits: str | None = None
    """The encoding, all digits: `0x3ff0000000000000`."""

    elements: tuple[Value, ...] | None = None
    """The elements of an array, the members of a struct."""


@dataclass(frozen=True, kw_only=True)
class FileCounts:
    """A source file with the counts of its lines."""

    file: str
    """The file."""

    lines: tuple[LineCount, ...]
    """Its lines that have code, in order."""


@dataclass(frozen=True, kw_only=True)
class LineCount:
    """How often a line was executed by all tests together."""

    line: int
    """The line, from 1."""

    count: int
    """How often."""


@dataclass(frozen=True, kw_only=True)
class SafeFlags:
    """What `diff --safe-flags` came to."""

    severity: Severity
    """Divergences of this severity or a worse one are what none was found of."""

    sets: tuple[SafeSet, ...]
    """The sets, the largest first."""

    spoilt: tuple[tuple[str, ...], ...]
    """Sets of flags that show a divergence, and do not without any one of them."""

    builds: int
    """How many builds ran known witnesses."""

    notes: tuple[str, ...] = ()
    """Remarks on how flags are tried."""

    unfinished: str | None = None
    """Why there may be further sets."""


@dataclass(frozen=True, kw_only=True)
class SafeSet:
    """A set of flags under which nothing was found."""

    flags: tuple[str, ...]
    """The flags, as a compiler takes them."""

    left_out: tuple[str, ...]
    """The parts of the variant's flags that are not among them."""

    verdict: SetVerdict
    """What is known."""

    inputs: int
    """How many inputs the search ran."""

    proofs: tuple[str, ...] = ()
    """What the solver over the floats proved of the IR of its build, a sentence each."""

    cmake: str = ""
    """A line for a CMakeLists.txt; CMake compiles no Rust."""

    cargo: str
    """A line for a build.rs, or of Rust for a .cargo/config.toml."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What an analysis found, with a witness and what was observed on it."""

    id: str
    """Stable over runs of the same program and builds; see `stable_id`. A file name."""

    severity: Severity
    """How bad it is."""

    kind: ViolationClass | None = None
    """What goes wrong."""

    file: str | None = None
    """The file, as the build's debug information names it, relative where it can be."""

    line: int | None = None
    """The line, from 1."""

    column: int | None = None
    """The column, from 1, in bytes."""

    stack: tuple[StackEntry, ...] | None = None
    """The call stack, the innermost activation first."""

    decisions: tuple[PathStep, ...] = ()
    """The decisions that lead there, as far as inputs make them, in their order; those of branches that only choose
    values are not among them. The first and the last, where they are many.
    """

    decisions_left_out: int = 0
    """How many decisions in the midst of `decisions` are left out."""

    replayed: bool | None = None
    """Whether a native run showed it."""

    observed: str | None = None
    """What that run showed, in words."""

    arguments: tuple[str, ...] | None = None
    """The command line behind the program's name, in hexadecimal."""

    objects: tuple[ObjectRecord, ...] | None = None
    """The inputs, as the program gets them again."""

    between: tuple[str, ...] | None = None
    """Roles of the builds that differ: the baseline first. In reports it stands beside `difference`, not in it, as the
    next two do.
    """

    baseline_clean: bool | None = None
    """Whether the witness is inside fast-math's contract: it and the baseline's result are finite and the baseline
    raises no invalid, division by zero or overflow.
    """

    in_control: bool | None = None
    """Whether the control (strict at the variant's level) differs in the same way: the optimiser's doing, not
    fast-math's.
    """

    found_by: FoundBy
    """Who found the first input."""

    count: int
    """How many inputs of the run show it."""

    summary: str
    """One sentence."""

    inputs: tuple[Value, ...]
    """The witness in call order."""

    observations: tuple[ObservationRecord, ...]
    """What each build did on the witness."""

    command: str | None = None
    """The one command that replays it, for a shell."""

    exception: ExceptionDetails | None = None
    """What a finding of the exceptions analysis says beyond its witness and observation; its effect is the finding's
    severity.
    """

    difference: DifferenceDetails | None = None
    """What a divergence is about."""

    accuracy: AccuracyDetails | None = None
    """An error of a result: how large, whose fault, and which operations made it."""

    notes: tuple[str, ...] = ()
    """Remarks: rarely needed."""

    called_at: tuple[StackEntry, ...] = ()
    """Where the place that it is about is in code of others (a language's own library, a dependency, the system's
    headers): the user's lines from which its witness comes there, in the order of the execution. Empty where that
    place is the user's own, or they are not known.
    """


@dataclass(frozen=True, kw_only=True)
class StackEntry:
    """One activation of the call stack."""

    function: str
    """The function, as users know it."""

    file: str | None = None
    """The file, as the build's debug information names it, relative where it can be."""

    line: int | None = None
    """The line, from 1."""

    column: int | None = None
    """The column, from 1, in bytes."""


@dataclass(frozen=True, kw_only=True)
class PathStep:
    """A decision on the path to an error, by its inputs."""

    function: str
    """The function, as users know it."""

    file: str | None = None
    """The file, as the build's debug information names it, relative where it can be."""

    line: int | None = None
    """The line, from 1."""

    column: int | None = None
    """The column, from 1, in bytes."""

    outcome: str
    """What was decided: `true` or `false` of a condition, the number of a switch or a pointer."""


@dataclass(frozen=True, kw_only=True)
class ObjectRecord:
    """Bytes that the program asked for."""

    name: str
    """Their name."""

    bytes: str
    """The bytes as they lie in memory, in hexadecimal."""


@dataclass(frozen=True, kw_only=True)
class ObservationRecord:
    """What one build did."""

    role: str
    """The build's role."""

    flags: tuple[ExceptionName, ...]
    """The union of exceptions raised: what `fetestexcept` sees."""

    not_compared: tuple[ExceptionName, ...] = ()
    """Exceptions that hang on what callers leave in unused vector lanes or on memory that nobody wrote: nothing is said
    of them.
    """

    result: Value | None = None
    """What it returned; absent where it did not return, and for functions that return nothing."""

    outputs: tuple[Value, ...] = ()
    """Memory outputs."""

    outcome: OutcomeKind
    """How it ended."""

    trace_complete: bool
    """Whether `trace` has every event."""

    trace: tuple[TraceEvent, ...]
    """The events in order."""

    signal: int | None = None
    """The signal's number, where the outcome is a signal."""

    exit_code: int | None = None
    """The exit code, where the outcome is an exit."""


@dataclass(frozen=True, kw_only=True)
class TraceEvent:
    """One event of a trace: a site and the exceptions that one execution of it raised."""

    exceptions: tuple[ExceptionName, ...]
    """What it raised."""

    file: str | None = None
    """The file, as the build's debug information names it, relative where it can be."""

    line: int | None = None
    """The line, from 1."""

    column: int | None = None
    """The column, from 1, in bytes."""

    function: str | None = None
    """The function, as users know it."""

    operator: str
    """`fadd`, `fmul`, ...: what the machine executed there."""

    library: str | None = None
    """Where a library function called by the user's code raised it: that function's symbol."""

    address: str | None = None
    """Where debug information is missing: the offset in the shared object, "0x1139"."""


@dataclass(frozen=True, kw_only=True)
class ExceptionDetails:
    """What a finding of the exceptions analysis says beyond its witness and observation; its effect is the finding's
    severity.
    """

    site: SiteKey
    """Where it occurs."""

    exception: ExceptionName
    """What occurs: exactly one exception."""

    output: str | None = None
    """The output that its effect is told of, where the function has others: `r.val`."""

    error_ulps: float | None = None
    """How far that output is from the true one in ulps, where both are finite."""

    true_result: str | None = None
    """Its true value, as decimals: the same operations in arbitrary precision."""

    avoidable: bool | None = None
    """For overflow whether its true value is finite, for underflow whether it is a normal number (after Barr, Vo, Le,
    Su, POPL 2013, section 6.4).
    """

    reachable_from: tuple[Route, ...]
    """Public functions from which it occurs. Empty: none is known."""

    not_seen_from: tuple[NotSeen, ...] = ()
    """For a static function, public functions from which it was not observed: those with the shortest chains of calls.
    """

    only_direct: Verdict | None = None
    """The proof that it occurs only where the static function is called directly, not through any function that others
    can call: `Verdict::Unreachable`.
    """


@dataclass(frozen=True, kw_only=True)
class SiteKey:
    """One operation of the source."""

    file: str | None = None
    """The file, as the build's debug information names it, relative where it can be."""

    line: int | None = None
    """The line, from 1."""

    column: int | None = None
    """The column, from 1, in bytes."""

    function: str
    """The function it stands in, as users know it."""

    operator: str
    """`fadd`, `fdiv`, ..., or the name of the library function that is called: `log`."""


@dataclass(frozen=True, kw_only=True)
class Route:
    """A public function from which a finding still occurs, with its own checks in force."""

    entry: str
    """The function, by its name in the report's list of functions."""

    chain: tuple[str, ...]
    """The calls from it to the finding's function, both included."""

    inputs: tuple[Value, ...]
    """The witness for that function."""


@dataclass(frozen=True, kw_only=True)
class NotSeen:
    """A public function that leads to a finding's function, by some chain of calls, and was not seen to show it."""

    entry: str
    """The function."""

    chain: tuple[str, ...]
    """The calls from it to the finding's function, both included."""

    finding: str | None = None
    """The finding's id."""

    engine: str | None = None
    """What proved it: `ranges`, `portfolio`, `enumeration`, ..."""

    scope: str | None = None
    """What the proof is about: `ir`, or the build that ran, `native: all 65,536 inputs were run`."""

    assumptions: tuple[str, ...] | None = None
    """What the proof rests on, a sentence each."""

    opinion: str | None = None
    """Whether anybody else says so."""

    loop_bound: int | None = None
    """The bound: how often a back edge was followed."""

    why: str | None = None
    """The reason."""

    verdict: Literal["reachable", "unreachable", "unreachable_within_bound", "unknown"]
    """Whether an exception can occur at a site."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether an exception can occur at a site."""

    finding: str | None = None
    """The finding's id."""

    engine: str | None = None
    """What proved it: `ranges`, `portfolio`, `enumeration`, ..."""

    scope: str | None = None
    """What the proof is about: `ir`, or the build that ran, `native: all 65,536 inputs were run`."""

    assumptions: tuple[str, ...] | None = None
    """What the proof rests on, a sentence each."""

    opinion: str | None = None
    """Whether anybody else says so."""

    loop_bound: int | None = None
    """The bound: how often a back edge was followed."""

    why: str | None = None
    """The reason."""

    verdict: Literal["reachable", "unreachable", "unreachable_within_bound", "unknown"]
    """Whether an exception can occur at a site."""


@dataclass(frozen=True, kw_only=True)
class DifferenceDetails:
    """What a divergence is about."""

    compared: tuple[ExceptionName, ...]
    """The exceptions that were compared: those that are watched and hang on nothing that the caller leaves behind."""

    output: str | None = None
    """The output that is told where outputs differ, whose cause is sought, as users write it: `result`, `out[3]`."""

    ulps: float | None = None
    """How far the results on the witness are apart, in ulps: the most of any output that is finite in both."""

    worst: WorstDifference | None = None
    """The input on which results are furthest apart, where that is not the witness."""

    truths: tuple[OutputTruth, ...] = ()
    """Outputs that differ, without rounding, as far as that is known: the one that is told first."""

    cause: Cause | None = None
    """What differs first between the builds."""

    grouped_by: Cause | None = None
    """What divergences are one finding by, where `cause` is another since it is known what of the variant's making it
    takes. Ids are of this one.
    """

    blame: Blame | None = None
    """What of the variant's making it takes, by experiment."""

    unblamed: str | None = None
    """Why it is not known what of the variant's making it takes, where that was looked for."""

    change: Change = "exceptions"
    """How the output that is told differs."""

    is_grouped: bool = False
    """Whether the finding stands for all divergences of its cause."""

    also_in: tuple[str, ...] = ()
    """Of a library the other functions in which the same cause shows."""

    callers: Reach | None = None
    """Of a library's function that only others of it can call, what is known of these."""

    divergences: int = 1
    """How many distinct divergences have this cause, this one included."""


@dataclass(frozen=True, kw_only=True)
class WorstDifference:
    """An input on which results are far apart; confirmed as the witness is."""

    ulps: float
    """How far, in ulps."""

    inputs: tuple[Value, ...]
    """The input, in call order."""


@dataclass(frozen=True, kw_only=True)
class OutputTruth:
    """What an output is by the baseline's own formulas without rounding, and how far from that both builds are."""

    output: str
    """The output, as users write it: `result`, `out[3]`."""

    truth: str
    """Its value without rounding, with 20 digits, or that it is beyond the finite numbers of its format; `0` where it
    is so near to zero that no precision tells its sign.
    """

    rounded_truth: str
    """The encoding of the float that is nearest to it: `0x3ff0000000000000`."""

    baseline_ulps: float | None = None
    """How many floats the baseline's is from that one; absent where one of both is no finite number, or another
    integer.
    """

    variant_ulps: float | None = None
    """How many floats the variant's is from it."""

    allowed_ulps: float | None = None
    """How many floats a result may be from it that no other formula with these inputs does better than by much: an
    excess of 8, as `accuracy` counts it. Absent where that is not known.
    """


@dataclass(frozen=True, kw_only=True)
class Cause:
    """The first operation or branch whose outcome differs between two builds."""

    kind: CauseKind
    """What it is."""

    file: str | None = None
    """The file, as the build's debug information names it, relative where it can be."""

    line: int | None = None
    """The line, from 1."""

    column: int | None = None
    """The column, from 1, in bytes."""

    operator: str = ""
    """The operation, as sites name it; empty where it is not known. Of a licence the flag."""


@dataclass(frozen=True, kw_only=True)
class Blame:
    """What of a variant's making a divergence takes: found by making it otherwise and running the witness, so that it
    is observed, not inferred from what flags mean.
    """

    flags: tuple[str, ...]
    """Flags with which the variant's compiler makes code that diverges in this way, and without any one of which it
    does not, with those that a compiler ignores one of them without; flags that stand for several taken apart; and
    gcc's start-up code, in words. Empty where the compiler needs none beyond the baseline's.
    """

    level: str | None = None
    """Which of them is the level of optimisation."""

    pass_: str | None = None
    """The first optimisation pass of LLVM's with which it diverges, all later ones left out, and what it ran on:
    `instcombine on function (f)`.
    """

    sources: tuple[str, ...] = ()
    """Of a library the sources that are compiled so, all others as the baseline's."""

    place: SourcePlace | None = None
    """The place of an operation at which the flags are needed; where that was not shown, of the operation or comparison
    that is first to differ.
    """

    place_is_tried: bool = False
    """Whether the place is one at which the flags are needed: compiled without them at this place alone, or with the
    others of several, the variant no longer diverges so.
    """

    place_is_of_several: bool = False
    """Whether the flags are needed at further places, too: without them at this one alone something is left of the
    divergence.
    """

    also: tuple[tuple[str, ...], ...] = ()
    """Other sets of flags, at most two, with each of which it diverges alike without those that are named before."""

    own: tuple[str, ...] = ()
    """Flags of both builds' own on which results may depend, where the variant needs none beside a level."""


@dataclass(frozen=True, kw_only=True)
class Reach:
    """What is known of the callers of a function that only others of its library can call. Of exceptions it stands in
    their own members.
    """

    reachable_from: tuple[Route, ...] = ()
    """Public functions that show the same cause. Empty: none is known."""

    not_seen_from: tuple[NotSeen, ...] = ()
    """Public functions that were not seen to: those that come to it through no other."""

    only_direct: Verdict | None = None
    """The proof that no function which others can call passes such arguments."""


@dataclass(frozen=True, kw_only=True)
class AccuracyDetails:
    """An error of a result: how large, whose fault, and which operations made it."""

    output: str
    """The output, as users write it: `result`, `out[3]`."""

    result: str
    """What the build returned, with enough digits to tell it from every other number."""

    truth: str
    """What it should have returned, with 20 digits."""

    rounded_truth: str = ""
    """The encoding of the truth, rounded correctly: `0x3ff0000000000000`."""

    precision: int
    """Bits of the arithmetic that certified the truth."""

    confirmed_precision: int | None = None
    """Bits of a second run, which gave the same."""

    reference: ReferenceDetails | None = None
    """What the truth is, where it is not what the function's own formulas give without rounding."""

    error: ErrorMeasures
    """The error."""

    fault_unknown: str | None = None
    """Why it is not known whose fault the error is; of unclassified findings alone."""

    condition: float | None = None
    """The condition number of the true result: its relative change over the inputs', componentwise. Absent where it is
    infinite or not known.
    """

    backward_error: float | None = None
    """The smallest relative change of the inputs that makes the result exact, to first order. Absent where none does,
    or it is not known.
    """

    joint_backward_error: JointBackwardError | None = None
    """The same of all outputs at once, where there are several."""

    excess: float | None = None
    """The error as a multiple of what half an ulp of change in the inputs, or of the result, brings about."""

    causes: tuple[ErrorCause, ...] = ()
    """The operations that made the error, worst first."""

    remedy: Remedy | None = None
    """What would mend it, where a known formula made it."""

    fpcore: str | None = None
    """What the function computes along the path that the input takes, as FPCore, where that was asked for."""

    curves: tuple[ErrorCurve, ...] = ()
    """Pictures of the error along inputs; of the worst finding of a function alone."""

    worst: WorstError | None = None
    """The input with the largest error, where that is not the witness."""

    callers: Reach | None = None
    """Of a library's function that only others of it can call, what is known of these."""


@dataclass(frozen=True, kw_only=True)
class ReferenceDetails:
    """What a result was compared with, and what of its error is not rounding's."""

    name: str
    """As the user wrote it: `mpfr:erf`, `slow.c:slow`."""

    formulas: str | None = None
    """What the function's own formulas give without rounding, with 20 digits. Absent where that is not known."""

    truncation_error: float | None = None
    """How far that is from the truth. Absent where it is not known, or infinite."""

    rounding_error: float | None = None
    """How far the result is from that. Absent where it is not known, or infinite."""


@dataclass(frozen=True, kw_only=True)
class ErrorMeasures:
    """An error by several measures."""

    bits: float | None = None
    """log2(1 + ulps). Absent where the result is no number."""

    ulps: float | None = None
    """Floats from the rounded truth to the result. Absent where the result is no number."""

    relative: float | None = None
    """|r − t| / |t|. Absent where it is infinite: the truth is zero, or one of the two is no number."""

    absolute: float | None = None
    """|r − t|. Absent where the result is no number."""

    floored: float | None = None
    """|r − t| / max(|t|, floor), where a floor was asked for."""


@dataclass(frozen=True, kw_only=True)
class JointBackwardError:
    """The smallest relative change of the inputs that makes several outputs exact at once, to first order."""

    outputs: int
    """How many outputs."""

    change: float | None = None
    """The change. Absent where none does: the outputs together are those of no inputs near these."""


@dataclass(frozen=True, kw_only=True)
class ErrorCause:
    """An operation's part in an error."""

    file: str | None = None
    """The file, as the build's debug information names it, relative where it can be."""

    line: int | None = None
    """The line, from 1."""

    column: int | None = None
    """The column, from 1, in bytes."""

    operator: str
    """The operation, as sites name it."""

    share: float
    """Its part of the error, from 0 to 1: what rounding its results alone makes, over the sum of all operations'."""

    left: float | None = None
    """The absolute error that is left where it alone is computed exactly."""

    cancelled_bits: int = 0
    """The most leading bits that a sum of it cancelled."""

    absorbed: int = 0
    """How many of its sums lost an operand whole."""


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """A known formula that loses digits, and what computes the same without the loss."""

    better: str
    """The better one: `log1p(x)`."""

    formula: str
    """The formula that stands there, with letters for its operands: `log(1 + x)`."""

    file: str | None = None
    """The file, as the build's debug information names it, relative where it can be."""

    line: int | None = None
    """The line, from 1."""

    column: int | None = None
    """The column, from 1, in bytes."""

    left: float
    """The absolute error that is left where the operations that the better one does without are exact, and all others
    round.
    """


@dataclass(frozen=True, kw_only=True)
class ErrorCurve:
    """The error of a result along one input, the others as in the witness. To be looked at: true values are not
    certified here.
    """

    input: str
    """The input that is varied."""

    whole: tuple[CurvePoint, ...]
    """Over all of its range, in parts with equally many floats; each point is the worst of some."""

    near: tuple[CurvePoint, ...]
    """At distances of powers of two floats on both sides of the witness."""

    at: int
    """How many points of `whole` lie below the witness."""

    below: int
    """How many points of `near` lie below the witness, which is the one behind them."""


@dataclass(frozen=True, kw_only=True)
class WorstError:
    """An input with a large error; confirmed as the witness is."""

    error: ErrorMeasures
    """The error."""

    inputs: tuple[Value, ...]
    """The input, in call order."""


@dataclass(frozen=True, kw_only=True)
class SiteRecord:
    """What is known of one site and one exception that its operator can raise."""

    file: str | None = None
    """The file, as the build's debug information names it, relative where it can be."""

    line: int | None = None
    """The line, from 1."""

    column: int | None = None
    """The column, from 1, in bytes."""

    function: str
    """The function it stands in, as users know it."""

    operator: str
    """`fadd`, `fdiv`, ..., or the name of the library function that is called: `log`."""

    exception: ExceptionName
    """The exception: exactly one."""

    finding: str | None = None
    """The finding's id."""

    engine: str | None = None
    """What proved it: `ranges`, `portfolio`, `enumeration`, ..."""

    scope: str | None = None
    """What the proof is about: `ir`, or the build that ran, `native: all 65,536 inputs were run`."""

    assumptions: tuple[str, ...] | None = None
    """What the proof rests on, a sentence each."""

    opinion: str | None = None
    """Whether anybody else says so."""

    loop_bound: int | None = None
    """The bound: how often a back edge was followed."""

    why: str | None = None
    """The reason."""

    verdict: Literal["reachable", "unreachable", "unreachable_within_bound", "unknown"]
    """Whether an exception can occur at a site."""


@dataclass(frozen=True, kw_only=True)
class FunctionSummary:
    """One function of a run over a library."""

    function: str
    """The function, as users know it."""

    file: str | None = None
    """The file that defines it."""

    line: int | None = None
    """The line of its definition."""

    is_public: bool
    """Whether other files can call it."""

    parameters: tuple[ParameterInfo, ...]
    """Its parameters."""

    status: Status
    """Whether the planned work was done."""

    all_paths: bool
    """Whether every path was followed to its end."""

    failure: str | None = None
    """Why it was not analysed, where it was not."""

    sites: VerdictCounts
    """How many of its (site, operator-possible exception) pairs have which verdict, those of functions that it calls
    included.
    """

    findings: tuple[str, ...]
    """Ids of its findings."""


@dataclass(frozen=True, kw_only=True)
class VerdictCounts:
    """How many (site, exception) pairs have which verdict."""

    reachable: int
    """`Verdict::Reachable`."""

    unreachable: int
    """`Verdict::Unreachable`."""

    unreachable_within_bound: int
    """`Verdict::UnreachableWithinBound`."""

    unknown: int
    """`Verdict::Unknown`."""


@dataclass(frozen=True, kw_only=True)
class ErrorBound:
    """A proved upper bound of an output's error over the whole search domain, beside the largest error seen."""

    function: str
    """The function."""

    output: str
    """The output: `result`, `out[3]`."""

    absolute: float | None = None
    """At least |r − t| on every input. Absent where nothing is proved."""

    relative: float | None = None
    """At least |r − t| / |t| on every input. Absent where nothing is proved: where the truth may be zero there is none.
    """

    seen: float | None = None
    """The largest |r − t| that was observed and is certain."""

    why: str | None = None
    """Why nothing is proved."""

    assumptions: tuple[str, ...] = ()
    """What the proof rests on."""

    certificates: tuple[str, ...] = ()
    """Files with the certificates, where there is an output folder."""


@dataclass(frozen=True, kw_only=True)
class ErrorOperations:
    """The errors of a run that are certain, by the operations that made them."""

    errors: int
    """Errors that operations have parts in: an output of a function on an input each."""

    others: int = 0
    """Errors that no operation's rounding alone has a part in: overflows, and branches that several roundings take
    together.
    """

    bits: float
    """Bits that these lost together: log2(1 + ulps) each, and at most as many as its format has."""

    worst: tuple[OperationErrors, ...]
    """What made them, worst first."""


@dataclass(frozen=True, kw_only=True)
class OperationErrors:
    """An operation's part in all errors."""

    file: str | None = None
    """The file, as the build's debug information names it, relative where it can be."""

    line: int | None = None
    """The line, from 1."""

    column: int | None = None
    """The column, from 1, in bytes."""

    operator: str
    """The operation, as sites name it."""

    errors: int
    """How many errors it has a part in."""

    bits: float
    """Its bits: those of each error times its share of it."""

    cancelled_bits: int = 0
    """The most leading bits that a sum of it cancelled."""

    absorbing: int = 0
    """In how many errors a sum of it lost an operand whole."""


@dataclass(frozen=True, kw_only=True)
class Contradiction:
    """A proof that somebody contradicts: another solver, on a query on which it rested, or the native code, which
    raised what was proved impossible. The proof's verdict is withdrawn.
    """

    claim: str
    """What was held for proved, a sentence's beginning: `overflow of fmul at f.c:3:9 in f`."""

    engine: str
    """Who held it for proved: `portfolio`."""

    by: str
    """Who says otherwise: another solver, with the version, or `native code`."""

    doubt: str | None = None
    """Why it is not sure who is wrong; absent where the other's model satisfies the query, evaluated exactly, so that
    the proof was.
    """

    inputs: tuple[Value, ...] = ()
    """The input that the other's model describes, where there is one, or that was run."""

    file: str = ""
    """The file with the query, in the output folder or, where there is none, in the current one; empty where the native
    code contradicts.
    """

    query: str = ""
    """What stands in it: both answers, and the query in SMT-LIB."""


@dataclass(frozen=True, kw_only=True)
class Timing:
    """How long it took: the only part of a report that may differ between two runs of the same seed and work."""

    wall_s: float
    """The whole run in seconds."""

    more: Mapping[str, float] = field(default_factory=dict)
    """Further members, by name."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """A report. Members stand in the order of the schema, `timing` last; of a library in alphabetical order between
    `schema` and `timing`.
    """

    schema: Literal["labrys-report/2"]
    """The schema's name and number."""

    command: tuple[str, ...]
    """The exact command line."""

    version: str
    """The version of labrys."""

    seed: int
    """The seed of every random choice."""

    analysis: Analysis
    """Which analysis it is of."""

    status: Status
    """Whether the planned work was done."""

    notes: tuple[str, ...]
    """Warnings, and decisions that the user should know of."""

    target: Target
    """What was analysed."""

    reference: str | None = None
    """Of the accuracy analysis: what results were compared with, where that is not the functions' own formulas."""

    counts: Counts
    """How much was done and found."""

    verdict: ProgramVerdict | None = None
    """What is known of the program."""

    properties: tuple[str, ...] | None = None
    """What was asked about."""

    assumptions: tuple[str, ...] | None = None
    """What a proof takes for granted."""

    reasons: tuple[str, ...] | None = None
    """Of `unknown` and of bounds: why, each reason once."""

    vacuous: str | None = None
    """Where nothing was looked at because no input comes so far: what no input does."""

    is_by_ranges: bool = False
    """Of a proof: whether value ranges are it, which need no paths."""

    by_induction: tuple[SourcePlace, ...] = ()
    """Of a proof by induction: the loops over whose rounds it is. Paths are then those of one round, of any."""

    paths: PathNumbers | None = None
    """How many paths ended how."""

    instructions: int | None = None
    """Instructions executed symbolically."""

    tests: int | None = None
    """Inputs of paths that came to their end."""

    coverage: Coverage | None = None
    """Of tests: what they cover."""

    safe_flags: SafeFlags | None = None
    """Of `diff`: the largest parts of the variant's flags under which nothing was found, where they were asked for."""

    findings: tuple[Finding, ...]
    """What was found, worst first."""

    sites: tuple[SiteRecord, ...] = ()
    """Of the exceptions analysis: each site and operator-possible exception with its verdict."""

    functions: tuple[FunctionSummary, ...] = ()
    """Of a run over a library: its functions."""

    bounds: tuple[ErrorBound, ...] = ()
    """Of the accuracy analysis: proved bounds of errors, where they were asked for."""

    operations: ErrorOperations | None = None
    """Of the accuracy analysis: which operations made most of all errors."""

    contradictions: tuple[Contradiction, ...] = ()
    """Proofs that another solver contradicted, and that are therefore none."""

    known: tuple[str, ...] | None = None
    """Where a baseline was given: the ids of findings that it has; these don't count for the exit code."""

    processor: str | None = None
    """The processor that ran the builds."""

    timing: Timing
    """How long it took."""
