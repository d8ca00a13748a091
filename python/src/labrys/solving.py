"""`labrys solve`: constraints over floating-point numbers and bit vectors, decided."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal, TypeAlias, Unpack, cast

from labrys import process
from labrys.errors import LabrysError
from labrys.options import SolveOptions, arguments
from labrys.process import StrPath

Word: TypeAlias = Literal["sat", "unsat", "unknown"]
"""An answer to `(check-sat)`."""

Constant: TypeAlias = float | Fraction | int | bool | str
"""A value of a model: `float` where the format is binary64 or one that it contains, `Fraction` for wider ones (`float` where it is
infinite or NaN), `int` for bit vectors, `bool`; as SMT-LIB's text where it is of another sort."""

Tree: TypeAlias = "str | list[Tree]"
"""An s-expression."""

_ANSWERS = ("sat", "unsat", "unknown")

_COMMANDS = frozenset(
    {
        "assert",
        "check-sat",
        "check-sat-assuming",
        "declare-const",
        "declare-datatype",
        "declare-datatypes",
        "declare-fun",
        "declare-sort",
        "define-const",
        "define-fun",
        "define-fun-rec",
        "define-funs-rec",
        "define-sort",
        "echo",
        "exit",
        "get-assertions",
        "get-assignment",
        "get-info",
        "get-model",
        "get-option",
        "get-proof",
        "get-unsat-assumptions",
        "get-unsat-core",
        "get-value",
        "minimize",
        "maximize",
        "pop",
        "push",
        "reset",
        "reset-assertions",
        "set-info",
        "set-logic",
        "set-option",
        "simplify",
    }
)
"""Names of SMT-LIB's commands, and of some that solvers add: they are answered `unsupported` at worst."""


class Dyadic(Fraction):
    """A float of a wide format, as a fraction whose text is short: Python prints no integers of thousands of digits."""

    __slots__ = ()

    def __repr__(self) -> str:
        digits, scale = self._parts()
        return (
            f"Fraction({digits:#x}) * Fraction(2) ** {scale}"
            if self._is_long()
            else f"Fraction{super().as_integer_ratio()}"
        )

    def __str__(self) -> str:
        digits, scale = self._parts()
        return f"{digits:#x}p{scale:+d}" if self._is_long() else super().__str__()

    def __reduce__(self) -> tuple[type[Dyadic], tuple[int, int]]:
        return Dyadic, self.as_integer_ratio()

    def _is_long(self) -> bool:
        return max(abs(self.numerator), self.denominator).bit_length() > 256

    def _parts(self) -> tuple[int, int]:
        """An odd integer, and the exponent of the power of two that it is multiplied by."""
        twos = (self.numerator & -self.numerator).bit_length() - 1
        return self.numerator >> twos, twos - (self.denominator.bit_length() - 1)


@dataclass(frozen=True)
class Answer:
    """An answer to a `(check-sat)`, and what the script asked about it."""

    word: Word
    """`sat` comes with a model that was evaluated in exact arithmetic, `unsat` is a proof."""
    values: dict[str, Constant]
    """What `(get-model)` and `(get-value)` said, by name or by term."""
    text: str
    """What was printed behind the answer, word by word."""


@dataclass(frozen=True)
class Solution:
    """What a script came to."""

    answers: tuple[Answer, ...]
    """An answer for each `(check-sat)` and `(check-sat-assuming)`."""
    output: str
    """Everything that was printed."""
    messages: str
    """What was printed to stderr: of `certify` and `stats`."""
    exit_code: int
    """10 the last answer was sat, 20 unsat, 0 unknown or none, 1 an answer contradicts the script's `:status` (`check_status`)."""

    @property
    def last(self) -> Answer:
        """The last answer.

        Raises:
            LookupError: The script asked nothing.

        """
        if not self.answers:
            raise LookupError("the script has no (check-sat)")
        return self.answers[-1]

    @property
    def word(self) -> Word:
        """The last answer's word."""
        return self.last.word

    @property
    def values(self) -> dict[str, Constant]:
        """The last answer's values."""
        return self.last.values


def solve(
    script: str | Path,
    *,
    timeout: float | None = None,
    cwd: StrPath | None = None,
    **options: Unpack[SolveOptions],
) -> Solution:
    """Decides a script in SMT-LIB 2.6.

    Args:
        script: The script's text, or a `Path` to its file.
        timeout: Seconds after which labrys is ended; to get `unknown` instead, limit it by `time`.
        cwd: The folder to run in.
        options: Those of `labrys solve`, with `_` for `-`.

    Raises:
        LabrysError: The script is malformed, or has a command of another name than SMT-LIB's: the message says where and why.
        LabrysNotFoundError: There is no labrys.
        LabrysTimeoutError: `timeout` was up.

    """
    words = ["solve", *arguments(options)]
    stdin = None
    if isinstance(script, Path):
        words.append(str(script.absolute() if str(script).startswith("-") else script))
    else:
        words.append("-")
        stdin = script
    try:
        done = process.run(words, timeout=timeout, cwd=cwd, stdin=stdin)
    except process.Interrupted:
        raise KeyboardInterrupt from None
    if done.returncode not in (0, 1, 10, 20):
        # Of commands from standard input errors are answers.
        if told := re.search(r'^\(error "((?:[^"]|"")*)"\)$', done.stdout, re.MULTILINE):
            raise LabrysError(told[1].replace('""', '"'), done.command, done.returncode)
        raise done.error()
    if stdin is not None and "unsupported" in done.stdout.splitlines() and (misspelt := _misspelt(stdin)):
        raise LabrysError(misspelt, done.command, done.returncode)
    return Solution(tuple(_answers(done.stdout)), done.stdout, done.stderr, done.returncode)


def _misspelt(script: str) -> str | None:
    """What is wrong with the first command that is none of SMT-LIB's: solvers answer `unsupported` and go on."""
    depth, is_name = 0, False
    for match in _TOKEN.finditer(script):
        token = match[1]
        if not token:
            continue
        if is_name and token not in _COMMANDS:
            before = script[: match.start()]
            line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
            return f"standard input:{line}:{column}: `{token}` is no command"
        is_name = depth == 0 and token == "("
        depth += {"(": 1, ")": -1}.get(token, 0)
    return None


def _answers(output: str) -> Iterator[Answer]:
    """The answers of what was printed, each with what stands behind it."""
    word: Word | None = None
    behind: list[str] = []
    for line in output.splitlines():
        if line in _ANSWERS:
            if word is not None:
                yield _answer(word, behind)
            word, behind = cast(Word, line), []
        else:
            behind.append(line)
    if word is not None:
        yield _answer(word, behind)


def _answer(word: Word, behind: list[str]) -> Answer:
    text = "\n".join(behind)
    values: dict[str, Constant] = {}
    for tree in _trees(text):
        for name, value in _pairs(tree):
            values[name] = _constant(value)
    return Answer(word, values, text)


_TOKEN = re.compile(r'\s+|;[^\n]*|(\(|\)|\|[^|]*\||"(?:[^"]|"")*"|[^\s()|";]+)')


def _trees(text: str) -> list[Tree]:
    """The s-expressions of a text."""
    stack: list[list[Tree]] = [[]]
    for token in (match[1] for match in _TOKEN.finditer(text) if match[1]):
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) == 1:
                raise LabrysError("labrys printed a parenthesis too many")
            closed = stack.pop()
            stack[-1].append(closed)
        else:
            stack[-1].append(token)
    return stack[0]


def _pairs(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """Names and values of what `(get-model)` or `(get-value)` printed."""
    if not isinstance(tree, list):
        return
    for part in tree:
        match part:
            case ["define-fun", str(name), [], _, value]:
                yield _name(name), value
            case [term, value]:
                yield _name(term) if isinstance(term, str) else _text(term), value


def _name(symbol: str) -> str:
    return symbol[1:-1] if symbol.startswith("|") else symbol


def _text(tree: Tree) -> str:
    return tree if isinstance(tree, str) else f"({' '.join(_text(part) for part in tree)})"


def _constant(tree: Tree) -> Constant:
    match tree:
        case "true" | "false":
            return tree == "true"
        case ["fp", str(sign), str(exponent), str(significand)]:
            return _float(_bits(sign), _bits(exponent), _bits(significand))
        case ["_", ("+oo" | "-oo") as which, _, _]:
            return math.inf if which == "+oo" else -math.inf
        case ["_", "NaN", _, _]:
            return math.nan
        case ["_", ("+zero" | "-zero") as which, _, _]:
            return 0.0 if which == "+zero" else -0.0
        case ["_", str(bits), str(_)] if bits.startswith("bv") and bits[2:].isdecimal():
            return int(bits[2:])
        case str(text) if text.startswith(("#b", "#x")):
            return int(_bits(text), 2)
    return _text(tree)


def _bits(literal: str) -> str:
    """The binary digits of a bit vector."""
    if literal.startswith("#x"):
        return "".join(f"{int(digit, 16):04b}" for digit in literal[2:])
    return literal[2:]


def _float(sign: str, exponent: str, significand: str) -> float | Fraction:
    """The number of an encoding (IEEE 754-2019, section 3.4)."""
    width, digits = len(exponent), len(significand)
    bias = 2 ** (width - 1) - 1
    stored, fraction = int(exponent, 2), int(significand, 2)
    factor = -1 if sign == "1" else 1
    if stored == 2**width - 1:
        return math.nan if fraction else factor * math.inf
    leading = 0 if stored == 0 else 2**digits
    scale = max(stored, 1) - bias - digits
    value = Fraction(factor * (leading + fraction)) * Fraction(2) ** scale
    if width <= 11 and digits <= 52:
        return math.copysign(float(value), factor)
    return Dyadic(value) if value else math.copysign(0.0, factor)
