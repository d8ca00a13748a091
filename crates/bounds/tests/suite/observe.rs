//! What a machine computes and what is exact: each term's value in its format, and in 500 bits.

use labrys_bounds::Call;
use labrys_elementary::{from_precise, rug, to_precise};
use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_formulas::Random;
use labrys_term::{Op, Sort, Store, TermId, Value};
use rug::ops::CompleteRound;
use rustc_hash::FxHashMap;

/// Bits of the exact values: what is lost is far below any error of a float.
const PRECISION: u32 = 500;

/// Both values of a term.
#[derive(Clone, Debug)]
pub enum Both {
    /// Computed, a member of the term's format, and exact.
    Number(f64, rug::Float),
    /// Computed and exact.
    Truth(bool, bool),
    Mode,
}

impl Both {
    pub fn number(&self) -> (f64, &rug::Float) {
        match self {
            Both::Number(computed, exact) => (*computed, exact),
            _ => panic!("no number"),
        }
    }

    pub fn truth(&self) -> (bool, bool) {
        match self {
            Both::Truth(computed, exact) => (*computed, *exact),
            _ => panic!("no truth value"),
        }
    }
}

/// The error |computed − exact| of a number.
pub fn error(computed: f64, exact: &rug::Float) -> rug::Float {
    rug::Float::with_val(PRECISION, computed - exact).abs()
}

/// Evaluates `terms` and what they consist of at doubles for variables. Results of calls are moved by up to `floats` floats, at random.
pub fn evaluate(
    store: &Store,
    calls: &[Call],
    terms: &[TermId],
    inputs: &[(TermId, f64)],
    floats: u32,
    random: &mut Random,
) -> FxHashMap<TermId, Both> {
    let mut values: FxHashMap<TermId, Both> = FxHashMap::default();
    let roots: Vec<TermId> =
        terms.iter().copied().chain(calls.iter().flat_map(|call| call.operands.iter().copied())).collect();
    for term in store.reachable(&roots) {
        let input = inputs.iter().find(|(variable, _)| *variable == term);
        let call = calls.iter().find(|call| call.variable == term);
        let value = match (input, call) {
            (Some((_, value)), _) => Both::Number(*value, rug::Float::with_val(PRECISION, *value)),
            (None, Some(call)) => called(store, call, &values, floats, random),
            (None, None) => applied(store, term, &values),
        };
        values.insert(term, value);
    }
    values
}

fn called(store: &Store, call: &Call, values: &FxHashMap<TermId, Both>, floats: u32, random: &mut Random) -> Both {
    let format = store.float_format(call.variable).expect("a float");
    let operands: Vec<(f64, &rug::Float)> = call.operands.iter().map(|operand| values[operand].number()).collect();
    let exact: Vec<rug::Float> = operands.iter().map(|(_, exact)| (*exact).clone()).collect();
    let at: Vec<rug::Float> = operands.iter().map(|(computed, _)| rug::Float::with_val(53, *computed)).collect();
    let correct = from_precise(&call.function.precise(&at, PRECISION), format, RoundingMode::NearestEven).value;
    let steps = call.function.steps(floats) as usize;
    let mut moved = correct.clone();
    for _ in 0..random.below(steps + 1) {
        moved = if random.likely(0.5) { moved.next_up() } else { moved.next_down() };
    }
    if random.likely(0.3) {
        moved = (0..steps).fold(correct, |float, _| float.next_up());
    }
    let mut computed = double(&moved);
    if let Some((low, high)) = call.function.bounds() {
        computed = computed.clamp(low, high);
    }
    Both::Number(computed, call.function.precise(&exact, PRECISION))
}

/// A float as a double; it is one.
fn double(value: &Float) -> f64 {
    to_precise(value).to_f64()
}

fn float(value: f64, format: Format) -> Float {
    Environment::default().convert(&Float::from_f64(value), format).value
}

fn applied(store: &Store, term: TermId, values: &FxHashMap<TermId, Both>) -> Both {
    let node = store.node(term);
    let truth = |place: usize| values[&node.args[place]].truth();
    match &node.op {
        Op::RoundingModeConst(_) => return Both::Mode,
        Op::BoolConst(value) => return Both::Truth(*value, *value),
        Op::FloatConst(value) => {
            return Both::Number(double(value), rug::Float::with_val(PRECISION, to_precise(value)));
        }
        Op::BitVecConst(_) => return Both::Mode,
        Op::Not => {
            let (computed, exact) = truth(0);
            return Both::Truth(!computed, !exact);
        }
        Op::And | Op::Or => {
            let all: Vec<(bool, bool)> = (0..node.args.len()).map(truth).collect();
            return if node.op == Op::And {
                Both::Truth(all.iter().all(|both| both.0), all.iter().all(|both| both.1))
            } else {
                Both::Truth(all.iter().any(|both| both.0), all.iter().any(|both| both.1))
            };
        }
        Op::Ite => {
            let (computed, exact) = truth(0);
            let (then, otherwise) = (values[&node.args[1]].number(), values[&node.args[2]].number());
            let number = if computed { then.0 } else { otherwise.0 };
            return Both::Number(number, if exact { then.1.clone() } else { otherwise.1.clone() });
        }
        _ => {}
    }
    let numbers: Vec<(f64, &rug::Float)> = node
        .args
        .iter()
        .filter_map(|arg| match &values[arg] {
            Both::Number(computed, exact) => Some((*computed, exact)),
            _ => None,
        })
        .collect();
    let computed: Vec<f64> = numbers.iter().map(|number| number.0).collect();
    let exact: Vec<&rug::Float> = numbers.iter().map(|number| number.1).collect();
    match node.op {
        Op::FpLt => Both::Truth(computed[0] < computed[1], exact[0] < exact[1]),
        Op::FpLe => Both::Truth(computed[0] <= computed[1], exact[0] <= exact[1]),
        Op::FpEq => Both::Truth(computed[0] == computed[1], exact[0] == exact[1]),
        _ => Both::Number(machine(store, term, &computed), precise(&node.op, &exact)),
    }
}

/// The operation as the machine has it; in formats that the processor does not have, the software's.
fn machine(store: &Store, term: TermId, operands: &[f64]) -> f64 {
    let node = store.node(term);
    let Sort::Float(format) = node.sort else { panic!("no float") };
    let (x, y) = (operands[0], operands.get(1).copied().unwrap_or(0.0));
    let nearest = node.args.first().is_none_or(
        |mode| !matches!(store.node(*mode).op, Op::RoundingModeConst(mode) if mode != RoundingMode::NearestEven),
    );
    if format == Format::BINARY64 && nearest {
        return match node.op {
            Op::FpAdd => x + y,
            Op::FpSub => x - y,
            Op::FpMul => x * y,
            Op::FpDiv => x / y,
            Op::FpSqrt => x.sqrt(),
            Op::FpFma => x.mul_add(y, operands[2]),
            Op::FpNeg => -x,
            Op::FpAbs => x.abs(),
            Op::FpMin => x.min(y),
            Op::FpMax => x.max(y),
            Op::FpFromFloat(_) => x,
            _ => panic!("{:?}", node.op),
        };
    }
    let mut numbers = operands.iter();
    let args: Vec<Value> = node
        .args
        .iter()
        .map(|arg| match &store.node(*arg).op {
            Op::RoundingModeConst(mode) => Value::RoundingMode(*mode),
            _ => {
                let format = store.float_format(*arg).expect("a float");
                Value::Float(float(*numbers.next().expect("an operand"), format))
            }
        })
        .collect();
    let args: Vec<&Value> = args.iter().collect();
    match node.op.strict_value(&node.sort, &args) {
        Some(Value::Float(value)) => double(&value),
        other => panic!("{:?} {other:?}", node.op),
    }
}

fn precise(op: &Op, operands: &[&rug::Float]) -> rug::Float {
    let x = operands[0];
    let y = operands.get(1).copied().unwrap_or(x);
    match op {
        Op::FpAdd => (x + y).complete(PRECISION),
        Op::FpSub => (x - y).complete(PRECISION),
        Op::FpMul => (x * y).complete(PRECISION),
        Op::FpDiv => (x / y).complete(PRECISION),
        Op::FpSqrt => x.sqrt_ref().complete(PRECISION),
        Op::FpFma => x.mul_add_ref(y, operands[2]).complete(PRECISION),
        Op::FpNeg => (-x).complete(PRECISION),
        Op::FpAbs => x.abs_ref().complete(PRECISION),
        Op::FpMin => {
            if x < y {
                x.clone()
            } else {
                y.clone()
            }
        }
        Op::FpMax => {
            if x < y {
                y.clone()
            } else {
                x.clone()
            }
        }
        Op::FpFromFloat(_) => x.clone(),
        _ => panic!("{op:?}"),
    }
}
