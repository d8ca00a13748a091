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
//! - f64 computes the form itself: what its sums and products of c and the aᵢ lose is known exactly ([`two_sum`], [`two_product`]) and goes into e,
//!   so that what cancels leaves no trace; e itself is a sum of a few hundred terms that are not negative, and is taken to be larger by 2^−44 of it
//!   and the least normal number.
//!
//! A form is never more than that: what follows from it has the symbols' domains as its whole reason.

use labrys_float::{Float, RoundingMode};
use labrys_term::Op;
use smallvec::SmallVec;

use super::exact::{Evaluable, Exact};
use super::graph::{Graph, Propagator};
use super::literal::Var;
use super::places::{self, Set};
use super::range::{Real, bounds, places_between};
use crate::domain::{Domain, ModeDomain};

/// More symbols than these, and forms cost more than they tell.
const SYMBOLS: usize = 48;

/// Relative slack for f64's own errors in a sum of a few hundred products that are not negative, each of which errs by 2^−53 of it.
const SLACK: f64 = 1.0 / (1u64 << 44) as f64;

/// A value as a function of the symbols.
#[derive(Clone, Debug)]
pub(super) struct Form {
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

/// A comparison of two variables that have forms.
#[derive(Debug)]
struct Comparison {
    result: Var,
    op: Op,
    operands: (Var, Var),
    /// The operands' difference, where some of it cancels or is linear.
    difference: Option<Evaluable>,
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
    /// The comparisons.
    comparisons: Vec<Comparison>,
    /// For each propagator, whether it rounds to nearest whatever the search decides.
    nearest: Vec<bool>,
    forms: Vec<Option<Form>>,
    exact: Exact,
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
            exact: Exact::new(count),
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
                let (result, difference) = (var as Var, self.exact.difference(a, b));
                self.comparisons.push(Comparison { result, op: propagator.op.clone(), operands: (a, b), difference });
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
            let value = bounds(float);
            self.sources[var] = if value.is_some() { Source::Constant } else { Source::None };
            if let Some(Real { low, .. }) = value {
                self.exact.set_constant(var, &Float::from_f64(low));
            }
            return Some(false);
        }
        if let Some(propagator) = propagator
            && let Some(args) = floats(propagator)
            && args.iter().all(|arg| self.sources[*arg as usize] != Source::None)
        {
            self.sources[var] = Source::Operator(operator?);
            self.exact.set_operator(var, &propagator.op, &args);
            self.masks[var] = args.iter().fold(0, |mask, arg| mask | self.masks[*arg as usize]);
            return Some(true);
        }
        if self.symbols.len() == SYMBOLS {
            return None;
        }
        self.exact.set_atom(var);
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
                Source::Operator(index) => self.operator(var, index, &graph.propagators[index], domains),
            };
            if let (Source::Operator(_), Some(form)) = (self.sources[var], &self.forms[var]) {
                let Some((low, high)) = meet(form.range(), self.exact.range(var, &self.forms)) else { continue };
                let known = bounds(domain).is_some_and(|real| low <= real.low && real.high <= high);
                if !known
                    && let Some(set) = places_between(domain.format, low, high)
                    && !places::inside(&domains[var], set)
                {
                    found.push(Finding { var: var as Var, set, because: self.masks[var] });
                }
            }
        }
        for Comparison { result: var, op, operands, difference } in &self.comparisons {
            let (a, b) = (operands.0 as usize, operands.1 as usize);
            let (Some(x), Some(y)) = (&self.forms[a], &self.forms[b]) else { continue };
            let exactly = difference.as_ref().and_then(|of| self.exact.range_of_difference(of, *operands, &self.forms));
            let Some((low, high)) = meet(x.plus(&y.negated()).range(), exactly) else { continue };
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
        // A radius that is not too small makes up for the centre's rounding.
        let radius = if radius == 0.0 { 0.0 } else { radius.next_up() };
        match self.sources[var] {
            Source::Symbol(symbol) => slopes[symbol] = radius,
            _ if radius > 0.0 => return None,
            _ => {}
        }
        (centre.is_finite() && radius.is_finite()).then_some(Form { centre, slopes, error: 0.0 })
    }

    fn form(&self, propagator: &Propagator, slot: usize) -> Option<&Form> {
        self.forms[argument(propagator, slot)? as usize].as_ref()
    }

    /// The form of an operator's result; notes how far that is from its polynomial.
    fn operator(&mut self, var: usize, index: usize, propagator: &Propagator, domains: &[Domain]) -> Option<Form> {
        let (form, rounding) = self.rounded_operator(index, propagator, domains)?;
        let args = floats(propagator)?;
        self.exact.set_distance(var, &propagator.op, (&args, &self.forms), rounding);
        Some(form)
    }

    /// The form of an operator's result, and of that its rounding error.
    fn rounded_operator(&self, index: usize, propagator: &Propagator, domains: &[Domain]) -> Option<(Form, f64)> {
        let form = |slot: usize| self.form(propagator, slot);
        let exact = match propagator.op {
            Op::FpNeg => return Some((form(1)?.negated(), 0.0)),
            Op::FpAbs => {
                let (low, high) = form(1)?.range()?;
                return match () {
                    () if low >= 0.0 => Some((form(1)?.clone(), 0.0)),
                    () if high <= 0.0 => Some((form(1)?.negated(), 0.0)),
                    () => None,
                };
            }
            Op::FpAdd => form(2)?.plus(form(3)?),
            Op::FpSub => form(2)?.plus(&form(3)?.negated()),
            Op::FpMul if argument(propagator, 2) == argument(propagator, 3) => form(2)?.squared(),
            Op::FpMul => form(2)?.times(form(3)?),
            Op::FpDiv => form(2)?.over(form(3)?)?,
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
            return Some((exact, 0.0));
        }
        exact.rounded(Rounding::of(result.format, self.nearest[index]))
    }
}

/// The part of a range that is in another one, too; where there is none, which says that nothing is a solution, one of them.
fn meet(a: Option<(f64, f64)>, b: Option<(f64, f64)>) -> Option<(f64, f64)> {
    match (a, b) {
        (Some(a), Some(b)) if a.0.max(b.0) <= a.1.min(b.1) => Some((a.0.max(b.0), a.1.min(b.1))),
        (a, b) => b.or(a),
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

/// A sum of terms that are not negative, in f64, and what f64 lost of it at most.
pub(super) fn grown(sum: f64) -> f64 {
    sum + sum * SLACK + f64::MIN_POSITIVE
}

/// A sum and the magnitude of its rounding error, exactly (Knuth; overflow gives infinities or NaNs).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    let of_a = sum - of_b;
    (sum, ((a - of_a) + (b - of_b)).abs())
}

/// A product and the magnitude of its rounding error, exactly but for 2^−1074.
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product).abs())
}

/// A quotient and a bound of the magnitude of its rounding error but for 2^−1022; the divisor lies between 1e-100 and 1e100.
fn two_quotient(a: f64, b: f64) -> (f64, f64) {
    let quotient = a / b;
    // The remainder is a float unless it is too small.
    let lost = if a.abs() > 1e-200 { (-quotient).mul_add(b, a).abs() / b.abs() } else { quotient.abs() * f64::EPSILON };
    (quotient, lost)
}

/// Where f64 computes quotients and roots of divisors of this magnitude without under- or overflow.
fn is_moderate(magnitude: f64) -> bool {
    (1e-100..1e100).contains(&magnitude)
}

/// What a slope's own error of less than 2^−51 of it amounts to, and squares that underflow, which make less than 1e-173 of a value of more than 1e-100.
fn lost_by_slope(radius: f64, slope: f64, value: f64) -> f64 {
    radius * slope.abs() * 2.0 * f64::EPSILON + value.abs() * 1e-60
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
        grown(self.slopes.iter().map(|slope| slope.abs()).sum::<f64>() + self.error)
    }

    /// Bounds of the value.
    pub(super) fn range(&self) -> Option<(f64, f64)> {
        let radius = self.radius();
        let (low, high) = ((self.centre - radius).next_down(), (self.centre + radius).next_up());
        (low.is_finite() && high.is_finite()).then_some((low, high))
    }

    /// A bound of the magnitude.
    pub(super) fn magnitude(&self) -> f64 {
        (self.centre.abs() + self.radius()).next_up()
    }

    /// The value, where it is one number.
    fn constant(&self) -> Option<f64> {
        (self.error == 0.0 && self.slopes.iter().all(|slope| *slope == 0.0)).then_some(self.centre)
    }

    /// A form of components with their errors' magnitudes, in the order of c and the aᵢ, and a further error.
    fn of(components: impl Iterator<Item = (f64, f64)>, error: f64) -> Form {
        let mut form = Form { centre: 0.0, slopes: SmallVec::new(), error };
        for (index, (component, lost)) in components.enumerate() {
            match index {
                0 => form.centre = component,
                _ => form.slopes.push(component),
            }
            form.error += lost;
        }
        form.error = grown(form.error);
        form
    }

    /// c and the aᵢ.
    fn components(&self) -> impl Iterator<Item = f64> {
        std::iter::once(self.centre).chain(self.slopes.iter().copied())
    }

    fn negated(&self) -> Form {
        Form { centre: -self.centre, slopes: self.slopes.iter().map(|slope| -slope).collect(), error: self.error }
    }

    fn plus(&self, other: &Form) -> Form {
        let pairs = self.components().zip(other.components());
        Form::of(pairs.map(|(a, b)| two_sum(a, b)), self.error + other.error)
    }

    fn times(&self, other: &Form) -> Form {
        let (a, b) = (self.centre, other.centre);
        let slope = |(x, y): (&f64, &f64)| {
            let ((p, of_p), (q, of_q)) = (two_product(a, *y), two_product(b, *x));
            let (sum, of_sum) = two_sum(p, q);
            (sum, of_p + of_q + of_sum)
        };
        let components = std::iter::once(two_product(a, b)).chain(self.slopes.iter().zip(&other.slopes).map(slope));
        let quadratic =
            if self.constant().or(other.constant()).is_some() { 0.0 } else { self.radius() * other.radius() };
        Form::of(components, a.abs() * other.error + b.abs() * self.error + quadratic)
    }

    /// The square: (c + r)² = c² + 2cr + r², the last between 0 and the radius squared.
    fn squared(&self) -> Form {
        let mut square = self.times(self);
        let half = self.radius() * self.radius() / 2.0;
        // `times` put the whole quadratic into the error, and more; half of it is enough around the new centre.
        let (centre, lost) = two_sum(square.centre, half);
        square.centre = centre;
        square.error = grown((square.error - half).max(0.0) + lost + square.error * SLACK);
        square
    }

    /// The quotient by a number, or by a form that is not zero.
    fn over(&self, divisor: &Form) -> Option<Form> {
        match divisor.constant() {
            Some(number) if is_moderate(number.abs()) => {
                Some(Form::of(self.components().map(|part| two_quotient(part, number)), self.error / number.abs()))
            }
            _ => Some(self.times(&divisor.reciprocal()?)),
        }
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
        if !is_moderate(least) || !is_moderate(c.abs()) {
            return None;
        }
        let slope = -1.0 / (c * c);
        let quadratic = (radius / c) * (radius / c) / least;
        let error = quadratic + self.error * slope.abs() + lost_by_slope(radius, slope, 1.0 / c);
        let slopes = self.slopes.iter().map(|a| two_product(*a, slope));
        let form = Form::of(std::iter::once(two_quotient(1.0, c)).chain(slopes), error);
        form.error.is_finite().then_some(form)
    }

    /// √y = √c + (y − c)/(2√c) − s with 0 ≤ s ≤ (y − c)²/(2·√c·(√c + √y)²).
    fn root(&self) -> Option<Form> {
        let (low, _) = self.range()?;
        if !is_moderate(low) || self.centre > 1e100 {
            return None;
        }
        let (root, radius) = (self.centre.sqrt(), self.radius());
        // √c − r = (c − r²)/(√c + r).
        let lost = (-root).mul_add(root, self.centre).abs() / root;
        let both = root + low.sqrt();
        let quadratic = radius * radius / (2.0 * root * both * both);
        let slope = 0.5 / root;
        let error = quadratic + self.error * slope + lost_by_slope(radius, slope, root);
        let slopes = self.slopes.iter().map(|a| two_product(*a, slope));
        let form = Form::of(std::iter::once((root, lost)).chain(slopes), error);
        form.error.is_finite().then_some(form)
    }

    /// The value rounded, and the rounding error; `None` if that may overflow.
    fn rounded(mut self, rounding: Rounding) -> Option<(Form, f64)> {
        let magnitude = self.magnitude();
        if magnitude.is_nan() || magnitude > rounding.greatest {
            return None;
        }
        // The power of two below: what is left without the fraction.
        let binade = f64::from_bits(magnitude.to_bits() >> 52 << 52);
        let error = (binade * rounding.unit).max(rounding.least);
        self.error = grown(self.error + error);
        Some((self, error))
    }
}

#[cfg(test)]
mod tests {
    use labrys_formulas::Random;
    use num_rational::BigRational;
    use num_traits::{Signed, Zero};

    use super::*;

    fn exact(number: f64) -> BigRational {
        BigRational::from_float(number).expect("a finite number")
    }

    /// A float, of ordinary sizes more often than of others.
    fn float(random: &mut Random) -> f64 {
        let bits = random.bits();
        let exponent = match random.below(8) {
            0 => 1 + bits % 2045,
            1 => 1023,
            _ => 1003 + bits % 40,
        };
        f64::from_bits(random.bits() & !(0x7ff << 52) | exponent << 52)
    }

    /// A form with a few symbols; one in four is a number, and some differ little from `near`.
    fn form(random: &mut Random, near: Option<&Form>) -> Form {
        if let (Some(near), true) = (near, random.once_in(3)) {
            return Form { centre: near.centre.next_up(), error: near.error / 3.0, ..near.clone() };
        }
        let is_number = random.once_in(4);
        let part = |random: &mut Random| if is_number || random.once_in(3) { 0.0 } else { float(random) };
        let slopes = (0..3).map(|_| part(random)).collect();
        Form { centre: float(random), slopes, error: part(random).abs() }
    }

    /// A value that a form says is possible, for given symbols.
    fn value(form: &Form, symbols: &[BigRational], random: &mut Random) -> BigRational {
        let linear: BigRational = form.slopes.iter().zip(symbols).map(|(slope, symbol)| exact(*slope) * symbol).sum();
        let deviation = BigRational::new((random.below(5) as i64 - 2).into(), 2.into());
        exact(form.centre) + linear + exact(form.error) * deviation
    }

    /// Whether a value is one that a form allows, for given symbols; forms that overflowed say nothing.
    fn allows(form: &Form, symbols: &[BigRational], value: &BigRational) -> bool {
        let parts = form.components().chain([form.error]);
        if !parts.into_iter().all(f64::is_finite) {
            return true;
        }
        let linear: BigRational = form.slopes.iter().zip(symbols).map(|(slope, symbol)| exact(*slope) * symbol).sum();
        (value - exact(form.centre) - linear).abs() <= exact(form.error)
    }

    /// Every operation on all that its operands may be, in exact arithmetic: f64 had a slack of 2^−50 that nothing tested.
    #[test]
    fn forms_allow_what_exact_arithmetic_gives() {
        let random = &mut Random::new(0);
        let mut tried = [0; 6];
        for _ in 0..20_000 {
            let a = form(random, None);
            let b = form(random, Some(&a));
            let symbols: Vec<BigRational> =
                (0..3).map(|_| BigRational::new((random.below(9) as i64 - 4).into(), 4.into())).collect();
            let (x, y) = (value(&a, &symbols, random), value(&b, &symbols, random));
            let mut check = |place: usize, found: Option<Form>, value: &BigRational| {
                let Some(found) = found else { return };
                tried[place] += 1;
                assert!(allows(&found, &symbols, value), "{place}: {a:?} {b:?} at {symbols:?}: {found:?}");
            };
            check(0, Some(a.plus(&b.negated())), &(&x - &y));
            check(1, Some(a.times(&b)), &(&x * &y));
            check(2, Some(a.squared()), &(&x * &x));
            if !y.is_zero() {
                check(3, a.over(&b), &(&x / &y));
                check(4, b.reciprocal(), &y.recip());
            }
            // The operand of a root is the square of what the root is.
            if let (true, Some(root)) = (x.is_positive(), a.root()) {
                tried[5] += 1;
                let (low, high) = (-exact(root.error), exact(root.error));
                let linear: BigRational =
                    root.slopes.iter().zip(&symbols).map(|(slope, symbol)| exact(*slope) * symbol).sum();
                let middle = exact(root.centre) + linear;
                let (least, most) = (&middle + low, &middle + high);
                assert!(!most.is_negative() && &most * &most >= x, "{a:?} at {symbols:?}: {root:?}");
                assert!(least.is_negative() || &least * &least <= x, "{a:?} at {symbols:?}: {root:?}");
            }
        }
        assert!(tried.iter().all(|count| *count > 500), "{tried:?}");
    }

    /// What cancels leaves no more than what was rounded: with the old slack a difference of 10^6 and itself was known to 10^−9 only.
    #[test]
    fn what_cancels_leaves_no_trace() {
        let x = Form { centre: 500_000.5, slopes: SmallVec::from_slice(&[499_999.5]), error: 0.0 };
        let factor = Form { centre: 0.3048, slopes: SmallVec::from_slice(&[0.0]), error: 0.0 };
        let there = x.times(&factor).over(&factor).expect("a quotient");
        let (low, high) = there.plus(&x.negated()).range().expect("a range");
        assert!(low > -2e-10 && high < 2e-10, "{low:e} {high:e}");
    }
}
