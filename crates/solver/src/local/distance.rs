//! How far a Bool register is from being true and from being false.
//!
//! Zero exactly where it is already so. Atoms measure in ulps on a logarithmic scale (Fu and Su, "XSat: a fast
//! floating-point satisfiability solver", CAV 2016; Liew, Cadar, Donaldson, Stinnett, "Just fuzz it: solving floating-point
//! constraints using coverage-guided fuzzing", FSE 2019): a distance of 2^k ulps is about k, between powers of two it is linear, so
//! that also one ulp of 2^40 shows. Conjunctions add, disjunctions take the least.

use labrys_float::Packed;

use super::program::{Kind, Operation, Program, Register, mask, signed};
use super::wide::{self, Table};

/// Distances to true and to false.
pub(super) type Distance = [f64; 2];

/// Where no number of ulps leads from one to the other, as from NaN: more than any ulps.
const APART: f64 = 80.0;
/// A step from one truth value to the other where nothing measures it.
pub(super) const STEP: f64 = 1.0;

/// A count of places on the logarithmic scale: 1 for 1, 2 for 2, 2.5 for 3, 3 for 4.
pub(super) fn places(count: u64) -> f64 {
    if count == 0 {
        return 0.0;
    }
    // The bits of a number as an integer are its logarithm, linear between powers of two.
    let bits = (count as f64).to_bits() - 1f64.to_bits();
    1.0 + bits as f64 / (1u64 << 52) as f64
}

/// The distances of an order: `gap` is the right side less the left, `strict` for <.
fn order(gap: i128, strict: bool) -> Distance {
    let surplus = gap - i128::from(strict);
    let count = |number: i128| places(u64::try_from(number).unwrap_or(u64::MAX));
    if surplus >= 0 { [0.0, count(surplus + 1)] } else { [count(-surplus), 0.0] }
}

fn float_gap(packed: &Packed, a: u64, b: u64) -> Option<i128> {
    Some(i128::from(packed.ordinal(b)?) - i128::from(packed.ordinal(a)?))
}

/// The distances of an equality of unequal or equal values.
fn equality(kind: &Kind, a: u64, b: u64, table: &Table) -> Distance {
    if a == b {
        return [0.0, STEP];
    }
    let apart = match kind {
        Kind::Bool | Kind::Mode => STEP,
        Kind::Bits(width) => {
            let difference = a.wrapping_sub(b) & mask(*width);
            let number = places(difference.min(difference.wrapping_neg() & mask(*width)));
            number.min(f64::from((a ^ b).count_ones()))
        }
        Kind::Wide(width) => return wide::equality(*width, table.bits(a), table.bits(b)),
        Kind::Float(packed) => match float_gap(packed, a, b) {
            Some(gap) => places(u64::try_from(gap.unsigned_abs()).unwrap_or(u64::MAX).saturating_add(1)),
            None => APART,
        },
    };
    [apart, 0.0]
}

/// The distances of a class of floats that this magnitude is outside or inside.
fn class(packed: &Packed, operation: Operation, a: u64) -> Distance {
    let magnitude = packed.abs(a);
    let to = |bound: u64| places(magnitude.abs_diff(bound));
    let least = packed.min_normal();
    let nan = packed.is_nan(a);
    let inside = match operation {
        Operation::FpIsNormal => packed.is_normal(a),
        Operation::FpIsSubnormal => packed.is_subnormal(a),
        Operation::FpIsZero => packed.is_zero(a),
        Operation::FpIsInfinite => packed.is_infinite(a),
        Operation::FpIsNan => nan,
        Operation::FpIsNegative => packed.is_negative(a),
        _ => packed.is_positive(a),
    };
    if inside {
        let outside = match operation {
            Operation::FpIsNegative | Operation::FpIsPositive => places(magnitude + 1),
            _ => STEP,
        };
        return [0.0, outside];
    }
    let apart = match operation {
        _ if nan => APART,
        Operation::FpIsNormal if magnitude < least => to(least),
        Operation::FpIsNormal => to(packed.max_finite(false)),
        Operation::FpIsSubnormal if magnitude == 0 => STEP,
        Operation::FpIsSubnormal => to(least - 1),
        Operation::FpIsZero => to(0),
        Operation::FpIsInfinite => to(packed.infinity(false)),
        Operation::FpIsNan => to(packed.infinity(false)) + STEP,
        _ => places(magnitude + 1),
    };
    [apart, 0.0]
}

/// The distances of a truth value that nothing measures.
fn plain(value: u64) -> Distance {
    if value != 0 { [0.0, STEP] } else { [STEP, 0.0] }
}

fn equivalence([a, not_a]: Distance, [b, not_b]: Distance) -> Distance {
    [(a + b).min(not_a + not_b), (a + not_b).min(not_a + b)]
}

impl Program {
    /// The distances of a Bool register whose arguments' values and distances, and whose own value, are known.
    pub fn distance(&self, register: Register, values: &[u64], distances: &[Distance], table: &Table) -> Distance {
        let instruction = &self.instructions[register as usize];
        let [first, second, third, _] = instruction.arguments.map(|argument| argument as usize);
        match instruction.operation {
            Operation::Input | Operation::Constant => plain(values[register as usize]),
            Operation::Not => {
                let [yes, no] = distances[first];
                [no, yes]
            }
            Operation::And => connect(self.arguments(register), distances, 0),
            Operation::Or => {
                let [no, yes] = connect(self.arguments(register), distances, 1);
                [yes, no]
            }
            Operation::Xor => {
                let [yes, no] = equivalence(distances[first], distances[second]);
                [no, yes]
            }
            Operation::Equal if self.kinds[first] == Kind::Bool => equivalence(distances[first], distances[second]),
            Operation::Equal => equality(&self.kinds[first], values[first], values[second], table),
            Operation::Ite => {
                let ([yes, no], then, otherwise) = (distances[first], distances[second], distances[third]);
                [0, 1].map(|side| (yes + then[side]).min(no + otherwise[side]))
            }
            operation => match &self.kinds[first] {
                Kind::Float(packed) => float_atom(operation, packed, values[first], values[second]),
                Kind::Bits(width) => bit_vector_atom(operation, *width, values[first], values[second]),
                Kind::Wide(width) => match self.exact.get(&register) {
                    Some(exact) => {
                        wide::order(&exact.op, *width, table.bits(values[first]), table.bits(values[second]))
                    }
                    None => plain(values[register as usize]),
                },
                Kind::Bool | Kind::Mode => plain(values[register as usize]),
            },
        }
    }
}

/// The sum of the members' distances to one side and the least to the other.
fn connect(members: &[Register], distances: &[Distance], side: usize) -> Distance {
    members.iter().fold([0.0, f64::INFINITY], |[sum, least], member| {
        let distance = distances[*member as usize];
        [sum + distance[side], least.min(distance[1 - side])]
    })
}

fn float_atom(operation: Operation, packed: &Packed, a: u64, b: u64) -> Distance {
    let gap = || float_gap(packed, a, b);
    match operation {
        Operation::FpLt => gap().map_or([APART, 0.0], |gap| order(gap, true)),
        Operation::FpLe => gap().map_or([APART, 0.0], |gap| order(gap, false)),
        Operation::FpEq => gap().map_or([APART, 0.0], |gap| match u64::try_from(gap.unsigned_abs()) {
            Ok(0) => [0.0, STEP],
            Ok(gap) => [places(gap), 0.0],
            Err(_) => [places(u64::MAX), 0.0],
        }),
        operation => class(packed, operation, a),
    }
}

fn bit_vector_atom(operation: Operation, width: u32, a: u64, b: u64) -> Distance {
    let unsigned = i128::from(b) - i128::from(a);
    let two_s_complement = i128::from(signed(width, b)) - i128::from(signed(width, a));
    match operation {
        Operation::BvUlt => order(unsigned, true),
        Operation::BvUle => order(unsigned, false),
        Operation::BvSlt => order(two_s_complement, true),
        _ => order(two_s_complement, false),
    }
}
