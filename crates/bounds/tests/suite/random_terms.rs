//! Random expressions, boxes and inputs.

use labrys_bounds::{Call, Input};
use labrys_elementary::Function;
use labrys_float::{Float, Format, RoundingMode};
use labrys_formulas::Random;
use labrys_term::{Op, Sort, Store, TermId};

/// An expression with its inputs' ranges.
pub struct Sample {
    pub store: Store,
    pub inputs: Vec<Input>,
    pub calls: Vec<Call>,
    /// Float terms of one format, each of which may use those before it.
    pub pool: Vec<TermId>,
}

const FUNCTIONS: [Function; 22] = [
    Function::Sin,
    Function::Cos,
    Function::Tan,
    Function::Asin,
    Function::Acos,
    Function::Atan,
    Function::Atan2,
    Function::Sinh,
    Function::Cosh,
    Function::Tanh,
    Function::Asinh,
    Function::Atanh,
    Function::Exp,
    Function::Exp2,
    Function::Expm1,
    Function::Log,
    Function::Log10,
    Function::Log1p,
    Function::Pow,
    Function::Cbrt,
    Function::Hypot,
    Function::Erf,
];

/// A range of doubles: mostly of ordinary size, sometimes very large or small, sometimes around zero.
fn range(random: &mut Random) -> (f64, f64) {
    let exponent = if random.once_in(12) { random.within(-1070..=900) } else { random.within(-4..=5) };
    let size = 2f64.powi(exponent) * random.within(0.5..1.0);
    let (low, high) = match random.below(5) {
        0 => (-size, size * random.within(0.0..1.0)),
        1 => (0.0, size),
        2 => (size, size * (1.0 + random.within(0.0..0.01))),
        3 => (size, 2.0 * size),
        _ => (size, size * random.within(1.0..40.0)),
    };
    // Ends that are powers of two are where roundings change.
    let end =
        |x: f64, random: &mut Random| if random.once_in(3) { x.signum() * 2f64.powi(x.abs().log2() as i32) } else { x };
    let (low, high) = (end(low, random), end(high, random));
    let (low, high) = if random.likely(0.5) { (low, high) } else { (-high, -low) };
    if low <= high { (low, high) } else { (high, low) }
}

fn constant(random: &mut Random) -> f64 {
    match random.below(4) {
        0 => f64::from(random.within(-9..=9)),
        1 => 2f64.powi(random.within(-6..=6)),
        2 => random.within(-10.0..10.0),
        _ => [0.1, 1.11, 331.4, 1.0 / 3.0, 0.0][random.below(5)],
    }
}

/// An expression of so many operations over so many inputs.
pub fn make(random: &mut Random, inputs: usize, operations: usize) -> Sample {
    let mut store = Store::new();
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    let mut made = Sample { inputs: Vec::new(), calls: Vec::new(), pool: Vec::new(), store: Store::new() };
    for number in 0..inputs {
        let variable = store.variable(&format!("x{number}"), Sort::Float(Format::BINARY64));
        let (low, high) = range(random);
        made.inputs.push(Input { variable, low, high });
        made.pool.push(variable);
    }
    for _ in 0..operations {
        let recent = |random: &mut Random, pool: &[TermId]| {
            let back = random.below(pool.len()).min(random.below(pool.len()));
            pool[pool.len() - 1 - back]
        };
        let x = recent(random, &made.pool);
        let y = if random.once_in(3) {
            store.float_const(Float::from_f64(constant(random)))
        } else {
            recent(random, &made.pool)
        };
        let z = recent(random, &made.pool);
        let (x, y) = if random.likely(0.5) { (x, y) } else { (y, x) };
        let term = match random.below(20) {
            0..=3 => store.mk(Op::FpAdd, &[mode, x, y]),
            4..=7 => store.mk(Op::FpSub, &[mode, x, y]),
            8..=11 => store.mk(Op::FpMul, &[mode, x, y]),
            12 => store.mk(Op::FpDiv, &[mode, x, y]),
            13 => store.mk(Op::FpSqrt, &[mode, x]),
            14 => store.mk(Op::FpFma, &[mode, x, y, z]),
            15 => {
                let op = [Op::FpMin, Op::FpMax][random.below(2)].clone();
                store.mk(op, &[x, y])
            }
            16 => {
                let op = [Op::FpNeg, Op::FpAbs][random.below(2)].clone();
                store.mk(op, &[x])
            }
            17 => {
                let condition = store.mk([Op::FpLt, Op::FpLe][random.below(2)].clone(), &[x, y]);
                let other = recent(random, &made.pool);
                store.mk(Op::Ite, &[condition, z, other])
            }
            18 => {
                let narrow = [Format::BINARY32, Format::BINARY16, Format::BFLOAT16][random.below(3)];
                let direction = [RoundingMode::NearestEven, RoundingMode::TowardZero, RoundingMode::TowardPositive];
                let direction = store.rounding_mode(direction[random.below(3)]);
                let narrowed = store.mk(Op::FpFromFloat(narrow), &[direction, x]);
                let product = store.mk(Op::FpMul, &[mode, narrowed, narrowed]);
                let kept = if random.likely(0.5) { product } else { narrowed };
                store.mk(Op::FpFromFloat(Format::BINARY64), &[mode, kept])
            }
            _ => {
                let function = FUNCTIONS[random.below(FUNCTIONS.len())];
                let operands = [x, y][..function.arity()].to_vec();
                let indices: Vec<String> = operands.iter().map(|operand| operand.index().to_string()).collect();
                let name = format!("{}!{}", function.name(), indices.join("!"));
                let variable = store.variable(&name, Sort::Float(Format::BINARY64));
                if made.calls.iter().all(|call| call.variable != variable) {
                    made.calls.push(Call { variable, function, operands });
                }
                variable
            }
        };
        made.pool.push(term);
    }
    made.store = store;
    made
}

/// A double of a range: anywhere, at an end, near one, near a power of two, or with few bits.
pub fn member(random: &mut Random, low: f64, high: f64) -> f64 {
    let share = random.within(0.0..=1.0);
    let inside = low * (1.0 - share) + high * share;
    let value = match random.below(10) {
        0 => low,
        1 => high,
        2 => low.next_up().next_up(),
        3 => high.next_down(),
        4 => {
            let power = 2f64.powi(inside.abs().max(f64::MIN_POSITIVE).log2() as i32).copysign(inside);
            [power, power.next_up(), power.next_down()][random.below(3)]
        }
        5 => f64::from_bits(inside.to_bits() & !((1 << 40) - 1)),
        6 => 0.0,
        _ => inside,
    };
    value.clamp(low, high)
}
