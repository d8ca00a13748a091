"""`solve`: answers, models as Python's numbers, and errors."""

from __future__ import annotations

import copy
import math
import pickle
import struct
from fractions import Fraction
from pathlib import Path

import pytest

import labrys
from labrys.solving import Dyadic

EQUATION = """
(declare-const x Float64)
(declare-const |a b| Float32)
(declare-const n (_ BitVec 8))
(declare-const yes Bool)
(assert (fp.eq (fp.mul RNE x x) ((_ to_fp 11 53) RNE 2.25)))
(assert (fp.lt x (_ +zero 11 53)))
(assert (= |a b| ((_ to_fp 8 24) RNE 0.1)))
(assert (= n #x2a))
(assert yes)
(check-sat)
(get-model)
(get-value (x (fp.neg x)))
"""


def test_models_are_numbers() -> None:
    solution = labrys.solve(EQUATION)
    assert (solution.word, solution.exit_code) == ("sat", 10)
    tenth = struct.unpack("f", struct.pack("f", 0.1))[0]
    values = dict(solution.values)
    assert values.pop("(fp.neg x)") == 1.5
    assert values == {"x": -1.5, "a b": tenth, "n": 42, "yes": True}


def test_every_answer_has_its_own_values() -> None:
    script = """
    (declare-const x Float64)
    (push)
    (assert (fp.gt x x))
    (check-sat)
    (pop)
    (assert (fp.isInfinite x))
    (assert (fp.isNegative x))
    (check-sat)
    (get-value (x))
    (check-sat)
    """
    solution = labrys.solve(script)
    assert [of.word for of in solution.answers] == ["unsat", "sat", "sat"]
    assert solution.answers[1].values == {"x": -math.inf}
    assert solution.answers[2].values == {}


@pytest.mark.parametrize(
    ("format", "literal", "expected"),
    [
        ("Float64", "(fp #b0 #b00000000000 #x0000000000001)", 5e-324),
        ("Float64", "(fp #b1 #b10000000000 #x8000000000000)", -3.0),
        ("Float64", "(_ NaN 11 53)", math.nan),
        ("Float64", "(_ -zero 11 53)", -0.0),
        ("Float16", "(fp #b0 #b11110 #b1111111111)", 65504.0),
        ("Float128", "(fp #b0 #b111111111111110 #x0000000000000000000000000000)", Fraction(2) ** 16383),
        ("(_ BitVec 12)", "#xabc", 0xABC),
    ],
)
def test_constants_survive(format: str, literal: str, expected: object) -> None:
    script = f"(declare-const x {format})(assert (= x {literal}))(check-sat)(get-value (x))"
    found = labrys.solve(script).values["x"]
    assert type(found) is type(expected) or isinstance(expected, Fraction)
    assert isinstance(found, int | float | Fraction)
    assert isinstance(expected, int | float | Fraction)
    # NaN is no number's equal, and a zero has a sign.
    assert found == expected or (found != found and expected != expected)
    if isinstance(found, float):
        assert math.copysign(1, found) == math.copysign(1, expected)


def test_wide_floats_have_texts() -> None:
    # Python refuses to print integers of more than 4300 digits.
    smallest = "(fp #b1 #b000000000000000 #x0000000000000000000000000003)"
    script = f"(declare-const x Float128)(assert (= x {smallest}))(check-sat)(get-value (x))"
    solution = labrys.solve(script)
    found = solution.values["x"]
    assert "Fraction(-0x3) * Fraction(2) ** -16494" in repr(solution)
    assert str(found) == "-0x3p-16494"
    assert isinstance(found, Fraction)
    assert eval(repr(found)) == found == copy.deepcopy(found) == pickle.loads(pickle.dumps(found))
    assert (repr(Dyadic(3, 8)), str(Dyadic(3, 8))) == ("Fraction(3, 8)", "3/8")


def test_files_are_scripts_too(examples: Path) -> None:
    solution = labrys.solve(Path("examples/solve/root.smt2"), cwd=examples)
    assert solution.word in ("sat", "unsat")


def test_a_malformed_script_is_an_error_that_says_where() -> None:
    with pytest.raises(labrys.LabrysError, match=r"standard input:2:9: expected 2 floating-point") as caught:
        labrys.solve("(declare-const x Float64)\n(assert (fp.lt x))")
    assert caught.value.returncode == 2


def test_a_misspelt_command_is_an_error_that_says_where() -> None:
    with pytest.raises(labrys.LabrysError, match=r"standard input:2:2: `check-sa` is no command"):
        labrys.solve("(declare-const x Float64)\n(check-sa)")
    # What labrys does not support is answered so.
    assert labrys.solve("(set-option :nonsense true)(check-sat)").word == "sat"


def test_a_script_that_asks_nothing() -> None:
    solution = labrys.solve("(declare-const x Float64)")
    assert (solution.answers, solution.exit_code) == ((), 0)
    with pytest.raises(LookupError):
        _ = solution.word


def test_time_outs() -> None:
    # The product of two primes of 60 bits: nobody factors it in this time by constraints.
    script = """
    (declare-const a (_ BitVec 128))
    (declare-const b (_ BitVec 128))
    (assert (= (bvmul a b) (_ bv686721824360438328757063814542787687 128)))
    (assert (bvult a (_ bv2305843009213693952 128)))
    (assert (bvult b (_ bv2305843009213693952 128)))
    (assert (bvugt a (_ bv1 128)))
    (assert (bvugt b (_ bv1 128)))
    (check-sat)
    """
    assert labrys.solve(script, time=0.5).word == "unknown"
    with pytest.raises(labrys.LabrysTimeoutError):
        labrys.solve(script, timeout=0.5)
