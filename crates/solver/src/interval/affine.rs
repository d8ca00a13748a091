//! Affine arithmetic: what intervals forget, that two terms depend on the same inputs.
//!
//! de Figueiredo and Stolfi, "Affine arithmetic: concepts and applications", Numerical Algorithms 2004; over floating-point
//! programs Goubault and Putot, "Static analysis of finite precision computations", VMCAI 2011. Sums in two orders, a
//! polynomial in two forms or a Newton step differ by rounding errors only; intervals alone need a split per ulp to see it.
//!
//! **Claim.** Each *symbol* ε is a variable x of the graph whose domain holds only finite numbers, x = mid + rad·ε with
//! |ε| ≤ 1. The [`Form`] of a term says: in every solution within the symbols' domains its value is a finite number
//! c + Σ aᵢ·εᵢ + δ with |δ| ≤ e. By induction over the operators:
//!
//! - the real operation on two such values is one (products and quotients put their quadratic part into e);
//! - rounding t with |t| ≤ T, T at most the greatest finite number, gives a finite number, and errs by at most half a last
//!   place of T's binade to nearest and a whole one otherwise, or as much of the least subnormal's place;
//! - f64 computes the form itself: each step errs by at most 2^−53 of the magnitudes involved and 2^−1074, and e takes
//!   2^−50 of them and the least normal number.
//!
//! A form is never more than that: what follows from it has the symbols' domains as its whole reason.

use labrys_float::RoundingMode;
use labrys_term::Op;
use smallvec::SmallVec;

use super::graph::{Graph, Propagator};
use super::literal::Var;
use super::places::{self, Set};
use super::range::{Real, bounds, places_between};
use crate::domain::{Domain, ModeDomain};

/// More symbols than these, and forms cost more than they tell.
const SYMBOLS: usize = 48;

/// Relative slack for f64's own errors in a sum of a few products.
const SLACK: f64 = 1.0 / (1u64 << 50) as f64;

/// A value as a function of the symbols.
#[derive(Clone, Debug)]
struct Form {
    /// c.
    centre: f64,
    /// The aᵢ, one for each symbol.
    slopes: SmallVec<[f64; 4]>,
    /// e.
    error: f64,
}

/// That a variable's value lies in a set, because of the domains of some symbols.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finding {
    /// The variable.
    pub var: Var,
    /// The set.
    pub set: Set,
    /// The symbols: bit i for the i-th.
    pub because: u64,
}

/// What a term's form is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    /// Nothing: it has no form.
    None,
    /// Its own domain, as the symbol of this number.
    Symbol(usize),
    /// One value.
    Constant,
    /// The propagator of this index.
    Operator(usize),
}

/// The forms of a graph's terms.
#[derive(Debug)]
pub(crate) struct Affine {
    /// For each variable, what its form is made of.
    sources: Vec<Source>,
    /// For each variable, the symbols its form depends on.
    masks: Vec<u64>,
    /// The variables that are symbols.
    pub symbols: Vec<Var>,
    /// The comparisons: result, operator and operands.
    comparisons: Vec<(Var, Op, Var, Var)>,
    /// For each propagator, whether it rounds to nearest whatever the search decides.
    nearest: Vec<bool>,
    forms: Vec<Option<Form>>,
}

impl Affine {
    /// What can be said of a graph; `None` if that is nothing.
    pub fn new(graph: &Graph, root: &[Domain]) -> Option<Affine> {
        let count = graph.tops.len();
        let mut affine = Affine {
            sources: vec![Source::None; count],
            masks: vec![0; count],
            symbols: Vec::new(),
            comparisons: Vec::new(),
            nearest: graph.propagators.iter().map(|propagator| is_nearest(propagator, root)).collect(),
            forms: Vec::new(),
        };
        let mut operators: Vec<Option<usize>> = vec![None; count];
        for (index, propagator) in graph.propagators.iter().enumerate() {
            operators[propagator.scope[0] as usize] = Some(index);
        }
        let mut useful = false;
        for (var, operator) in operators.into_iter().enumerate() {
            useful |= affine.place(graph, root, var, operator)?;
        }
        affine.forms = vec![None; count];
        useful.then_some(affine)
    }

    /// Decides what a variable's form is made of; whether that is an operator. `None` if there are too many symbols.
    fn place(&mut self, graph: &Graph, root: &[Domain], var: usize, operator: Option<usize>) -> Option<bool> {
        let propagator = operator.map(|index| &graph.propagators[index]);
        if let (Domain::Bool(_), Some(propagator)) = (&root[var], propagator) {
            let operands = (argument(propagator, 1), argument(propagator, 2));
            if let (Op::FpLt | Op::FpLe | Op::FpEq | Op::Eq, (Some(a), Some(b))) = (&propagator.op, operands)
                && self.sources[a as usize] != Source::None
                && self.sources[b as usize] != Source::None
            {
                self.comparisons.push((var as Var, propagator.op.clone(), a, b));
                self.masks[var] = self.masks[a as usize] | self.masks[b as usize];
            }
            return Some(false);
        }
        let Domain::Float(float) = &root[var] else { return Some(false) };
        if float.format.precision() > 53 || float.format.exponent_bits() > 11 || float.format.has_explicit_leading_bit()
        {
            return Some(false);
        }
        if places::single(&root[var]).is_some() {
            self.sources[var] = if bounds(float).is_some() { Source::Constant } else { Source::None };
            return Some(false);
        }
        if let Some(propagator) = propagator
            && let Some(args) = floats(propagator)
            && args.iter().all(|arg| self.sources[*arg as usize] != Source::None)
        {
            self.sources[var] = Source::Operator(operator?);
            self.masks[var] = args.iter().fold(0, |mask, arg| mask | self.masks[*arg as usize]);
            return Some(true);
        }
        if self.symbols.len() == SYMBOLS {
            return None;
        }
        self.sources[var] = Source::Symbol(self.symbols.len());
        self.masks[var] = 1 << self.symbols.len();
        self.symbols.push(var as Var);
        Some(false)
    }

    /// Computes all forms from the symbols' domains, and adds what they say and the domains do not know.
    pub fn findings(&mut self, graph: &Graph, domains: &[Domain], found: &mut Vec<Finding>) {
        for var in 0..self.sources.len() {
            let Domain::Float(domain) = &domains[var] else { continue };
            self.forms[var] = match self.sources[var] {
                Source::None => None,
                Source::Constant | Source::Symbol(_) => bounds(domain).and_then(|real| self.leaf(var, real)),
                Source::Operator(index) => self.operator(index, &graph.propagators[index], domains),
            };
            if let (Source::Operator(_), Some(form)) = (self.sources[var], &self.forms[var]) {
                let Some((low, high)) = form.range() else { continue };
                let known = bounds(domain).is_some_and(|real| low <= real.low && real.high <= high);
                if !known
                    && let Some(set) = places_between(domain.format, low, high)
                    && !places::inside(&domains[var], set)
                {
                    found.push(Finding { var: var as Var, set, because: self.masks[var] });
                }
            }
        }
        for (var, op, a, b) in &self.comparisons {
            let (Some(x), Some(y)) = (&self.forms[*a as usize], &self.forms[*b as usize]) else { continue };
            let Some((low, high)) = x.plus(&y.negated()).range() else { continue };
            let truth = match op {
                Op::FpLt if high < 0.0 => true,
                Op::FpLt if low >= 0.0 => false,
                Op::FpLe if high <= 0.0 => true,
                Op::FpLe if low > 0.0 => false,
                Op::FpEq | Op::Eq if low > 0.0 || high < 0.0 => false,
                _ => continue,
            };
            let place = u128::from(truth);
            let set = Set::Within { low: place, high: place };
            if !places::inside(&domains[*var as usize], set) {
                found.push(Finding { var: *var, set, because: self.masks[*var as usize] });
            }
        }
    }

    /// The form of a symbol or a constant.
    fn leaf(&self, var: usize, real: Real) -> Option<Form> {
        let mut slopes = SmallVec::from_elem(0.0, self.symbols.len());
        let centre = real.low / 2.0 + real.high / 2.0;
        let radius = (real.high - centre).max(centre - real.low);
        let error = if radius == 0.0 { 0.0 } else { slack(centre.abs() + radius) };
        match self.sources[var] {
            Source::Symbol(symbol) => slopes[symbol] = radius,
            _ if radius > 0.0 => return None,
            _ => {}
        }
        centre.is_finite().then_some(Form { centre, slopes, error })
    }

    fn form(&self, propagator: &Propagator, slot: usize) -> Option<&Form> {
        self.forms[argument(propagator, slot)? as usize].as_ref()
    }

    /// The form of an operator's result.
    fn operator(&self, index: usize, propagator: &Propagator, domains: &[Domain]) -> Option<Form> {
        let form = |slot: usize| self.form(propagator, slot);
        let exact = match propagator.op {
            Op::FpNeg => return Some(form(1)?.negated()),
            Op::FpAbs => {
                let (low, high) = form(1)?.range()?;
                return match () {
                    () if low >= 0.0 => form(1).cloned(),
                    () if high <= 0.0 => Some(form(1)?.negated()),
                    () => None,
                };
            }
            Op::FpAdd => form(2)?.plus(form(3)?),
            Op::FpSub => form(2)?.plus(&form(3)?.negated()),
            Op::FpMul if argument(propagator, 2) == argument(propagator, 3) => form(2)?.squared(),
            Op::FpMul => form(2)?.times(form(3)?),
            Op::FpDiv => form(2)?.times(&form(3)?.reciprocal()?),
            Op::FpFma => form(2)?.times(form(3)?).plus(form(4)?),
            Op::FpSqrt => form(2)?.root()?,
            Op::FpFromFloat(_) => form(2)?.clone(),
            _ => return None,
        };
        let Domain::Float(result) = &domains[propagator.scope[0] as usize] else { return None };
        let Domain::Float(operand) = &domains[argument(propagator, 2)? as usize] else { return None };
        let widens = operand.format.precision() <= result.format.precision()
            && operand.format.exponent_bits() <= result.format.exponent_bits();
        if matches!(propagator.op, Op::FpFromFloat(_)) && widens {
            return Some(exact);
        }
        exact.rounded(Rounding::of(result.format, self.nearest[index]))
    }
}

/// An argument's variable; slot 0 is the result.
fn argument(propagator: &Propagator, slot: usize) -> Option<Var> {
    propagator.slots.get(slot).map(|index| propagator.scope[*index as usize])
}

/// Whether an operator's mode is one of the two nearest ones in every solution.
fn is_nearest(propagator: &Propagator, root: &[Domain]) -> bool {
    let nearest = [RoundingMode::NearestEven, RoundingMode::NearestAway].map(|mode| ModeDomain::only(mode).0);
    argument(propagator, 1).is_some_and(|mode| match root[mode as usize] {
        Domain::RoundingMode(modes) => modes.0 & !(nearest[0] | nearest[1]) == 0,
        _ => false,
    })
}

/// The arguments that are floats, of an operator that has forms.
fn floats(propagator: &Propagator) -> Option<SmallVec<[Var; 3]>> {
    let slots = match propagator.op {
        Op::FpNeg | Op::FpAbs => 1..=1,
        Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv => 2..=3,
        Op::FpFma => 2..=4,
        Op::FpSqrt | Op::FpFromFloat(_) => 2..=2,
        _ => return None,
    };
    slots.map(|slot| argument(propagator, slot)).collect()
}

/// What f64's errors in a few operations on values of this magnitude together amount to at most.
fn slack(magnitude: f64) -> f64 {
    magnitude * SLACK + f64::MIN_POSITIVE
}

/// How a format rounds.
struct Rounding {
    /// The greatest finite number.
    greatest: f64,
    /// The error of a number in [1, 2).
    unit: f64,
    /// The least error bound of all.
    least: f64,
}

impl Rounding {
    fn of(format: labrys_float::Format, nearest: bool) -> Rounding {
        let power = |exponent: i64| f64::powi(2.0, i32::try_from(exponent).unwrap_or(i32::MIN));
        let precision = i64::from(format.precision());
        Rounding {
            greatest: (2.0 - power(1 - precision)) * power(format.max_exponent()),
            unit: power(if nearest { -precision } else { 1 - precision }),
            least: power(format.min_lsb_exponent()).max(f64::MIN_POSITIVE),
        }
    }
}

impl Form {
    /// Σ|aᵢ| + e, rounded up.
    fn radius(&self) -> f64 {
        let sum: f64 = self.slopes.iter().map(|slope| slope.abs()).sum::<f64>() + self.error;
        // n terms err by n·2^−53 of their sum at most, and there are fewer than 2^6.
        sum * (1.0 + 64.0 * f64::EPSILON) + f64::MIN_POSITIVE
    }

    /// Bounds of the value.
    fn range(&self) -> Option<(f64, f64)> {
        let radius = self.radius();
        let spare = slack(self.centre.abs() + radius);
        let (low, high) = (self.centre - radius - spare, self.centre + radius + spare);
        (low.is_finite() && high.is_finite()).then_some((low, high))
    }

    /// A bound of the magnitude.
    fn magnitude(&self) -> f64 {
        let sum = self.centre.abs() + self.radius();
        sum + slack(sum)
    }

    fn negated(&self) -> Form {
        Form { centre: -self.centre, slopes: self.slopes.iter().map(|slope| -slope).collect(), error: self.error }
    }

    fn plus(&self, other: &Form) -> Form {
        let error = self.error + other.error + slack(self.magnitude() + other.magnitude());
        let slopes = self.slopes.iter().zip(&other.slopes).map(|(a, b)| a + b).collect();
        Form { centre: self.centre + other.centre, slopes, error: error + slack(error) }
    }

    fn times(&self, other: &Form) -> Form {
        let (a, b) = (self.centre, other.centre);
        let slopes = self.slopes.iter().zip(&other.slopes).map(|(x, y)| a * y + b * x).collect();
        let quadratic = self.radius() * other.radius();
        let error = a.abs() * other.error + b.abs() * self.error + quadratic;
        let error = error + slack(self.magnitude() * other.magnitude() + error);
        Form { centre: a * b, slopes, error: error + slack(error) }
    }

    /// The square: (c + r)² = c² + 2cr + r², the last between 0 and the radius squared.
    fn squared(&self) -> Form {
        let mut square = self.times(self);
        let quadratic = self.radius() * self.radius();
        let half = quadratic / 2.0;
        square.centre += half;
        // `times` put the whole quadratic into the error; half of it is enough around the new centre.
        square.error = (square.error - half).max(0.0) + slack(square.error + self.magnitude() * self.magnitude());
        square
    }

    /// 1 / y = 1/c − (y − c)/c² + (y − c)²/(c²·y).
    fn reciprocal(&self) -> Option<Form> {
        let (low, high) = self.range()?;
        let least = if low > 0.0 {
            low
        } else if high < 0.0 {
            -high
        } else {
            return None;
        };
        let (c, radius) = (self.centre, self.radius());
        let slope = -1.0 / (c * c);
        // Outside, f64's own underflow is not covered by the slack; so it is: (r/c)² errs by 2^−1074, the whole by less
        // than 1e−223, and the slack is 2^−50 of at least 1e−100.
        if !(1e-100..1e100).contains(&least) || !(1e-100..1e100).contains(&c.abs()) {
            return None;
        }
        let quadratic = (radius / c) * (radius / c) / least;
        let slopes: SmallVec<[f64; 4]> = self.slopes.iter().map(|a| a * slope).collect();
        let error = quadratic + self.error * slope.abs();
        let magnitude = 1.0 / c.abs() + radius * slope.abs() + error;
        let error = error + slack(magnitude) * 4.0;
        error.is_finite().then_some(Form { centre: 1.0 / c, slopes, error })
    }

    /// √y = √c + (y − c)/(2√c) − s with 0 ≤ s ≤ (y − c)²/(2·√c·(√c + √y)²).
    fn root(&self) -> Option<Form> {
        let (low, _) = self.range()?;
        // As for quotients.
        if !(1e-100..1e100).contains(&low) || self.centre > 1e100 {
            return None;
        }
        let (root, radius) = (self.centre.sqrt(), self.radius());
        let both = root + low.sqrt();
        let quadratic = radius * radius / (2.0 * root * both * both);
        let slope = 0.5 / root;
        let slopes: SmallVec<[f64; 4]> = self.slopes.iter().map(|a| a * slope).collect();
        let error = quadratic + self.error * slope;
        let error = error + slack(root + radius * slope + error) * 4.0;
        error.is_finite().then_some(Form { centre: root, slopes, error })
    }

    /// The value rounded; `None` if that may overflow.
    fn rounded(mut self, rounding: Rounding) -> Option<Form> {
        let magnitude = self.magnitude();
        if magnitude.is_nan() || magnitude > rounding.greatest {
            return None;
        }
        // The power of two below: what is left without the fraction.
        let binade = f64::from_bits(magnitude.to_bits() >> 52 << 52);
        let error = (binade * rounding.unit).max(rounding.least);
        self.error += error;
        self.error += slack(self.error);
        Some(self)
    }
}
