//! What cancels: terms as polynomials over the reals, and how far their values are from these.
//!
//! An affine form puts products of symbols into its error. Two forms of one polynomial, or a sum and the same in another order, then differ by all of
//! them, and only boxes as small as the difference tell more. As polynomials they are equal, and differ by their rounding errors.
//!
//! **Claim.** Let v be a variable with an affine form. In every solution within the symbols' domains |v − P| ≤ d, where P is the value of v's
//! polynomial and d its distance. **Argument.** By induction over the operators. An *atom*, whose polynomial is itself, has none: symbols, results of
//! operators without polynomials, and those whose polynomial would be too large. For sums the operands' distances add up; ab − PQ is
//! a(b − Q) + Q(a − P), where |Q| is at most |b| and its distance; a constant divisor divides the distance. To all that comes the rounding.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;

use labrys_float::{Float, Format, RoundingMode};
use labrys_term::Op;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use smallvec::SmallVec;

use super::affine::{Form, grown};
use super::literal::Var;
use crate::polynomial;

/// Factors of the largest monomial, and bits of the largest numerator and denominator.
const MOST_FACTORS: usize = 8;
const MOST_BITS: u64 = 2048;

/// Monomials that are evaluated for one range at most, all corners together.
const MOST_EVALUATIONS: usize = 256;

/// Coefficients that are computed for a graph at most.
const MOST_WORK: usize = 50_000;

/// A polynomial over the values of variables.
type Polynomial = polynomial::Polynomial<Var, BigRational, MOST_FACTORS>;

/// A polynomial for evaluation: monomials with enclosures of their coefficients.
///
/// Where a variable has no powers the polynomial is linear in it, whatever the others are, so that it is extreme at an end of the variable's range:
/// between a·(1 − u) and b·u for a, b in [−1, 1] intervals see 2, the corners see 1.
#[derive(Debug)]
pub(super) struct Evaluable {
    monomials: Vec<Monomial>,
    /// Variables of whose ranges only the ends are looked at.
    linear: Vec<Var>,
}

/// An enclosure of the coefficient, and the factors.
type Monomial = ((f64, f64), SmallVec<[Factor; 4]>);

/// A factor of a monomial.
#[derive(Clone, Copy, Debug)]
enum Factor {
    /// The variable of this place among the linear ones.
    End(usize),
    /// A power of a variable.
    Power(Var, u32),
}

/// The polynomials of a graph's variables.
#[derive(Debug)]
pub(super) struct Exact {
    /// By variable; `None` where there is no form.
    polynomials: Vec<Option<Rc<Polynomial>>>,
    /// By variable, whether its polynomial is itself.
    atoms: Vec<bool>,
    /// By variable, whether it has one value.
    constants: Vec<bool>,
    /// By variable, of sums that have fewer monomials than their operands together, or linear variables.
    sums: Vec<Option<Evaluable>>,
    /// By variable.
    distances: Vec<f64>,
    /// Of [`MOST_WORK`], what is left.
    work: usize,
}

impl Exact {
    /// Of so many variables, none of which has a polynomial.
    pub fn new(count: usize) -> Exact {
        Exact {
            polynomials: vec![None; count],
            atoms: vec![false; count],
            constants: vec![false; count],
            sums: (0..count).map(|_| None).collect(),
            distances: vec![0.0; count],
            work: MOST_WORK,
        }
    }

    /// A variable of one value.
    pub fn set_constant(&mut self, var: usize, value: &Float) {
        self.polynomials[var] = value.to_rational().map(|value| Rc::new(Polynomial::constant(value)));
        self.constants[var] = true;
    }

    /// A variable of which only itself is known.
    pub fn set_atom(&mut self, var: usize) {
        self.polynomials[var] = Some(Rc::new(Polynomial::atom(var as Var)));
        self.atoms[var] = true;
    }

    /// The result of an operator on variables that were set before.
    pub fn set_operator(&mut self, var: usize, op: &Op, args: &[Var]) {
        let lengths = args.iter().filter_map(|arg| self.of(*arg)).map(|of| of.len().max(1));
        let cost: usize = if matches!(op, Op::FpMul | Op::FpFma) { lengths.product() } else { lengths.sum() };
        let Some(left) = self.work.checked_sub(cost) else { return self.set_atom(var) };
        self.work = left;
        let made = self.operator(op, args).filter(|made| made.terms().all(|(_, coefficient)| is_small(coefficient)));
        let Some(made) = made else { return self.set_atom(var) };
        let of_operands: usize = args.iter().filter_map(|arg| self.of(*arg)).map(|of| of.len()).sum();
        if matches!(op, Op::FpAdd | Op::FpSub | Op::FpFma) {
            let sum = Evaluable::of(&made);
            self.sums[var] = (made.len() < of_operands || !sum.linear.is_empty()).then_some(sum);
        }
        self.polynomials[var] = Some(Rc::new(made));
    }

    /// The difference of two variables, where some of it cancels or is linear.
    pub fn difference(&mut self, a: Var, b: Var) -> Option<Evaluable> {
        self.work = self.work.checked_sub(self.of(a)?.len() + self.of(b)?.len())?;
        let (a, b) = (self.of(a)?, self.of(b)?);
        let difference = a.plus(b, &-BigRational::one())?;
        let of = Evaluable::of(&difference);
        (difference.len() < a.len().max(b.len()) || !of.linear.is_empty()).then_some(of)
    }

    fn of(&self, var: Var) -> Option<&Polynomial> {
        self.polynomials[var as usize].as_deref()
    }

    fn operator(&self, op: &Op, args: &[Var]) -> Option<Polynomial> {
        let of = |place: usize| self.of(*args.get(place)?);
        match op {
            Op::FpNeg => Some(of(0)?.scaled(&-BigRational::one())),
            Op::FpAdd => of(0)?.plus(of(1)?, &BigRational::one()),
            Op::FpSub => of(0)?.plus(of(1)?, &-BigRational::one()),
            Op::FpMul => of(0)?.times(of(1)?),
            Op::FpFma => of(0)?.times(of(1)?)?.plus(of(2)?, &BigRational::one()),
            Op::FpDiv => {
                // What cancels to a number is none: its value is rounded.
                let divisor = args.get(1).filter(|arg| self.constants[**arg as usize])?;
                let divisor = self.of(*divisor)?.as_constant().filter(|divisor| !divisor.is_zero())?;
                Some(of(0)?.scaled(&divisor.recip()))
            }
            Op::FpFromFloat(_) => Some(of(0)?.clone()),
            _ => None,
        }
    }

    /// Computes a variable's distance from those of its operator's arguments, whose forms are given, and its rounding error.
    pub fn set_distance(&mut self, var: usize, op: &Op, (args, forms): (&[Var], &[Option<Form>]), rounding: f64) {
        let distance = |place: usize| args.get(place).map_or(0.0, |arg| self.distances[*arg as usize]);
        let magnitude = |place: usize| {
            let form = args.get(place).and_then(|arg| forms[*arg as usize].as_ref());
            form.map_or(f64::INFINITY, Form::magnitude)
        };
        let product = || match (distance(0), distance(1)) {
            (0.0, 0.0) => 0.0,
            (of_a, of_b) => magnitude(0) * of_b + grown(magnitude(1) + of_b) * of_a,
        };
        let own = match op {
            _ if self.atoms[var] => 0.0,
            Op::FpAdd | Op::FpSub => distance(0) + distance(1) + rounding,
            Op::FpMul => product() + rounding,
            Op::FpFma => product() + distance(2) + rounding,
            Op::FpDiv => distance(0) / args.get(1).map_or(0.0, |arg| least(forms[*arg as usize].as_ref())) + rounding,
            _ => distance(0) + rounding,
        };
        self.distances[var] = if own == 0.0 { 0.0 } else { grown(own) };
    }

    /// Bounds of a variable, where its polynomial says more than its operands' ranges.
    pub fn range(&self, var: usize, forms: &[Option<Form>]) -> Option<(f64, f64)> {
        self.sums[var].as_ref()?.range(self.distances[var], forms)
    }

    /// Bounds of a difference of two variables.
    pub fn range_of_difference(
        &self,
        difference: &Evaluable,
        (a, b): (Var, Var),
        forms: &[Option<Form>],
    ) -> Option<(f64, f64)> {
        difference.range(grown(self.distances[a as usize] + self.distances[b as usize]), forms)
    }
}

/// The least magnitude of a form's value; 0 where nothing is known.
fn least(form: Option<&Form>) -> f64 {
    form.and_then(Form::range).map_or(0.0, |(low, high)| low.max(-high).max(0.0))
}

fn is_small(coefficient: &BigRational) -> bool {
    [coefficient.numer(), coefficient.denom()].into_iter().map(BigInt::bits).all(|bits| bits <= MOST_BITS)
}

impl Evaluable {
    fn of(polynomial: &Polynomial) -> Evaluable {
        let bound = |value: &BigRational, mode| {
            Float::from_rational(Format::BINARY64, value, mode).to_f64().unwrap_or(f64::NAN)
        };
        let both = |value: &BigRational| {
            (bound(value, RoundingMode::TowardNegative), bound(value, RoundingMode::TowardPositive))
        };
        let mut powers: Vec<Vec<(Var, u32)>> = Vec::with_capacity(polynomial.len());
        for (monomial, _) in polynomial.terms() {
            let of = monomial.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32));
            powers.push(of.collect());
        }
        let linear = linear(&powers);
        let factor = |(var, power): (Var, u32)| match linear.iter().position(|known| *known == var) {
            Some(place) => Factor::End(place),
            None => Factor::Power(var, power),
        };
        let monomial = |(powers, (_, coefficient)): (Vec<(Var, u32)>, (_, &BigRational))| {
            (both(coefficient), powers.into_iter().map(factor).collect())
        };
        Evaluable { monomials: powers.into_iter().zip(polynomial.terms()).map(monomial).collect(), linear }
    }

    /// Bounds of the value and what is at most `distance` away from it.
    fn range(&self, distance: f64, forms: &[Option<Form>]) -> Option<(f64, f64)> {
        let range = |var: Var| forms[var as usize].as_ref()?.range();
        let ends: SmallVec<[(f64, f64); 8]> = self.linear.iter().map(|var| range(*var)).collect::<Option<_>>()?;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for corner in 0..1usize << ends.len() {
            let mut sum = (-distance, distance);
            for (coefficient, factors) in &self.monomials {
                let mut product = *coefficient;
                for factor in factors {
                    let of = match *factor {
                        Factor::End(place) if corner >> place & 1 == 0 => (ends[place].0, ends[place].0),
                        Factor::End(place) => (ends[place].1, ends[place].1),
                        Factor::Power(var, power) => raised(range(var)?, power),
                    };
                    product = times(product, of);
                }
                sum = ((sum.0 + product.0).next_down(), (sum.1 + product.1).next_up());
            }
            (low, high) = (low.min(sum.0), high.max(sum.1));
        }
        (low.is_finite() && high.is_finite()).then_some((low, high))
    }
}

/// Variables that are in several monomials and have no powers, those of most monomials first: as many as the work allows.
fn linear(monomials: &[Vec<(Var, u32)>]) -> Vec<Var> {
    let mut seen: BTreeMap<Var, (usize, u32)> = BTreeMap::new();
    for (var, power) in monomials.iter().flatten() {
        let (count, greatest) = seen.entry(*var).or_default();
        *count += 1;
        *greatest = (*greatest).max(*power);
    }
    let mut linear: Vec<(usize, Var)> = seen
        .into_iter()
        .filter(|(_, (count, power))| *count > 1 && *power == 1)
        .map(|(var, (count, _))| (count, var))
        .collect();
    linear.sort_by_key(|(count, var)| (Reverse(*count), *var));
    let corners = MOST_EVALUATIONS / monomials.len().max(1);
    linear.truncate(corners.max(1).ilog2() as usize);
    linear.into_iter().map(|(_, var)| var).collect()
}

/// A power of an interval, rounded outwards.
fn raised(base: (f64, f64), power: u32) -> (f64, f64) {
    let mut product = base;
    for _ in 1..power {
        product = times(product, base);
    }
    // An even one is not negative.
    if power.is_multiple_of(2) { (product.0.max(0.0), product.1) } else { product }
}

/// The product of two intervals, rounded outwards. NaNs, of zeros and infinities, make the whole one.
fn times(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let ends = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
    if ends.iter().any(|end| end.is_nan()) {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    let (low, high) = ends.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), end| (l.min(*end), h.max(*end)));
    (low.next_down(), high.next_up())
}
