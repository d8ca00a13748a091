use labrys_float::{Float, Format, RoundingMode};
use labrys_term::{Evaluator, Model, Op, Sort, Store, TermId, Value};
use smallvec::smallvec;

use super::lemmas::{Operation, all};
use super::refutes;
use crate::{Limits, Portfolio, PortfolioConfig};

/// Two operations of every kind on four variables, alike or such that a lemma is about both.
fn operations(store: &mut Store, format: Format, mode: RoundingMode) -> (Vec<TermId>, Vec<Operation>) {
    let variables: Vec<TermId> = ["x", "y", "u", "v"].map(|name| store.variable(name, Sort::Float(format))).to_vec();
    let [x, y, u, v] = variables[..] else { unreachable!() };
    let mode = store.rounding_mode(mode);
    let mut found = Vec::new();
    let mut add = |store: &mut Store, op: Op, operands: &[TermId]| {
        let mut args: smallvec::SmallVec<[TermId; 4]> = smallvec![mode];
        args.extend_from_slice(operands);
        let result = store.mk(op.clone(), &args);
        found.push(Operation { op, args, result });
        result
    };
    for op in [Op::FpAdd, Op::FpSub, Op::FpMul, Op::FpDiv] {
        add(store, op.clone(), &[x, y]);
        add(store, op.clone(), &[u, v]);
        add(store, op, &[u, y]);
    }
    // y + v with v − y; v − u with v − y.
    add(store, Op::FpAdd, &[y, u]);
    add(store, Op::FpSub, &[v, y]);
    add(store, Op::FpSub, &[v, u]);
    add(store, Op::FpMul, &[x, x]);
    for operand in [x, u] {
        add(store, Op::FpSqrt, &[operand]);
        add(store, Op::FpRoundToIntegral, &[operand]);
        add(store, Op::FpFromFloat(Format::new(format.exponent_bits(), format.precision() - 1)), &[operand]);
    }
    (variables, found)
}

fn check(store: &Store, variables: &[TermId], lemmas: &[TermId], values: &[Float]) {
    let mut model = Model::new();
    for (variable, value) in variables.iter().zip(values) {
        model.set_term(store, *variable, Value::float(value.clone()));
    }
    let mut evaluator = Evaluator::new(store, &model);
    for lemma in lemmas {
        assert_eq!(evaluator.holds(*lemma), Ok(true), "{values:?} {:?}", store.node(*lemma));
    }
}

#[test]
fn lemmas_hold_for_all_operands_of_a_small_format_and_samples_of_others() {
    let modes = [
        RoundingMode::NearestEven,
        RoundingMode::NearestAway,
        RoundingMode::TowardZero,
        RoundingMode::TowardPositive,
        RoundingMode::TowardNegative,
    ];
    let mut state = 7u128;
    let mut below = |bound: u128| {
        state = state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(0x5851_f42d_4c95_7f2d);
        (state >> 70) % bound
    };
    for mode in modes {
        for format in [Format::new(2, 3), Format::new(3, 4), Format::BINARY32] {
            let mut store = Store::new();
            let (variables, operations) = operations(&mut store, format, mode);
            let lemmas = all(&mut store, &operations);
            assert!(lemmas.len() > 100, "{}", lemmas.len());
            let width = format.width();
            // All operands of 5 bits would be a million quadruples for each mode; a part of them is drawn anew for each.
            for _ in 0..if width < 8 { 12_000 } else { 2_500 } {
                let mut near = below(1 << width);
                let values: Vec<Float> = (0..4)
                    .map(|_| {
                        near = match below(3) {
                            0 => below(1 << width),
                            1 => near,
                            _ => near.wrapping_add(below(3)).wrapping_sub(1) & ((1 << width) - 1),
                        };
                        Float::from_bits(format, near)
                    })
                    .collect();
                check(&store, &variables, &lemmas, &values);
            }
        }
    }
}

/// The root of the rounded square, of every significand.
#[test]
fn roots_of_squares_are_sizes() {
    for bits in (0x3f80_0000u32..0x4080_0000).step_by(7) {
        let x = f32::from_bits(bits);
        assert_eq!((x * x).sqrt(), x);
    }
    // Below the normal numbers they are not.
    let x = f32::from_bits(0x1b80_0001);
    assert!((x * x).sqrt() != x);
}

struct Query {
    store: Store,
    terms: Vec<TermId>,
}

impl Query {
    fn new() -> Query {
        Query { store: Store::new(), terms: Vec::new() }
    }

    fn variable(&mut self, name: &str) -> TermId {
        self.store.variable(name, Sort::Float(Format::BINARY64))
    }

    fn number(&mut self, value: f64) -> TermId {
        self.store.float_const(Float::from_f64(value))
    }

    fn op(&mut self, op: Op, operands: &[TermId]) -> TermId {
        let mode = self.store.rounding_mode(RoundingMode::NearestEven);
        let args: Vec<TermId> = [&[mode], operands].concat();
        self.store.mk(op, &args)
    }

    fn le(&mut self, a: TermId, b: TermId) {
        self.terms.push(self.store.mk(Op::FpLe, &[a, b]));
    }

    fn lt(&mut self, a: TermId, b: TermId) {
        self.terms.push(self.store.mk(Op::FpLt, &[a, b]));
    }

    fn is_refuted(&self) -> bool {
        refutes(&self.store, &self.terms, &mut Portfolio::new(PortfolioConfig::default()), &Limits::default())
    }
}

/// 0 ≤ a ≤ b: the mean a + (b − a)/2 is at most b; below b it may well be.
#[test]
fn means_lie_between() {
    for (strict, refuted) in [(true, true), (false, false)] {
        let mut query = Query::new();
        let (a, b, zero, two) = (query.variable("a"), query.variable("b"), query.number(0.0), query.number(2.0));
        let large = query.number(1e300);
        query.le(zero, a);
        query.le(a, b);
        query.le(b, large);
        let difference = query.op(Op::FpSub, &[b, a]);
        let half = query.op(Op::FpDiv, &[difference, two]);
        let mean = query.op(Op::FpAdd, &[a, half]);
        if strict {
            query.lt(b, mean);
        } else {
            query.lt(mean, b);
        }
        assert_eq!(query.is_refuted(), refuted);
    }
}

/// A side is at most the hypotenuse; a quotient by it at most 1.
#[test]
fn sides_are_not_longer_than_the_hypotenuse() {
    for (limit, refuted) in [(1.0, true), (0.5, false)] {
        let mut query = Query::new();
        let (a, b) = (query.variable("a"), query.variable("b"));
        let (least, most, limit) = (query.number(0.001), query.number(1000.0), query.number(limit));
        for side in [a, b] {
            query.le(least, side);
            query.le(side, most);
        }
        let squares = [a, b].map(|side| query.op(Op::FpMul, &[side, side]));
        let sum = query.op(Op::FpAdd, &squares);
        let norm = query.op(Op::FpSqrt, &[sum]);
        let cosine = query.op(Op::FpDiv, &[a, norm]);
        query.lt(limit, cosine);
        assert_eq!(query.is_refuted(), refuted);
    }
}
