//! Claims about random arithmetic: what a sample fulfils is not refuted, however near to the largest error it is; what is far beyond that is.

use std::time::Duration;

use labrys_float::{Float, Format, RoundingMode};
use labrys_formulas::Random;
use labrys_term::{Evaluator, Model, Op, Sort, Store, TermId, Value};
use num_rational::BigRational;
use num_traits::{Signed, Zero};

use super::Relaxation;
use super::tests::setting;
use crate::{Limits, Portfolio, PortfolioConfig};

const INPUTS: usize = 3;

/// Inputs of which results are looked at.
const SAMPLES: usize = 60;

/// An expression.
#[derive(Clone, Debug)]
enum Expression {
    Input(usize),
    Number(u64),
    Of(Op, Vec<Expression>),
}

use Expression::{Input, Number, Of};

impl Expression {
    fn random(random: &mut Random, depth: usize) -> Expression {
        let part = |random: &mut Random| Expression::random(random, depth - 1);
        if depth == 0 || random.once_in(7) {
            return if random.once_in(6) { Number(random.below(5) as u64) } else { Input(random.below(INPUTS)) };
        }
        match random.below(12) {
            0..3 => Of(Op::FpAdd, vec![part(random), part(random)]),
            3..5 => Of(Op::FpSub, vec![part(random), part(random)]),
            5..8 => Of(Op::FpMul, vec![part(random), part(random)]),
            8 => {
                let divisor = part(random);
                Of(Op::FpDiv, vec![part(random), Expression::above_zero(divisor)])
            }
            9 => Of(Op::FpSqrt, vec![Expression::above_zero(part(random))]),
            10 => Of(Op::FpAbs, vec![part(random)]),
            _ => Of(if random.once_in(2) { Op::FpMin } else { Op::FpMax }, vec![part(random), part(random)]),
        }
    }

    /// |x| + 1.
    fn above_zero(self) -> Expression {
        Of(Op::FpAdd, vec![Of(Op::FpAbs, vec![self]), Number(1)])
    }

    /// The same of real numbers, its operations in another order.
    fn reordered(&self, random: &mut Random) -> Expression {
        let Of(op, parts) = self else { return self.clone() };
        let parts: Vec<Expression> = parts.iter().map(|part| part.reordered(random)).collect();
        if random.once_in(3) {
            return Of(op.clone(), parts);
        }
        match (op, &parts[..]) {
            (Op::FpAdd, [Of(Op::FpAdd, inner), c]) => {
                Of(Op::FpAdd, vec![inner[0].clone(), Of(Op::FpAdd, vec![inner[1].clone(), c.clone()])])
            }
            (Op::FpMul, [Of(Op::FpMul, inner), c]) => {
                Of(Op::FpMul, vec![inner[0].clone(), Of(Op::FpMul, vec![inner[1].clone(), c.clone()])])
            }
            (Op::FpMul, [a, Of(inner @ (Op::FpAdd | Op::FpSub), sum)]) => {
                let product = |part: &Expression| Of(Op::FpMul, vec![a.clone(), part.clone()]);
                Of(inner.clone(), vec![product(&sum[0]), product(&sum[1])])
            }
            (Op::FpDiv, [a, b]) => Of(Op::FpMul, vec![Of(Op::FpDiv, vec![Number(1), b.clone()]), a.clone()]),
            (Op::FpAdd | Op::FpMul, [a, b]) => Of(op.clone(), vec![b.clone(), a.clone()]),
            _ => Of(op.clone(), parts),
        }
    }

    fn build(&self, store: &mut Store, inputs: &[TermId], (format, mode): (Format, RoundingMode)) -> TermId {
        match self {
            Input(place) => inputs[*place],
            Number(value) => number(store, format, &BigRational::from_integer((*value).into())),
            Of(op, parts) => {
                let mut args: Vec<TermId> = Vec::new();
                if !matches!(op, Op::FpAbs | Op::FpMin | Op::FpMax) {
                    args.push(store.rounding_mode(mode));
                }
                args.extend(parts.iter().map(|part| part.build(store, inputs, (format, mode))));
                store.mk(op.clone(), &args)
            }
        }
    }
}

fn number(store: &mut Store, format: Format, value: &BigRational) -> TermId {
    store.float_const(Float::from_rational(format, value, RoundingMode::NearestEven))
}

/// Two expressions that are one over the reals, their difference, and the sample in which that is greatest.
struct Claim {
    store: Store,
    /// What bounds the inputs.
    bounds: Vec<TermId>,
    difference: TermId,
    greatest: Float,
    /// What results of the expressions are at most, in the samples; `None` where they are not the same over the reals.
    size: Option<BigRational>,
}

fn claim(seed: u64) -> Option<(Claim, Format)> {
    let mut random = Random::new(seed);
    let format = random.pick(&[Format::new(5, 4), Format::new(6, 6), Format::new(8, 8), Format::BINARY64]);
    let mode = match random.below(8) {
        0 => RoundingMode::TowardZero,
        1 => RoundingMode::TowardPositive,
        2 => RoundingMode::TowardNegative,
        _ => RoundingMode::NearestEven,
    };
    let mut store = Store::new();
    let first = Expression::random(&mut random, 4);
    let is_same = !random.once_in(8);
    let second = if is_same { first.reordered(&mut random) } else { Number(0) };
    let mut bounds = Vec::new();
    let mut ranges = Vec::new();
    let inputs: Vec<TermId> = (0..INPUTS)
        .map(|place| {
            let variable = store.variable(&format!("x{place}"), Sort::Float(format));
            let low = random.below(5) as i64 - 2;
            let high = low + 1 + random.below(4) as i64;
            let ends = [low, high].map(|end| number(&mut store, format, &BigRational::from_integer(end.into())));
            bounds.push(store.mk(Op::FpLe, &[ends[0], variable]));
            bounds.push(store.mk(Op::FpLe, &[variable, ends[1]]));
            ranges.push((low, high));
            variable
        })
        .collect();
    let sides = [first, second].map(|side| side.build(&mut store, &inputs, (format, mode)));
    let nearest = store.rounding_mode(RoundingMode::NearestEven);
    let difference = store.mk(Op::FpSub, &[nearest, sides[0], sides[1]]);
    let mut greatest: Option<Float> = None;
    let mut size = BigRational::zero();
    for _ in 0..SAMPLES {
        let mut model = Model::new();
        for (input, (low, high)) in inputs.iter().zip(&ranges) {
            let part = BigRational::new(random.below(1 << 20).into(), (1 << 20).into());
            let value =
                BigRational::from_integer((*low).into()) + part * BigRational::from_integer((high - low).into());
            let value = Float::from_rational(format, &value, RoundingMode::NearestEven);
            model.set_term(&store, *input, Value::Float(value));
        }
        let mut evaluator = Evaluator::new(&store, &model);
        let mut value = |term: TermId| match evaluator.value(term) {
            Ok(Value::Float(value)) => value.to_rational().map(|rational| (value, rational)),
            _ => None,
        };
        let (found, _) = value(difference)?;
        for side in sides {
            size = size.max(value(side)?.1.abs());
        }
        let of = |value: &Float| value.to_rational().map(|value| value.abs());
        if greatest.as_ref().is_none_or(|greatest| of(greatest) < of(&found)) {
            greatest = Some(found);
        }
    }
    let size = Some(size).filter(|size| is_same && !size.is_zero());
    Some((Claim { store, bounds, difference, greatest: greatest?, size }, format))
}

/// `LABRYS_CLAIMS` says how many, `LABRYS_CLAIMS_SEED` is the first one's seed.
#[test]
fn what_a_sample_fulfils_is_not_refuted_and_what_is_far_beyond_is() {
    let (first, count) = (setting("LABRYS_CLAIMS_SEED", 0), setting("LABRYS_CLAIMS", 80));
    let mut relaxation = Relaxation::new(0);
    let (mut asked, mut refuted) = (0, 0);
    for seed in first..first + count {
        let Some((Claim { mut store, bounds, difference, greatest, size }, format)) = claim(seed) else { continue };
        let mut solver = Portfolio::new(PortfolioConfig::default());
        let limits = Limits { wall: Duration::from_millis(600), ..Limits::default() };
        let least = store.float_const(greatest.clone());
        let order = if greatest.is_negative() { [difference, least] } else { [least, difference] };
        let claim = store.mk(Op::FpLe, &order);
        let terms = [&bounds[..], &[claim]].concat();
        assert!(!relaxation.refutes(&store, &terms, &mut solver, &limits), "seed {seed}");
        // A hundred roundings of the largest result.
        if let Some(size) = size.filter(|_| format == Format::BINARY64) {
            asked += 1;
            let far = size * BigRational::new(1.into(), (1u64 << 46).into());
            let far = number(&mut store, format, &far);
            let claim = store.mk(Op::FpLe, &[far, difference]);
            let terms = [&bounds[..], &[claim]].concat();
            refuted += u64::from(relaxation.refutes(&store, &terms, &mut solver, &limits));
        }
    }
    assert!(asked * 6 > count, "{asked} of {count} claims were of doubles");
    assert!(refuted * 4 > asked, "{refuted} of {asked} claims that cannot be were refuted");
}
