//! Floats as exact terms of the inputs with bounds of their errors: forward error analysis.
//!
//! Where each rounding is an unknown, a chain of products has one in every factor, and no solver of polynomials comes to an end. Here a float is what the
//! operations before it would give without rounding, and one number bounds how far it is from that: what roundings add, and what operations make of
//! the errors of their operands (N. Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1). Where a float is compared it is the exact term and an unknown error within the
//! bound, the same one in each comparison. What is lost is how roundings hang together; what is left has as many unknowns as the program has inputs, quotients and roots.
//!
//! **Claim.** In a model a float that is a number differs from its polynomial by at most what [`Value::error`] says. **Argument.** [`super::error`] has it for each operation; its operands are
//! floats whose ranges propagation knows; where a quotient or a root makes errors larger by far, its operands are floats as they are. Quotients and roots are there where divisors and operands of roots keep away from zero, or below it nothing but zero is said.

use labrys_float::RoundingMode;
use labrys_term::TermId;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashMap;

use super::error::{Error, Operand, root_above};
use super::floats::{Operation, Value, bounds_of, least_place, least_size};
use super::reading::Reading;
use super::rounding::relative_error;
use super::unknowns::{Bounds, Monomial, Polynomial, Unknown};
use crate::domain::FloatDomain;

/// How often a polynomial is rewritten.
const MOST_REDUCTIONS: usize = 400;

/// How many times as large as its operands' errors one may be that is kept as a bound.
const MOST_GROWTH: u64 = 1 << 10;

/// Squares of sums that are said not to be negative.
const MOST_SQUARES: usize = 16;

/// Monomials of the largest dividend that is multiplied by an inverse.
const MOST_MONOMIALS: usize = 16;

/// On which side of zero a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    NotNegative,
    NotPositive,
}

impl Side {
    pub fn opposite(self) -> Side {
        if self == Side::NotNegative { Side::NotPositive } else { Side::NotNegative }
    }

    fn times(self, other: Side) -> Side {
        if self == other { Side::NotNegative } else { Side::NotPositive }
    }
}

/// How errors of floats are said, and what stands for terms already.
#[derive(Default)]
pub(super) struct Forward {
    /// Whether errors are parts of terms, too. Without that there are fewer products.
    is_relative: bool,
    /// Floats with their errors.
    actual: FxHashMap<TermId, Value>,
    /// Inverses by what they are of.
    inverses: Vec<(Polynomial, Polynomial)>,
    /// Quotients by dividend and divisor, where they are no products with an inverse.
    quotients: Vec<([Polynomial; 2], Polynomial)>,
    /// Roots by what they are of.
    roots: Vec<(Polynomial, Polynomial)>,
    /// Absolute values by what they are of.
    sizes: Vec<(Polynomial, Polynomial)>,
    /// Terms that are integers.
    pub integers: Vec<Polynomial>,
    /// Differences that are not negative because a number is the lesser or the greater one of two.
    pub orders: Vec<Polynomial>,
    /// Monomials and what they are equal to: what is known of inverses and roots.
    rules: Vec<(Monomial, Polynomial)>,
}

impl Forward {
    pub fn new(is_relative: bool) -> Forward {
        Forward { is_relative, ..Forward::default() }
    }

    /// A polynomial that has the same value, where no rule applies any more, or has for so long.
    pub fn reduced(&self, mut polynomial: Polynomial) -> Polynomial {
        for _ in 0..MOST_REDUCTIONS {
            let applying = |monomial: &Monomial| {
                self.rules.iter().find_map(|(left, right)| Some((without(monomial, left)?, right)))
            };
            let found = polynomial
                .terms()
                .find_map(|(monomial, factor)| Some((monomial.clone(), factor.clone(), applying(monomial)?)));
            let Some((monomial, factor, (rest, right))) = found else { break };
            let mut sum = polynomial.clone();
            sum.add(monomial, -factor.clone());
            let mut other = Polynomial::default();
            other.add(rest, BigRational::one());
            match other.times(right).and_then(|product| sum.plus(&product, &factor)) {
                Some(sum) => polynomial = sum,
                None => break,
            }
        }
        polynomial
    }

    /// Makes a rule of a polynomial that is zero: its greatest monomial is what the others come to.
    fn relate(&mut self, zero: Option<Polynomial>) {
        let Some(zero) = zero.map(|zero| self.reduced(zero)) else { return };
        let order = |monomial: &Monomial| (monomial.len(), monomial.iter().rev().copied().collect::<Vec<_>>());
        let greatest = zero.terms().max_by_key(|(monomial, _)| order(monomial)).map(|(m, c)| (m.clone(), c.clone()));
        let Some((greatest, factor)) = greatest.filter(|(monomial, _)| !monomial.is_empty()) else { return };
        let mut others = zero;
        others.add(greatest.clone(), -factor.clone());
        self.rules.push((greatest, others.scaled(&-factor.recip())));
    }
}

impl Reading<'_> {
    /// A float as it is, its error an unknown.
    pub fn actual(&mut self, term: TermId) -> Option<Value> {
        let value = self.numbers.get(&term)?.clone();
        if value.error.is_zero() {
            return Some(value);
        }
        if let Some(known) = self.forward.as_ref()?.actual.get(&term) {
            return Some(known.clone());
        }
        let error = self.relaxed.unknowns.atom(Bounds::only(BigRational::zero()).widened(&value.error.absolute));
        if let Some(most) = self.most(&value) {
            let unknowns = &mut self.relaxed.unknowns;
            let least = most.scaled(&-BigRational::one());
            let both = [unknowns.at_most(&error, &most), unknowns.at_most(&least, &error)];
            unknowns.said.extend(both);
        }
        let polynomial = value.polynomial.plus(&error, &BigRational::one())?;
        let actual = Value { polynomial, error: Error::default(), ..value };
        self.forward.as_mut()?.actual.insert(term, actual.clone());
        Some(actual)
    }

    /// What the error is at most by terms, where that may be less than the absolute bound.
    fn most(&mut self, Value { polynomial, error, .. }: &Value) -> Option<Polynomial> {
        if error.small >= error.absolute || !self.forward.as_ref()?.is_relative {
            return None;
        }
        let mut most = Polynomial::constant(error.small.clone());
        let others = error.parts.iter().map(|part| (&part.factor, &part.term));
        for (factor, term) in others.chain([(&error.relative, polynomial)]).filter(|(factor, _)| !factor.is_zero()) {
            let size = self.absolute_value(term)?;
            most = most.plus(&size, factor)?;
        }
        Some(most)
    }

    /// The absolute value of a term, or less where it is an unknown of its own.
    fn absolute_value(&mut self, term: &Polynomial) -> Option<Polynomial> {
        let unknowns = &mut self.relaxed.unknowns;
        let bounds = unknowns.bounds(term);
        let opposite = term.scaled(&-BigRational::one());
        if bounds.low.as_ref().is_some_and(|low| !low.is_negative()) {
            return Some(term.clone());
        }
        if bounds.high.as_ref().is_some_and(|high| !high.is_positive()) {
            return Some(opposite);
        }
        let known = &mut self.forward.as_mut()?.sizes;
        if let Some((_, size)) = known.iter().find(|(known, _)| known == term) {
            return Some(size.clone());
        }
        let size = unknowns.atom(Bounds { low: Some(BigRational::zero()), high: bounds.size() });
        known.push((term.clone(), size.clone()));
        let zero = Polynomial::default();
        for (low, high, side) in [(&zero, term, term), (term, &zero, &opposite)] {
            let premise = unknowns.at_most(low, high);
            let conclusion = unknowns.at_most(&size, side);
            unknowns.say_if(premise, conclusion);
        }
        for most in self.by_factors(term) {
            let unknowns = &mut self.relaxed.unknowns;
            let fact = unknowns.at_most(&size, &most);
            unknowns.said.push(fact);
        }
        Some(size)
    }

    /// What the absolute value of a product is at most by each factor's, where the others are on one side of zero.
    fn by_factors(&self, term: &Polynomial) -> Vec<Polynomial> {
        let mut terms = term.terms();
        let (Some((monomial, coefficient)), None) = (terms.next(), terms.next()) else { return Vec::new() };
        let Some(forward) = self.forward.as_ref().filter(|_| monomial.len() > 1) else { return Vec::new() };
        let mut factors = monomial.clone();
        factors.dedup();
        let by_factor = |factor: &Unknown| {
            let rest = without(monomial, &Monomial::from_slice(&[*factor]))?;
            let side = self.relaxed.unknowns.side(&rest)?;
            let size = self.relaxed.unknowns.bounds_of(*factor).size()? * coefficient.abs();
            let mut most = Polynomial::default();
            most.add(rest, if side == Side::NotNegative { size } else { -size });
            Some(forward.reduced(most))
        };
        factors.iter().filter_map(by_factor).collect()
    }

    /// How far the product of two floats is from that of their polynomials.
    pub fn error_of_product(&self, factors: [TermId; 2]) -> Option<Error> {
        let [a, b] = factors.map(|factor| self.numbers.get(&factor).map(|value| &value.error));
        let (a, b) = (a?, b?);
        if a.is_zero() && b.is_zero() {
            return Some(Error::default());
        }
        let [of_a, of_b] = factors.map(|factor| bounds_of(&self.domain(factor)?).size());
        Some(a.product(b, [&of_a?, &of_b?]))
    }

    /// How far the sum of two numbers on these sides of zero is from that of their polynomials.
    pub fn error_of_sum(&self, operands: [&Value; 2], sides: [Option<Side>; 2]) -> Error {
        let sizes = operands.map(|operand| {
            let bounds = self.relaxed.unknowns.bounds(&operand.polynomial);
            bounds.widened(&operand.error.absolute).size()
        });
        let operand = |of: usize| {
            let Value { error, polynomial: term, .. } = operands[of];
            Operand { error, term, size: sizes[of].as_ref() }
        };
        Error::sum([operand(0), operand(1)], sides[0].is_some() && sides[0] == sides[1])
    }

    /// Whether a float is not negative, or not positive.
    pub fn side(&self, term: TermId) -> Option<Side> {
        let domain = self.domain(term)?;
        match (domain.negative, domain.positive) {
            (None, _) => Some(Side::NotNegative),
            (_, None) => Some(Side::NotPositive),
            _ => None,
        }
    }

    /// The same of a product.
    pub fn side_of_product(&self, factors: [TermId; 2]) -> Option<Side> {
        let [a, b] = factors.map(|factor| self.side(factor));
        if factors[0] == factors[1] { Some(Side::NotNegative) } else { Some(a?.times(b?)) }
    }

    /// A result that is rounded, by at most so much, and of at most a size.
    pub fn erring(
        &self,
        exact: Value,
        mode: Option<RoundingMode>,
        on_grid: bool,
        (rounding, size): (&BigRational, &BigRational),
        domain: &FloatDomain,
    ) -> Value {
        let format = domain.format;
        let place = exact.place.map(|place| place.max(format.min_lsb_exponent())).max(least_place(domain));
        let (part, least) = relative_error(format, mode, on_grid);
        let error = exact.error.rounded(rounding, (&part, &least), size);
        Value { place, bits: Some(u64::from(format.precision())), error, ..exact }
    }

    /// A quotient that lies between bounds, of floats that are numbers and not too near to zero for their errors.
    pub fn forward_quotient(&mut self, [dividend, divisor]: [TermId; 2], bounds: Bounds) -> Option<Operation> {
        let (mut a, mut b) = (self.numbers.get(&dividend)?.clone(), self.numbers.get(&divisor)?.clone());
        if a.number.or(b.number).is_some() {
            return None;
        }
        if let Some(value) = b.polynomial.as_constant().filter(|value| b.error.is_zero() && !value.is_zero()) {
            let inverse = value.recip();
            return Some(Value { error: a.error.scaled(&inverse), ..Value::of(a.polynomial.scaled(&inverse)) }.into());
        }
        let domain = self.domain(divisor).filter(|domain| !domain.minus_zero && !domain.plus_zero)?;
        let least = least_size(&domain)?;
        let size = match bounds.size() {
            Some(size) => size,
            None => bounds_of(&self.domain(dividend)?).size()? / &least,
        };
        let bound = (&a.error.absolute).max(&b.error.absolute) * BigRational::from_integer(MOST_GROWTH.into());
        // Parts of terms that will be divided, too, are no error that grows.
        let kept = if self.forward.as_ref()?.is_relative {
            vec![Some(Polynomial::default()); a.error.parts.len()]
        } else {
            Vec::new()
        };
        let is_kept = |error: &Error| error.small.clone().min(error.absolute.clone()) <= bound;
        let error = a.error.quotient(&b.error, &size, &least, &kept).filter(is_kept);
        let mut error = match error {
            Some(_) => a.error.quotient(&b.error, &size, &least, &[])?,
            // By floats as they are.
            None => {
                (a, b) = (self.actual(dividend)?, self.actual(divisor)?);
                Error::default()
            }
        };
        let within = bounds.widened(&error.absolute);
        let parts = [a.polynomial.clone(), b.polynomial.clone()];
        if parts[0].len() <= MOST_MONOMIALS
            && let Some(inverse) = self.inverse(&parts[1], &bounds_of(&domain), &least, &b.error)
            && let Some(product) = inverse.times(&parts[0])
        {
            let forward = self.forward.as_ref()?;
            let quotient = forward.reduced(product);
            if forward.is_relative && !error.is_zero() {
                let by_divisor = |term: &Polynomial| Some(forward.reduced(inverse.times(term)?));
                let terms: Vec<Option<Polynomial>> = a.error.parts.iter().map(|part| by_divisor(&part.term)).collect();
                if let Some(with_parts) = a.error.quotient(&b.error, &size, &least, &terms) {
                    error = with_parts;
                }
            }
            self.lies(&quotient, &within);
            return Some(Value { error, ..Value::of(quotient) }.into());
        }
        let quotients = &self.forward.as_ref()?.quotients;
        if let Some((_, known)) = quotients.iter().find(|(known, _)| *known == parts) {
            return Some(Value { error, ..Value::of(known.clone()) }.into());
        }
        self.lies(&parts[1], &bounds_of(&domain).widened(&b.error.absolute));
        let unknowns = &mut self.relaxed.unknowns;
        let quotient = unknowns.atom(within);
        let named = Polynomial::atom(unknowns.named(&parts[1]));
        let equal = unknowns.equal(&quotient.times(&named)?, &parts[0]);
        unknowns.said.push(equal);
        self.forward.as_mut()?.quotients.push((parts, quotient.clone()));
        Some(Value { error, ..Value::of(quotient) }.into())
    }

    /// The inverse of a term whose float lies between bounds, `least` or more from zero.
    fn inverse(
        &mut self,
        term: &Polynomial,
        bounds: &Bounds,
        least: &BigRational,
        error: &Error,
    ) -> Option<Polynomial> {
        if let Some((_, known)) = self.forward.as_ref()?.inverses.iter().find(|(known, _)| known == term) {
            return Some(known.clone());
        }
        let greatest = (least - &error.absolute).recip();
        let smallest = bounds.size().map(|size| (size + &error.absolute).recip());
        let is_positive = bounds.low.as_ref().is_some_and(|low| low.is_positive());
        let is_negative = bounds.high.as_ref().is_some_and(|high| high.is_negative());
        let range = match () {
            () if is_positive => Bounds { low: smallest, high: Some(greatest) },
            () if is_negative => Bounds { low: Some(-greatest), high: smallest.map(|smallest| -smallest) },
            () => Bounds { low: Some(-&greatest), high: Some(greatest) },
        };
        self.lies(term, &bounds.widened(&error.absolute));
        let unknowns = &mut self.relaxed.unknowns;
        let inverse = unknowns.atom(range);
        let (one, minus) = (Polynomial::constant(BigRational::one()), -BigRational::one());
        let product = match inverse.times(term) {
            Some(product) => product,
            None => inverse.times(&Polynomial::atom(unknowns.named(term)))?,
        };
        let equal = unknowns.equal(&product, &one);
        unknowns.said.push(equal);
        let forward = self.forward.as_mut()?;
        forward.relate(product.plus(&one, &minus));
        // What is above zero is the root of what it is the root of, and has its square.
        if let Some((of, root)) = forward.roots.iter().find(|(_, root)| root == term).cloned() {
            forward.relate(root.times(&root).and_then(|square| square.plus(&of, &minus)));
            forward.relate(inverse.times(&of).and_then(|product| product.plus(&root, &minus)));
        }
        forward.inverses.push((term.clone(), inverse.clone()));
        Some(inverse)
    }

    /// The root of a float that is a number and not negative.
    pub fn forward_root(&mut self, of: TermId) -> Option<Operation> {
        let mut a = self.numbers.get(&of).filter(|a| a.number.is_none())?.clone();
        let bounds = bounds_of(&self.domain(of)?);
        let low = bounds.low.clone().filter(|low| !low.is_negative())?;
        let mut error = a.error.root(&low, bounds.high.as_ref());
        if error.rest() > &a.error.absolute * BigRational::from_integer(MOST_GROWTH.into()) {
            // Of the float as it is.
            (a, error) = (self.actual(of)?, Error::default());
        }
        let roots = &self.forward.as_ref()?.roots;
        if let Some((_, known)) = roots.iter().find(|(known, _)| *known == a.polynomial) {
            return Some(Value { error, ..Value::of(known.clone()) }.into());
        }
        let bounds = bounds.widened(&a.error.absolute);
        self.lies(&a.polynomial, &bounds);
        let unknowns = &mut self.relaxed.unknowns;
        let root = unknowns.atom(Bounds { low: Some(BigRational::zero()), high: bounds.high.as_ref().map(root_above) });
        let zero = Polynomial::default();
        let is_there = unknowns.at_most(&zero, &a.polynomial);
        let is_not = unknowns.less(&a.polynomial, &zero);
        let equal = unknowns.equal(&root.times(&root)?, &a.polynomial);
        let is_zero = unknowns.equal(&root, &zero);
        unknowns.say_if(is_there, equal);
        unknowns.say_if(is_not, is_zero);
        let is_never_negative = unknowns.bounds(&a.polynomial).low.is_some_and(|low| !low.is_negative());
        // What is negative by the error is as much less than the root's square, which is 0.
        let square = match is_never_negative || a.error.is_zero() {
            true => Some(a.polynomial.clone()),
            false => {
                let less = Bounds { low: Some(BigRational::zero()), high: Some(a.error.absolute.clone()) };
                a.polynomial.plus(&unknowns.atom(less), &BigRational::one())
            }
        };
        let forward = self.forward.as_mut()?;
        let minus = -BigRational::one();
        forward.relate(square.and_then(|square| root.times(&root)?.plus(&square, &minus)));
        forward.roots.push((a.polynomial, root.clone()));
        Some(Value { error, ..Value::of(root) }.into())
    }

    /// Says that squares of sums are not negative, where products of their terms are there.
    pub fn squares_of_sums(&mut self) {
        let mut squares: Vec<Polynomial> = Vec::new();
        for Value { polynomial, number, .. } in self.numbers.values() {
            if polynomial.degree() == 1
                && polynomial.len() > 1
                && number.is_none()
                && let Some(square) =
                    polynomial.times(polynomial).filter(|square| self.relaxed.unknowns.are_known(square))
                && !squares.contains(&square)
            {
                squares.push(square);
            }
        }
        squares.sort_by_key(Polynomial::len);
        for square in squares.iter().take(MOST_SQUARES) {
            let unknowns = &mut self.relaxed.unknowns;
            let fact = unknowns.at_most(&Polynomial::default(), square);
            unknowns.said.push(fact);
        }
    }

    /// An integer that is so near to a number that this is rounded to it.
    pub fn integer_beside(&self, mode: Option<RoundingMode>, inner: &Polynomial) -> Option<Polynomial> {
        let [half, one] = [BigRational::new(1.into(), 2.into()), BigRational::one()];
        let zero = BigRational::zero();
        let (below, above) = match mode? {
            RoundingMode::NearestEven | RoundingMode::NearestAway => (&half, &half),
            RoundingMode::TowardNegative => (&zero, &one),
            RoundingMode::TowardPositive => (&one, &zero),
            RoundingMode::TowardZero => return None,
        };
        let is_rounded_to = |integer: &&Polynomial| {
            let distance = inner.plus(integer, &-&one).map(|distance| self.relaxed.unknowns.bounds(&distance));
            let Some(Bounds { low: Some(low), high: Some(high) }) = distance else { return false };
            // Either end is within where it is no distance at all.
            let is_above = if below.is_zero() { !low.is_negative() } else { -below < low };
            let is_below = if above.is_zero() { !high.is_positive() } else { &high < above };
            is_above && is_below
        };
        self.forward.as_ref()?.integers.iter().find(is_rounded_to).cloned()
    }

    /// Says between which ends a polynomial is.
    pub fn lies(&mut self, polynomial: &Polynomial, Bounds { low, high }: &Bounds) {
        let unknowns = &mut self.relaxed.unknowns;
        if let Some(low) = low {
            let fact = unknowns.at_most(&Polynomial::constant(low.clone()), polynomial);
            unknowns.said.push(fact);
        }
        if let Some(high) = high {
            let fact = unknowns.at_most(polynomial, &Polynomial::constant(high.clone()));
            unknowns.said.push(fact);
        }
    }
}

/// What is left of a monomial without the factors of another, if it has them all. Factors ascend.
pub(super) fn without(monomial: &Monomial, factors: &Monomial) -> Option<Monomial> {
    let mut rest = Monomial::new();
    let mut wanted = factors.iter().peekable();
    for factor in monomial {
        if wanted.peek() == Some(&factor) {
            wanted.next();
        } else {
            rest.push(*factor);
        }
    }
    wanted.next().is_none().then_some(rest)
}
