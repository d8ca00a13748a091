//! Values of inputs, and of what follows from them.
//!
//! **Claim.** [`Assignment::holds`] answers true only for literals that are true at the inputs' values, with square roots
//! exactly what they are, and the caller's functions exactly what the caller says they are.
//!
//! **Argument.** Inputs are rational. Every other value is enclosed by an interval, a point where it is known exactly.
//! Terms are evaluated on intervals of 256 bits; what these leave open (equalities, as a rule) is evaluated in rational
//! numbers if all values below are exact, and counts as not holding otherwise.

use labrys_term::algebraic::Dyadic;
use labrys_term::approx::ExtendedReal;
use labrys_term::{EvalError, Evaluator, Model, TermId, Truth, Value, VariableId};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashMap;

use super::config::Dependent;
use super::problem::{Definition, Kind, Problem};
use crate::conjuncts::Literal;
use crate::enclosure::{self, Interval};
use crate::{RealModel, RealValue};

/// Bits of square roots.
const ROOT_BITS: u64 = 320;

/// What the caller computes a function's value with.
pub(super) type Evaluate<'e> = dyn FnMut(&Dependent, &[BigRational]) -> Option<BigRational> + 'e;

/// A variable's value, between two numbers.
#[derive(Clone, Debug)]
struct Bounds {
    low: BigRational,
    high: BigRational,
    interval: Interval,
    approximate: ExtendedReal,
}

impl Bounds {
    fn new(low: BigRational, high: BigRational) -> Bounds {
        let interval = Interval::between(&low, &high);
        // A square root's bounds are 320 bits apart: what is inexact here covers that.
        let approximate = ExtendedReal::from_rational(&low);
        let approximate = if low == high || !approximate.is_exact() { approximate } else { ExtendedReal::UNKNOWN };
        Bounds { low, high, interval, approximate }
    }

    fn exact(&self) -> Option<&BigRational> {
        (self.low == self.high).then_some(&self.low)
    }
}

/// Values of some variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Assignment {
    values: FxHashMap<VariableId, Bounds>,
    intervals: FxHashMap<VariableId, Interval>,
}

impl Assignment {
    /// The value of a variable that is known exactly.
    pub fn rational(&self, variable: VariableId) -> Option<&BigRational> {
        self.values.get(&variable)?.exact()
    }

    /// Whether a variable has a value.
    pub fn contains(&self, variable: VariableId) -> bool {
        self.values.contains_key(&variable)
    }

    /// A variable's value for fast evaluation.
    pub fn approximate(&self, variable: VariableId) -> Option<ExtendedReal> {
        self.values.get(&variable).map(|bounds| bounds.approximate)
    }

    /// Binds an input, and what follows from this and the inputs bound before; whether all that follows has a value: no
    /// square root of a negative number, no function that is undefined.
    pub fn bind(
        &mut self,
        problem: &Problem<'_>,
        input: usize,
        value: BigRational,
        definitions: &[&Definition],
        evaluate: &mut Evaluate<'_>,
    ) -> bool {
        self.bind_between(problem, input, (value.clone(), value), definitions, evaluate)
    }

    /// The same for a number between two others.
    pub fn bind_between(
        &mut self,
        problem: &Problem<'_>,
        input: usize,
        (low, high): (BigRational, BigRational),
        definitions: &[&Definition],
        evaluate: &mut Evaluate<'_>,
    ) -> bool {
        self.set(problem.inputs[input].variable, Bounds::new(low, high));
        let mut is_defined = true;
        for definition in definitions {
            match self.define(problem, definition, evaluate) {
                Some(bounds) => self.set(definition.variable, bounds),
                None => {
                    self.unset(definition.variable);
                    is_defined = false;
                }
            }
        }
        is_defined
    }

    /// Forgets an input's value and what follows from it.
    pub fn release(&mut self, problem: &Problem<'_>, input: usize) {
        let variable = problem.inputs[input].variable;
        self.unset(variable);
        for definition in &problem.definitions {
            if problem.hangs_on(definition.variable, variable) {
                self.unset(definition.variable);
            }
        }
    }

    /// The definitions that have values once `input` is bound, and change with it.
    pub fn following<'p>(&self, problem: &'p Problem<'_>, input: usize) -> Vec<&'p Definition> {
        let variable = problem.inputs[input].variable;
        let is_bound = |index: &usize| *index == input || self.contains(problem.inputs[*index].variable);
        let follows = |definition: &&Definition| {
            problem.hangs_on(definition.variable, variable)
                && problem.support(&definition.operands).iter().all(is_bound)
        };
        problem.definitions.iter().filter(follows).collect()
    }

    fn set(&mut self, variable: VariableId, bounds: Bounds) {
        self.intervals.insert(variable, bounds.interval.clone());
        self.values.insert(variable, bounds);
    }

    fn unset(&mut self, variable: VariableId) {
        self.intervals.remove(&variable);
        self.values.remove(&variable);
    }

    fn define(&self, problem: &Problem<'_>, definition: &Definition, evaluate: &mut Evaluate<'_>) -> Option<Bounds> {
        let operands: Option<Vec<(BigRational, BigRational)>> =
            enclosure::values(problem.store, &definition.operands, &self.intervals)
                .into_iter()
                .map(|interval| interval.map(|interval| interval.ends()))
                .collect();
        let operands = operands?;
        match definition.kind {
            Kind::Same => operands.into_iter().next().map(|(low, high)| Bounds::new(low, high)),
            Kind::SquareRoot => {
                let (low, high) = operands.into_iter().next()?;
                let low = if low.is_negative() && !high.is_negative() { BigRational::zero() } else { low };
                Some(Bounds::new(square_root(&low)?.0, square_root(&high)?.1))
            }
            Kind::Call(index) => {
                let operands: Vec<BigRational> = operands.into_iter().map(|(low, _)| low).collect();
                let value = evaluate(&problem.dependents[index], &operands)?;
                Some(Bounds::new(value.clone(), value))
            }
        }
    }

    /// Whether all literals hold for certain.
    pub fn holds(&self, problem: &Problem<'_>, literals: &[Literal]) -> bool {
        self.truth(problem, literals) == Truth::True
    }

    /// The truth of the literals' conjunction; false where it hangs on a division by zero, unsure where numbers that are
    /// not known exactly may be equal.
    pub fn truth(&self, problem: &Problem<'_>, literals: &[Literal]) -> Truth {
        let terms: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
        let truths = enclosure::evaluate(problem.store, &terms, &self.intervals);
        let mut unsure = Vec::new();
        for (literal, truth) in literals.iter().zip(truths) {
            match truth {
                Truth::Unsure => unsure.push(*literal),
                truth if (truth == Truth::True) == literal.holds => {}
                _ => return Truth::False,
            }
        }
        if unsure.is_empty() {
            return Truth::True;
        }
        let model = self.exact();
        let mut evaluator = Evaluator::new(problem.store, &model);
        let mut all = Truth::True;
        for literal in unsure {
            match evaluator.holds(literal.term) {
                Ok(truth) if truth == literal.holds => {}
                Err(EvalError::Unassigned(variable)) if self.contains(variable) => all = Truth::Unsure,
                _ => return Truth::False,
            }
        }
        all
    }

    /// The values that are known exactly.
    fn exact(&self) -> Model {
        let mut model = Model::new();
        for (variable, bounds) in &self.values {
            if let Some(value) = bounds.exact() {
                model.set(*variable, Value::Real(value.clone()));
            }
        }
        model
    }

    /// Whether no literal is false for certain, whatever the variables without a value are.
    pub fn allows(&self, problem: &Problem<'_>, literals: &[Literal]) -> bool {
        let terms: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
        let mut intervals = self.intervals.clone();
        for input in problem.inputs.iter().filter(|input| !self.contains(input.variable)) {
            let (first, last) = input.grid.ends();
            let (low, high) = (input.grid.value(&first), input.grid.value(&last));
            intervals.insert(input.variable, Interval::between(&low, &high));
        }
        let truths = enclosure::evaluate(problem.store, &terms, &intervals);
        let refutes = |(literal, truth): (&Literal, &Truth)| match truth {
            Truth::Unsure => false,
            truth => (*truth == Truth::True) != literal.holds,
        };
        !literals.iter().zip(&truths).any(refutes)
    }

    /// All values. Irrational roots are algebraic numbers where their square is known exactly.
    pub fn model(&self, problem: &Problem<'_>) -> RealModel {
        let mut model = RealModel::default();
        for (variable, bounds) in &self.values {
            model.values.insert(*variable, RealValue::Rational(bounds.low.clone()));
        }
        let exact = self.exact();
        let mut evaluator = Evaluator::new(problem.store, &exact);
        for definition in problem.definitions.iter().filter(|definition| definition.kind == Kind::SquareRoot) {
            if !self.contains(definition.variable) || self.rational(definition.variable).is_some() {
                continue;
            }
            if let Some(Ok(Value::Real(square))) = definition.operands.first().map(|operand| evaluator.value(*operand))
            {
                let (numerator, denominator) = square.into();
                let coefficients = vec![-numerator, BigInt::zero(), denominator];
                if let Ok(root) = labrys_term::AlgebraicNumber::new(coefficients, 2) {
                    model.values.insert(definition.variable, RealValue::Algebraic(root));
                }
            }
        }
        model
    }
}

/// Bounds on the square root, equal where it is rational and short; `None` for negative numbers.
fn square_root(value: &BigRational) -> Option<(BigRational, BigRational)> {
    if value.is_negative() {
        return None;
    }
    // √(n/m) = √(n·m·4^k)/(m·2^k), k large enough for the root to have ROOT_BITS.
    let product = value.numer() * value.denom();
    let shift = (2 * ROOT_BITS).saturating_sub(product.bits()) / 2 + 1;
    let scaled = product << (2 * shift);
    let root = scaled.sqrt();
    let is_exact = &root * &root == scaled;
    let unit = BigRational::from_integer(value.denom().clone()) * Dyadic::power_of_two(shift as i64).to_rational();
    let next = if is_exact { root.clone() } else { &root + BigInt::one() };
    Some((BigRational::from_integer(root) / &unit, BigRational::from_integer(next) / unit))
}
