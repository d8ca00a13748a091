//! Widening: where a domain grows from round to round of a loop, its bounds jump to the next threshold.

use labrys_float::{Environment, Float, Format};
use labrys_program::{Constant, Function, InstructionKind, Operand};
use labrys_solver::domain::{FloatDomain, Range};

use crate::graph::Domain;
use crate::integer::IntDomain;

/// The bounds that widening stops at.
#[derive(Clone, Debug)]
pub(crate) struct Thresholds {
    /// Values of floats, made positive.
    floats: Vec<f64>,
    ints: Vec<i128>,
}

/// Binary exponents that bounds stop at: close together where exceptions begin.
const EXPONENTS: [i32; 46] = [
    -1070, -1060, -1050, -1040, -1030, -1022, -1021, -1020, -1010, -1000, -970, -900, -800, -700, -600, -512, -400,
    -300, -200, -150, -100, -60, -53, -30, -10, 0, 2, 5, 10, 20, 31, 53, 64, 100, 200, 300, 512, 700, 900, 1000, 1010,
    1016, 1020, 1021, 1022, 1023,
];

impl Thresholds {
    /// Powers of two and the constants of a function.
    pub fn of(function: &Function) -> Thresholds {
        let mut floats: Vec<f64> = EXPONENTS.iter().map(|exponent| (*exponent as f64).exp2()).collect();
        let mut ints: Vec<i128> = vec![-1, 0, 1, 2, i128::from(i32::MIN), i128::from(i32::MAX)];
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            visit(&instruction.kind, |constant| match constant {
                Constant::Float(value) => {
                    let double = Environment::default().convert(value, Format::BINARY64).value;
                    floats.extend(double.to_f64().map(f64::abs));
                }
                Constant::Int { bits, value } if *bits <= 64 => {
                    if let Ok(value) = u128::try_from(value) {
                        let value = crate::integer::signed(*bits, value);
                        ints.extend([value - 1, value, value + 1]);
                    }
                }
                _ => {}
            });
        }
        floats.retain(|value| value.is_finite() && *value > 0.0);
        floats.sort_by(f64::total_cmp);
        floats.dedup();
        ints.sort_unstable();
        ints.dedup();
        Thresholds { floats, ints }
    }

    /// A set that holds both, with bounds that `b` moved taken to a threshold.
    pub fn widen(&self, a: &Domain, b: &Domain) -> Domain {
        match (a, b) {
            (Domain::Float(a), Domain::Float(b)) => Domain::Float(self.floats(a, b)),
            (Domain::Int(a), Domain::Int(b)) => Domain::Int(self.ints(a, b)),
            (Domain::Pointer(x), Domain::Pointer(y)) => {
                let hull = x.hull(y);
                if hull == *x { Domain::Pointer(hull) } else { pointers(x, &hull) }
            }
            _ => a.hull(b),
        }
    }

    fn floats(&self, a: &FloatDomain, b: &FloatDomain) -> FloatDomain {
        let hull = a.hull(b);
        let widened = |old: Option<Range>, new: Option<Range>| match (old, new) {
            (Some(old), Some(new)) => Some(Range {
                low: if new.low < old.low { self.below(a.format, new.low) } else { new.low },
                high: if new.high > old.high { self.above(a.format, new.high) } else { new.high },
            }),
            (_, new) => new,
        };
        FloatDomain {
            negative: widened(a.negative, hull.negative),
            positive: widened(a.positive, hull.positive),
            ..hull
        }
    }

    /// The greatest threshold at or below a magnitude, or the least magnitude.
    fn below(&self, format: Format, magnitude: u128) -> u128 {
        self.floats
            .iter()
            .rev()
            .filter_map(|value| place(format, *value))
            .find(|place| *place <= magnitude)
            .unwrap_or(1)
    }

    fn above(&self, format: Format, magnitude: u128) -> u128 {
        let greatest = FloatDomain::numbers(format).positive.map_or(magnitude, |all| all.high);
        let found = self.floats.iter().filter_map(|value| place(format, *value)).find(|place| *place >= magnitude);
        found.unwrap_or(greatest).min(greatest)
    }

    fn ints(&self, a: &IntDomain, b: &IntDomain) -> IntDomain {
        let hull = a.hull(b);
        let whole = IntDomain::top(a.bits);
        let low = if hull.low < a.low {
            self.ints.iter().rev().copied().find(|value| *value <= hull.low).unwrap_or(whole.low).max(whole.low)
        } else {
            hull.low
        };
        let high = if hull.high > a.high {
            self.ints.iter().copied().find(|value| *value >= hull.high).unwrap_or(whole.high).min(whole.high)
        } else {
            hull.high
        };
        IntDomain { bits: a.bits, low, high, stride: 1 }
    }
}

/// Offsets that grow may be anything.
fn pointers(old: &crate::pointer::PointerDomain, hull: &crate::pointer::PointerDomain) -> Domain {
    use crate::pointer::{PointerDomain, Target};
    let (Some(old), Some(all)) = (old.targets(), hull.targets()) else { return Domain::Pointer(PointerDomain::Any) };
    let widened = all.iter().map(|target| {
        let before = old.iter().find(|before| before.base == target.base);
        match before {
            Some(before) if !before.offset.includes(&target.offset) => {
                let whole = IntDomain::top(64);
                let low = if target.offset.low < before.offset.low { whole.low } else { target.offset.low };
                let high = if target.offset.high > before.offset.high { whole.high } else { target.offset.high };
                // The stride survives where a bound does.
                let kept = low == target.offset.low && low != whole.low && target.offset.stride.is_power_of_two();
                let stride = if kept { target.offset.stride } else { 1 };
                let high = high - (high.wrapping_sub(low) as u128 % stride) as i128;
                Target { base: target.base, offset: IntDomain { bits: 64, low, high, stride } }
            }
            _ => *target,
        }
    });
    Domain::Pointer(PointerDomain::Targets(widened.collect()))
}

/// The place of a value in the order of a format's magnitudes.
fn place(format: Format, value: f64) -> Option<u128> {
    let converted = Environment::default().convert(&Float::from_f64(value), format).value;
    let place = FloatDomain::rank_of(&converted)?;
    (converted.is_finite() && place > 0).then_some(place as u128)
}

fn visit(kind: &InstructionKind, mut see: impl FnMut(&Constant)) {
    let mut operand = |operand: &Operand| {
        if let Operand::Constant(constant) = operand {
            see(constant);
        }
    };
    match kind {
        InstructionKind::FloatBinary(_, a, b)
        | InstructionKind::FloatCompare(_, a, b)
        | InstructionKind::IntCompare(_, a, b)
        | InstructionKind::IntBinary { lhs: a, rhs: b, .. } => {
            operand(a);
            operand(b);
        }
        InstructionKind::Select(_, a, b) => {
            operand(a);
            operand(b);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thresholds() -> Thresholds {
        Thresholds { floats: vec![0.5, 1.0, 8.0], ints: vec![-1, 0, 100] }
    }

    fn between(low: f64, high: f64) -> FloatDomain {
        FloatDomain::between(&Float::from_f64(low), &Float::from_f64(high))
    }

    #[test]
    fn growing_bounds_jump_and_others_stay() {
        let widened = thresholds().floats(&between(0.75, 2.0), &between(0.75, 3.0));
        assert_eq!(widened, between(0.75, 8.0));
        let widened = thresholds().floats(&between(0.75, 2.0), &between(0.6, 9.0));
        let all = FloatDomain::numbers(Format::BINARY64).positive.unwrap();
        assert_eq!(widened.positive.unwrap().high, all.high);
        assert_eq!(widened.min_member().unwrap().to_f64(), Some(0.5));
    }

    #[test]
    fn widening_ends() {
        let mut set = IntDomain::between(32, 0, 0);
        for i in 0..10 {
            let grown = thresholds().ints(&set, &IntDomain::between(32, i, 7 * i));
            assert!(grown.includes(&set));
            set = grown;
        }
        assert_eq!((set.low, set.high), (0, 100));
    }
}
