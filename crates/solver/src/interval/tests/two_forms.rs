//! Two forms of one polynomial: their difference is rounding errors alone, which is where forms cancel. No value that some input gives is refuted,
//! and bounds of the size of the errors are proved.

use labrys_float::{Float, Format, RoundingMode};
use labrys_formulas::Random;
use labrys_term::{Evaluator, Model, Op, Sort, Store, TermId, Value};

use super::super::{IntervalConfig, IntervalEngine};
use crate::domain::Facts;
use crate::{Budget, Engine, Query, Verdict};

/// A monomial: its coefficient and which variables are its factors.
type Monomial = (f64, Vec<usize>);

/// A number of a format.
fn float(format: Format, value: f64) -> Float {
    let value = Float::from_f64(value).to_rational().expect("a finite number");
    Float::from_rational(format, &value, RoundingMode::NearestEven)
}

fn is_less(a: &Float, b: &Float) -> bool {
    a.compare(b) == Some(std::cmp::Ordering::Less)
}

/// Two forms of a polynomial over some variables in boxes.
struct Instance {
    store: Store,
    format: Format,
    variables: Vec<TermId>,
    boxes: Vec<(f64, f64)>,
    /// The difference of the two.
    difference: TermId,
}

impl Instance {
    fn constant(store: &mut Store, format: Format, value: f64) -> TermId {
        store.float_const(float(format, value))
    }

    fn operation(store: &mut Store, mode: RoundingMode, op: Op, operands: &[TermId]) -> TermId {
        let mode = store.rounding_mode(mode);
        let mut args = vec![mode];
        args.extend(operands);
        store.mk(op, &args)
    }

    fn new(random: &mut Random) -> Instance {
        let mut store = Store::new();
        let format = if random.once_in(3) { Format::BINARY32 } else { Format::BINARY64 };
        let mode = if random.once_in(4) { random.pick(&RoundingMode::ALL) } else { RoundingMode::NearestEven };
        let count = 1 + random.below(3);
        let variables: Vec<TermId> =
            (0..count).map(|index| store.variable(&format!("x{index}"), Sort::Float(format))).collect();
        let scale = f64::from(1u32 << random.below(12));
        let boxes = (0..count)
            .map(|_| {
                let (a, b) = (random.within(-1.0..1.0) * scale, random.within(-1.0..1.0) * scale);
                if random.once_in(8) { (a.abs() / 2.0, a.abs()) } else { (f64::min(a, b), f64::max(a, b)) }
            })
            .map(|(low, high)| (f64::from(low as f32), f64::from(high as f32)))
            .collect();
        let monomials: Vec<Monomial> = (0..1 + random.below(4))
            .map(|_| {
                let factors = (0..random.below(4)).map(|_| random.below(count)).collect();
                (f64::from(random.below(2000) as u32) / 64.0 - 15.0, factors)
            })
            .collect();
        let sides = [(); 2].map(|()| {
            let made = Instance::form(&mut store, (format, mode), &variables, monomials.clone(), random);
            match random.below(4) {
                0 => {
                    let factor = Instance::constant(&mut store, format, 0.3048);
                    let product = Instance::operation(&mut store, mode, Op::FpMul, &[made, factor]);
                    Instance::operation(&mut store, mode, Op::FpDiv, &[product, factor])
                }
                _ => made,
            }
        });
        let difference = Instance::operation(&mut store, mode, Op::FpSub, &sides);
        Instance { store, format, variables, boxes, difference }
    }

    /// The sum of monomials in some order; in one case of three the first variable is taken out where it is a factor.
    fn form(
        store: &mut Store,
        (format, mode): (Format, RoundingMode),
        variables: &[TermId],
        mut monomials: Vec<Monomial>,
        random: &mut Random,
    ) -> TermId {
        for last in (1..monomials.len()).rev() {
            monomials.swap(last, random.below(last + 1));
        }
        let (with, without): (Vec<Monomial>, Vec<Monomial>) =
            monomials.iter().cloned().partition(|(_, factors)| factors.contains(&0));
        if random.once_in(3) && !with.is_empty() && !without.is_empty() {
            let rest = with.into_iter().map(|(coefficient, mut factors)| {
                factors.remove(factors.iter().position(|factor| *factor == 0).unwrap_or(0));
                (coefficient, factors)
            });
            let inner = Instance::form(store, (format, mode), variables, rest.collect(), random);
            let product = Instance::operation(store, mode, Op::FpMul, &[variables[0], inner]);
            let outer = Instance::form(store, (format, mode), variables, without, random);
            return Instance::operation(store, mode, Op::FpAdd, &[outer, product]);
        }
        let mut sum: Option<TermId> = None;
        for (coefficient, mut factors) in monomials {
            for last in (1..factors.len()).rev() {
                factors.swap(last, random.below(last + 1));
            }
            let mut product = Instance::constant(store, format, coefficient);
            for factor in factors {
                product = Instance::operation(store, mode, Op::FpMul, &[product, variables[factor]]);
            }
            sum = Some(match sum {
                None => product,
                Some(sum) => Instance::operation(store, mode, Op::FpAdd, &[sum, product]),
            });
        }
        sum.unwrap_or_else(|| Instance::constant(store, format, 0.0))
    }

    /// The greatest and least difference that some inputs give.
    fn extremes(&self, random: &mut Random) -> (Float, Float) {
        let mut found: Option<(Float, Float)> = None;
        for trial in 0..300 {
            let mut model = Model::new();
            for (variable, (low, high)) in self.variables.iter().zip(&self.boxes) {
                let at = match trial {
                    0 => *low,
                    1 => *high,
                    _ => low + (high - low) * random.within(0.0..1.0),
                };
                let (inside, low, high) = (float(self.format, at), float(self.format, *low), float(self.format, *high));
                let inside = if is_less(&inside, &low) || is_less(&high, &inside) { low } else { inside };
                model.set_term(&self.store, *variable, Value::Float(inside));
            }
            let Ok(Value::Float(value)) = Evaluator::new(&self.store, &model).value(self.difference) else { continue };
            found = Some(match found {
                None => (value.clone(), value),
                Some((low, high)) => (
                    if is_less(&value, &low) { value.clone() } else { low },
                    if is_less(&high, &value) { value } else { high },
                ),
            });
        }
        found.expect("a difference")
    }

    fn ask(&mut self, op: Op, operands: [TermId; 2]) -> Verdict {
        let mut assertions = vec![self.store.mk(op, &operands)];
        for (variable, (low, high)) in self.variables.iter().zip(&self.boxes) {
            let ends = [low, high].map(|end| Instance::constant(&mut self.store, self.format, *end));
            assertions.push(self.store.mk(Op::FpLe, &[ends[0], *variable]));
            assertions.push(self.store.mk(Op::FpLe, &[*variable, ends[1]]));
        }
        let facts = Facts::default();
        let query = Query { store: &self.store, assertions: &assertions, facts: &facts };
        let budget = Budget { work: 2_000, ..Budget::unlimited() };
        IntervalEngine::new(IntervalConfig::default()).check(&query, &budget)
    }
}

#[test]
fn differences_are_as_large_as_rounding_makes_them() {
    let (mut tight, mut count) = (0, 0);
    for seed in super::planted::seeds() {
        let random = &mut Random::new(seed);
        let mut instance = Instance::new(random);
        let (low, high) = instance.extremes(random);
        let (least, most) = (instance.store.float_const(low.clone()), instance.store.float_const(high.clone()));
        let difference = instance.difference;
        assert_ne!(instance.ask(Op::FpLe, [most, difference]), Verdict::Unsat, "{seed}: {high:?} is reached");
        assert_ne!(instance.ask(Op::FpLe, [difference, least]), Verdict::Unsat, "{seed}: {low:?} is reached");
        // Beyond some dozen roundings of the largest term there is nothing.
        let size: f64 = instance.boxes.iter().map(|(low, high)| low.abs().max(high.abs()).max(1.0)).fold(1.0, f64::max);
        let unit = if instance.format == Format::BINARY32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
        let beyond = Instance::constant(&mut instance.store, instance.format, 2_000.0 * unit * size.powi(3));
        count += 1;
        tight += usize::from(instance.ask(Op::FpLe, [beyond, difference]) == Verdict::Unsat);
    }
    assert!(tight * 10 >= count * 9, "{tight} of {count}");
}

/// What lies between numbers of a box: intervals add the box's size for each.
#[test]
fn what_is_linear_is_extreme_at_corners() {
    for (format, slack) in [(Format::BINARY32, 1e-6), (Format::BINARY64, 1e-12)] {
        let mut store = Store::new();
        let variables: Vec<TermId> =
            ["a", "b", "u"].iter().map(|name| store.variable(name, Sort::Float(format))).collect();
        let [a, b, u] = variables[..] else { unreachable!("three variables") };
        let mode = RoundingMode::NearestEven;
        let one = Instance::constant(&mut store, format, 1.0);
        let rest = Instance::operation(&mut store, mode, Op::FpSub, &[one, u]);
        let first = Instance::operation(&mut store, mode, Op::FpMul, &[a, rest]);
        let second = Instance::operation(&mut store, mode, Op::FpMul, &[b, u]);
        let difference = Instance::operation(&mut store, mode, Op::FpAdd, &[first, second]);
        let boxes = vec![(-1.0, 3.0), (-1.0, 3.0), (0.0, 1.0)];
        let mut instance = Instance { store, format, variables, boxes, difference };
        for (low, is_refuted) in [(3.0 * (1.0 + slack), true), (3.0, false)] {
            let low = Instance::constant(&mut instance.store, format, low);
            let found = instance.ask(Op::FpLe, [low, difference]);
            assert_eq!(found == Verdict::Unsat, is_refuted, "{format:?}: {found:?}");
        }
        let low = Instance::constant(&mut instance.store, format, -1.0 - slack);
        assert_eq!(instance.ask(Op::FpLe, [difference, low]), Verdict::Unsat);
    }
}
