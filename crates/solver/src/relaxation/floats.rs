//! Floats as polynomials, and what their operations say of them.
//!
//! A float that may be infinite or no number in some model has a truth value that it is a number; what is said of it is said for the case that it is.
//! Its unknown is then any member of its range that is a number, which satisfies what is said of the range alone. So what a clamp or a guard leaves of a quotient that
//! may overflow, and that a quotient does not where its operands say so, are known.

use labrys_float::{Float, Format, RoundingMode};
use labrys_term::{Op, TermId};
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::error::Error;
use super::forward::Side;
use super::reading::Reading;
use super::rounding::{Rounding, binade, error_up_to, last_place, power_of_two};
use super::unknowns::{Bounds, Polynomial, Unknowns};
use crate::domain::FloatDomain;
use crate::error_free::{self, Split};

/// The place of zero, which is a multiple of any: greater than that of any other float.
const LARGEST_PLACE: i64 = 1 << 16;

/// Factors of the products that are taken apart where roundings are among them.
const MOST_FACTORS: usize = 4;

/// A number.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub polynomial: Polynomial,
    /// It is a multiple of this power of two, if it is known to be one.
    pub place: Option<i64>,
    /// Its significant bits, if they are known to be so few.
    pub bits: Option<u64>,
    /// Whether it is a number; if not, nothing is said of it. `None` where it is one in all models.
    pub number: Option<TermId>,
    /// How far it is from the polynomial at most, where roundings are no unknowns ([`super::forward`]).
    pub error: Error,
}

impl Value {
    /// A number of which only the polynomial is known.
    pub fn of(polynomial: Polynomial) -> Value {
        Value { polynomial, place: None, bits: None, number: None, error: Error::default() }
    }

    fn opposite(self) -> Value {
        Value { polynomial: self.polynomial.scaled(&-BigRational::one()), ..self }
    }
}

/// An operation before it is rounded.
pub(super) struct Operation {
    /// A number if its operands are, and the operation is defined.
    pub exact: Value,
    /// What follows where the result is a number.
    pub needed: Option<TermId>,
    /// Of a sum, floats of its format.
    pub operands: Option<[Polynomial; 2]>,
}

impl From<Value> for Operation {
    fn from(exact: Value) -> Operation {
        Operation { needed: exact.number, exact, operands: None }
    }
}

impl Reading<'_> {
    /// What is known of a float's value; of a constant, that.
    pub fn domain(&self, term: TermId) -> Option<FloatDomain> {
        let format = self.store.float_format(term).filter(|format| FloatDomain::supports(*format))?;
        let domain = self.known.float(&self.store, term).unwrap_or_else(|| FloatDomain::top(format));
        Some(domain).filter(|domain| !domain.is_empty())
    }

    /// A float.
    pub fn float(&mut self, term: TermId, format: Format) -> Option<Value> {
        let domain = self.domain(term)?;
        let error = if self.forward.is_some() { None } else { self.error(term) };
        let mut value = match error {
            None => self.operation(term, format, &domain)?,
            Some((error, None)) => {
                let number = self.number(&domain);
                if let Some(needed) = error.number {
                    self.relaxed.unknowns.say_under(number, needed);
                }
                Value { number, bits: Some(u64::from(format.precision())), ..error }
            }
            Some((error, Some(condition))) => {
                let value = self.operation(term, format, &domain)?;
                let unknowns = &mut self.relaxed.unknowns;
                let equal = unknowns.equal(&value.polynomial, &error.polynomial);
                let premise = unknowns.all(&[value.number, error.number, Some(condition)]);
                unknowns.say_under(premise, equal);
                value
            }
        };
        if is_finite(&domain)
            && let Some(number) = value.number.take()
        {
            self.relaxed.unknowns.said.push(number);
        }
        Some(value)
    }

    fn operation(&mut self, term: TermId, format: Format, domain: &FloatDomain) -> Option<Value> {
        let node = self.store.node(term).clone();
        let numbers: Vec<Option<Value>> = node.args.iter().map(|arg| self.numbers.get(arg).cloned()).collect();
        let of = |place: usize| numbers[place].clone();
        let operation = match &node.op {
            Op::FloatConst(value) => {
                let no_number = self.relaxed.unknowns.store.bool_const(false);
                return Some(match value.to_rational() {
                    Some(value) => constant(value),
                    None => Value { number: Some(no_number), ..constant(BigRational::zero()) },
                });
            }
            Op::FpNeg => return Some(of(0)?.opposite()),
            Op::FpAbs => return self.absolute(node.args[0], of(0)?, domain),
            Op::Ite => return Some(self.choice(node.args[0], [of(1), of(2)], domain)),
            Op::FpMin | Op::FpMax => {
                let (a, b) = (of(0)?, of(1)?);
                return Some(self.extreme([a, b], node.op == Op::FpMin, domain));
            }
            Op::FpRoundToIntegral => {
                let (inner, mode) = (self.actual(node.args[1])?, self.mode(node.args[0]));
                if self.forward.is_some()
                    && inner.number.is_none()
                    && is_finite(domain)
                    && let Some(polynomial) = self.near_integer(mode, &inner.polynomial, &bounds_of(domain))
                {
                    let (place, bits) = (least_place(domain).max(Some(0)), Some(u64::from(format.precision())));
                    return Some(Value { place, bits, ..Value::of(polynomial) });
                }
                let found = self.relaxed.unknowns.unknown(bounds_of(domain));
                let number = self.number(domain);
                self.relaxed.integers.push((found, number));
                let polynomial = Polynomial::atom(found);
                self.integral(mode, &inner.polynomial, &polynomial, number);
                let (place, bits) = (least_place(domain).max(Some(0)), Some(u64::from(format.precision())));
                let unknowns = &mut self.relaxed.unknowns;
                if let Some(needed) = inner.number {
                    unknowns.say_under(number, needed);
                }
                // Where the greatest float is no integer, what it is rounded to may be infinite.
                let greatest = Float::max_finite(format).to_rational();
                if let Some(number) = number.filter(|_| greatest.is_some_and(|greatest| greatest.is_integer())) {
                    unknowns.say_under(inner.number, number);
                }
                return Some(Value { place, bits, number, ..Value::of(polynomial) });
            }
            Op::FpAdd => {
                let sides = [self.side(node.args[1]), self.side(node.args[2])];
                self.sum([of(1), of(2)], sides)
            }
            Op::FpSub => {
                let sides = [self.side(node.args[1]), self.side(node.args[2]).map(Side::opposite)];
                self.sum([of(1), of(2).map(Value::opposite)], sides)
            }
            Op::FpMul => self.product([node.args[1], node.args[2]]).map(Operation::from),
            Op::FpFma => {
                let product = self.product([node.args[1], node.args[2]]);
                let sides = [self.side_of_product([node.args[1], node.args[2]]), self.side(node.args[3])];
                self.sum([product, of(3)], sides).map(|sum| Operation::from(sum.exact))
            }
            Op::FpDiv if self.forward.is_some() => {
                let bounds = bounds_before(domain, self.mode(node.args[0]));
                self.forward_quotient([node.args[1], node.args[2]], bounds)
            }
            Op::FpSqrt if self.forward.is_some() => self.forward_root(node.args[1]),
            Op::FpDiv => self.quotient(of(1), (node.args[2], of(2)), bounds_before(domain, self.mode(node.args[0]))),
            Op::FpSqrt => self.root(of(1), bounds_before(domain, self.mode(node.args[0]))),
            Op::FpFromFloat(_) if self.store.float_format(node.args[1]).is_some_and(|from| format.holds_all(from)) => {
                return of(1).or_else(|| Some(self.opaque(domain)));
            }
            Op::FpFromFloat(_) => of(1).map(Operation::from),
            Op::FpFromSigned(_) | Op::FpFromUnsigned(_) => {
                let polynomial = self.integer(node.args[1], matches!(node.op, Op::FpFromSigned(_)));
                polynomial.map(|polynomial| Value { place: Some(0), ..Value::of(polynomial) }.into())
            }
            _ => None,
        };
        let Some(operation) = operation else { return Some(self.opaque(domain)) };
        let mode = self.mode(node.args[0]);
        Some(self.rounded(format, mode, operation, domain))
    }

    /// Where a term is the error of a sum s of x and y, x + y − s if it is a number ([`error_free`]), and what must hold beside that.
    fn error(&mut self, term: TermId) -> Option<(Value, Option<TermId>)> {
        let (Split { sum, x, y, ordered }, is_opposite) = error_free::error_of_sum(&self.store, term)?;
        let [s, x, y] = [self.numbers.get(&sum)?, self.numbers.get(&x)?, self.numbers.get(&y)?];
        let [plus, minus] = [1, -1].map(|sign| BigRational::from_integer(sign.into()));
        let polynomial = x.polynomial.plus(&y.polynomial, &plus)?.plus(&s.polynomial, &minus)?;
        let polynomial = polynomial.scaled(if is_opposite { &minus } else { &plus });
        let place = common_place(s, x).zip(common_place(s, y)).map(|(a, b)| a.min(b));
        let numbers = [s.number, x.number, y.number];
        let condition = match ordered {
            None => None,
            Some(parts) => {
                let [large, small] = parts.map(|part| Some(self.numbers.get(&part)?.polynomial.clone()));
                let (large, small) = (large?, small?);
                let unknowns = &mut self.relaxed.unknowns;
                let signs = [&plus, &minus].map(|sign| {
                    let large = large.scaled(sign);
                    let sides = [unknowns.at_most(&small, &large), unknowns.at_most(&small.scaled(&minus), &large)];
                    unknowns.store.and(&sides)
                });
                Some(unknowns.store.or(&signs))
            }
        };
        let number = self.relaxed.unknowns.all(&numbers);
        Some((Value { place, number, ..Value::of(polynomial) }, condition))
    }

    pub fn mode(&self, term: TermId) -> Option<RoundingMode> {
        self.store.as_rounding_mode(term)
    }

    /// Whether a member is a number: a new truth value unless all are.
    fn number(&mut self, domain: &FloatDomain) -> Option<TermId> {
        if is_finite(domain) {
            return None;
        }
        let unknowns = &mut self.relaxed.unknowns;
        let finite = finite_members(domain);
        Some(if finite.is_empty() { unknowns.store.bool_const(false) } else { unknowns.truth() })
    }

    /// An unknown that is a member.
    pub fn opaque(&mut self, domain: &FloatDomain) -> Value {
        let number = self.number(domain);
        self.member(domain, None, number)
    }

    /// The same, a multiple of a power of two where one is given, if it is a number.
    fn member(&mut self, domain: &FloatDomain, place: Option<i64>, number: Option<TermId>) -> Value {
        let unknown = self.relaxed.unknowns.unknown(bounds_of(domain));
        let least = least_size(domain).max(place.map(power_of_two));
        let known = power_of_two(domain.format.min_lsb_exponent());
        self.relaxed.gaps.extend(least.filter(|least| *least > known).map(|least| (unknown, least, number)));
        let bits = Some(u64::from(domain.format.precision()));
        Value { place: least_place(domain).max(place), bits, number, ..Value::of(Polynomial::atom(unknown)) }
    }

    /// The same with an error: what is within it of a member.
    fn near(&mut self, domain: &FloatDomain, place: Option<i64>, number: Option<TermId>, error: Error) -> Value {
        if error.is_zero() {
            return self.member(domain, place, number);
        }
        let unknown = self.relaxed.unknowns.unknown(bounds_of(domain).widened(&error.absolute));
        let bits = Some(u64::from(domain.format.precision()));
        let place = least_place(domain).max(place);
        Value { polynomial: Polynomial::atom(unknown), place, bits, number, error }
    }

    fn absolute(&mut self, inner: TermId, value: Value, domain: &FloatDomain) -> Option<Value> {
        let of_inner = bounds_of(&self.domain(inner)?);
        let opposite = value.clone().opposite();
        if of_inner.low.as_ref().is_some_and(|low| !low.is_negative()) {
            return Some(value);
        }
        if of_inner.high.as_ref().is_some_and(|high| !high.is_positive()) {
            return Some(opposite);
        }
        let found = self.near(domain, value.place, value.number, value.error.clone());
        let unknowns = &mut self.relaxed.unknowns;
        let zero = Polynomial::default();
        for (low, high, side) in [(&zero, &value.polynomial, &value), (&value.polynomial, &zero, &opposite)] {
            let premise = unknowns.at_most(low, high);
            let equal = unknowns.equal(&found.polynomial, &side.polynomial);
            let implied = unknowns.implied(premise, equal);
            unknowns.say_under(value.number, implied);
        }
        Some(found)
    }

    /// One of two, of which each may be no number where it is not chosen.
    fn choice(&mut self, condition: TermId, parts: [Option<Value>; 2], domain: &FloatDomain) -> Value {
        if let [Some(a), Some(b)] = &parts
            && (&a.polynomial, a.number, &a.error) == (&b.polynomial, b.number, &b.error)
        {
            return a.clone();
        }
        if let Some(value) = self.beside_zero(condition, &parts) {
            return value;
        }
        if let Some(is_first) = self.known.truth(condition)
            && let Some(value) = &parts[usize::from(!is_first)]
        {
            return value.clone();
        }
        if let [Some(a), Some(b)] = &parts
            && let Some(value) = self.counted(condition, [a, b], domain)
        {
            return value;
        }
        let place = match &parts {
            [Some(a), Some(b)] => common_place(a, b),
            _ => None,
        };
        let number = self.number(domain);
        let errors = parts.iter().flatten().map(|part| part.error.clone());
        let error = errors.reduce(|a, b| a.either(&b)).unwrap_or_default();
        let found = self.near(domain, place, number, error);
        if let [Some(a), Some(b)] = &parts
            && let Some(is_least) = self.is_extreme(condition, [a, b])
        {
            self.beyond(&found, [a, b], is_least);
        }
        let truth = self.truths[&condition];
        let unknowns = &mut self.relaxed.unknowns;
        for (premise, part) in [truth, unknowns.store.not(truth)].into_iter().zip(&parts) {
            let Some(part) = part else { continue };
            // The chosen one is a number if the result is, and the other way round.
            let yes = unknowns.store.bool_const(true);
            let [of_part, of_found] = [part.number, number].map(|number| number.unwrap_or(yes));
            let same = unknowns.store.mk(Op::Eq, &[of_part, of_found]);
            unknowns.say_if(premise, same);
        }
        let parts = parts.map(|part| Some((part?.polynomial, number)));
        self.chosen(&found.polynomial, condition, parts);
        found
    }

    /// A choice of two numbers that differ by a known one: the second, and this times 1 or 0.
    fn counted(&mut self, condition: TermId, [a, b]: [&Value; 2], domain: &FloatDomain) -> Option<Value> {
        if a.number.is_some() || b.number.is_some() || a.error != b.error || !is_finite(domain) {
            return None;
        }
        let difference = a.polynomial.plus(&b.polynomial, &-BigRational::one()).filter(|sum| sum.degree() == 0)?;
        let polynomial = self.indicator(condition)?.times(&difference)?.plus(&b.polynomial, &BigRational::one())?;
        self.lies(&polynomial, &bounds_of(domain));
        Some(Value { place: common_place(a, b), error: a.error.clone(), ..Value::of(polynomial) })
    }

    /// Whether a choice of two exact numbers is the lesser one by its condition, or the greater one.
    fn is_extreme(&self, condition: TermId, [a, b]: [&Value; 2]) -> Option<bool> {
        let node = self.store.node(condition);
        let (node, is_not) = if node.op == Op::Not { (self.store.node(node.args[0]), true) } else { (node, false) };
        let (Op::FpLt | Op::FpLe, &[x, y]) = (&node.op, &node.args[..]) else { return None };
        let (x, y) = (self.numbers.get(&x)?, self.numbers.get(&y)?);
        let is_exact = |value: &Value| value.number.is_none() && value.error.is_zero();
        if ![a, b, x, y].into_iter().all(is_exact) {
            return None;
        }
        let are = |first: &Value, second: &Value| x.polynomial == first.polynomial && y.polynomial == second.polynomial;
        (are(a, b) || are(b, a)).then(|| are(a, b) != is_not)
    }

    /// Takes notice that a number is at most either of two, or at least. It follows from the choice, and is for products alone: the nonlinear engine does not gain by it.
    fn beyond(&mut self, found: &Value, parts: [&Value; 2], is_least: bool) {
        let Some(forward) = &mut self.forward else { return };
        for part in parts {
            let (low, high) = if is_least { (found, part) } else { (part, found) };
            forward.orders.extend(high.polynomial.plus(&low.polynomial, &-BigRational::one()));
        }
    }

    /// A number that a choice replaces by zero where it is zero, as sums with zero do for its sign.
    fn beside_zero(&self, mut condition: TermId, parts: &[Option<Value>; 2]) -> Option<Value> {
        let [mut zero, mut value] = parts.each_ref().map(Option::as_ref);
        if self.store.node(condition).op == Op::Not {
            condition = self.store.node(condition).args[0];
            std::mem::swap(&mut zero, &mut value);
        }
        let node = self.store.node(condition);
        let is_zero = |of: &Value| of.polynomial == Polynomial::default() && of.error.is_zero() && of.number.is_none();
        let is_zero_term = |term: TermId| self.numbers.get(&term).is_some_and(is_zero);
        let of = match (&node.op, &node.args[..]) {
            (Op::FpIsZero, &[of]) => of,
            (Op::FpEq, &[of, zero]) | (Op::FpEq, &[zero, of]) if is_zero_term(zero) => of,
            _ => return None,
        };
        let (zero, value, of) = (zero?, value?, self.numbers.get(&of)?);
        let is_same = (&value.polynomial, value.number) == (&of.polynomial, of.number);
        let error = value.error.either(&of.error);
        (is_same && is_zero(zero)).then(|| Value { error, ..value.clone() })
    }

    /// That `found` is the first part where a condition holds, and the second one where it does not, if the part is a number.
    pub fn chosen(&mut self, found: &Polynomial, condition: TermId, parts: [Option<(Polynomial, Option<TermId>)>; 2]) {
        let condition = self.truths[&condition];
        let unknowns = &mut self.relaxed.unknowns;
        let premises = [condition, unknowns.store.not(condition)];
        for (premise, part) in premises.into_iter().zip(parts) {
            if let Some((part, number)) = part {
                let equal = unknowns.equal(found, &part);
                let premise = unknowns.all(&[Some(premise), number]);
                unknowns.say_under(premise, equal);
            }
        }
    }

    /// The lesser or the greater one of two, where both are numbers.
    fn extreme(&mut self, [a, b]: [Value; 2], is_least: bool, domain: &FloatDomain) -> Value {
        let number = self.number(domain);
        let error = a.error.either(&b.error);
        let found = self.near(domain, common_place(&a, &b), number, error);
        let unknowns = &mut self.relaxed.unknowns;
        let both = unknowns.all(&[a.number, b.number]);
        if let Some(number) = number {
            unknowns.say_under(both, number);
        }
        for (small, large) in [(&a, &b), (&b, &a)] {
            let premise = unknowns.at_most(&small.polynomial, &large.polynomial);
            let chosen = if is_least { small } else { large };
            let equal = unknowns.equal(&found.polynomial, &chosen.polynomial);
            let implied = unknowns.implied(premise, equal);
            unknowns.say_under(both, implied);
        }
        if both.is_none() && found.number.is_none() && found.error.is_zero() {
            self.beyond(&found, [&a, &b], is_least);
        }
        found
    }

    /// The sum of two floats of a format, which are on these sides of zero.
    fn sum(&mut self, [a, b]: [Option<Value>; 2], sides: [Option<Side>; 2]) -> Option<Operation> {
        let (a, b) = (a?, b?);
        let error = match a.error.is_zero() && b.error.is_zero() {
            true => Error::default(),
            false => self.error_of_sum([&a, &b], sides),
        };
        let polynomial = a.polynomial.plus(&b.polynomial, &BigRational::one())?;
        let number = self.relaxed.unknowns.all(&[a.number, b.number]);
        let exact = Value { polynomial, place: common_place(&a, &b), bits: None, number, error };
        Some(Operation { operands: Some([a.polynomial, b.polynomial]), ..exact.into() })
    }

    fn product(&mut self, factors: [TermId; 2]) -> Option<Value> {
        let [a, b] = factors.map(|factor| self.numbers.get(&factor).cloned());
        let (a, b) = (a?, b?);
        let error = self.error_of_product(factors)?;
        let place = a.place.zip(b.place).map(|(a, b)| (a + b).min(LARGEST_PLACE));
        let bits = a.bits.zip(b.bits).map(|(a, b)| a + b);
        let unknowns = &mut self.relaxed.unknowns;
        let number = unknowns.all(&[a.number, b.number]);
        let degree = a.polynomial.degree() + b.polynomial.degree();
        let most = if self.forward.is_some() { usize::MAX } else { MOST_FACTORS };
        let polynomial = match a.polynomial.times(&b.polynomial).filter(|_| degree <= most) {
            Some(product) => product,
            None => {
                let factors = [a, b].map(|part| Polynomial::atom(unknowns.named(&part.polynomial)));
                factors[0].times(&factors[1])?
            }
        };
        let polynomial = match &self.forward {
            Some(forward) => forward.reduced(polynomial),
            None => polynomial,
        };
        Some(Value { polynomial, place, bits, number, error })
    }

    /// The quotient is an unknown of which the product with the divisor is the dividend, where that is not zero. A number divided by no number may be one.
    fn quotient(
        &mut self,
        a: Option<Value>,
        (divisor, b): (TermId, Option<Value>),
        bounds: Bounds,
    ) -> Option<Operation> {
        let (a, b) = (a?, b?);
        if let Some(value) = b.polynomial.as_constant() {
            if value.is_zero() {
                return None;
            }
            let number = self.relaxed.unknowns.all(&[a.number, b.number]);
            let polynomial = a.polynomial.scaled(&value.recip());
            let exact = Value { number, ..Value::of(polynomial) };
            return Some(Operation { needed: a.number, ..exact.into() });
        }
        let may_be_zero = self.domain(divisor).is_none_or(|domain| domain.minus_zero || domain.plus_zero);
        let unknowns = &mut self.relaxed.unknowns;
        let zero = Polynomial::default();
        let sides = [unknowns.less(&b.polynomial, &zero), unknowns.less(&zero, &b.polynomial)];
        let is_there = may_be_zero.then(|| unknowns.store.or(&sides));
        let number = unknowns.all(&[a.number, b.number, is_there]);
        let quotient = unknowns.atom(bounds);
        let named = Polynomial::atom(unknowns.named(&b.polynomial));
        let equal = unknowns.equal(&quotient.times(&named)?, &a.polynomial);
        unknowns.say_under(number, equal);
        let of_divisor = is_there.map(|is_there| unknowns.under(b.number, is_there));
        let needed = unknowns.all(&[a.number, of_divisor]);
        let exact = Value { number, ..Value::of(quotient) };
        Some(Operation { needed, ..exact.into() })
    }

    /// The root is an unknown of which the square is the operand, where that is not negative.
    fn root(&mut self, a: Option<Value>, Bounds { low, high }: Bounds) -> Option<Operation> {
        let a = a?;
        let unknowns = &mut self.relaxed.unknowns;
        let zero = Polynomial::default();
        let is_there = unknowns.at_most(&zero, &a.polynomial);
        let number = unknowns.all(&[a.number, Some(is_there)]);
        let root = unknowns.atom(Bounds { low: low.max(Some(BigRational::zero())), high });
        let equal = unknowns.equal(&root.times(&root)?, &a.polynomial);
        unknowns.say_under(number, equal);
        Some(Value { number, ..Value::of(root) }.into())
    }

    /// A result: what it is rounded from where that is a float, else a new unknown.
    fn rounded(
        &mut self,
        format: Format,
        mode: Option<RoundingMode>,
        Operation { exact, needed, operands }: Operation,
        domain: &FloatDomain,
    ) -> Value {
        let number = self.number(domain);
        let (Some(size), Some(greatest)) = (bounds_of(domain).size(), Float::max_finite(format).to_rational()) else {
            return self.member(domain, None, number);
        };
        let unknowns = &mut self.relaxed.unknowns;
        if let Some(needed) = needed {
            unknowns.say_under(number, needed);
        }
        if let Some(number) = number {
            // What is no larger than the greatest float is rounded to a float.
            let ends = [-&greatest, greatest.clone()].map(Polynomial::constant);
            let fits = [unknowns.at_most(&ends[0], &exact.polynomial), unknowns.at_most(&exact.polynomial, &ends[1])];
            let premise = unknowns.all(&[exact.number, Some(fits[0]), Some(fits[1])]);
            unknowns.say_under(premise, number);
        }
        if may_hide_overflow(format, mode, &size) {
            return self.member(domain, None, number);
        }
        let exact_size = unknowns.bounds(&exact.polynomial).widened(&exact.error.absolute).size();
        let is_float = |place: i64| {
            let end = power_of_two(place + i64::from(format.precision()));
            let is_small = size < end || exact_size.as_ref().is_some_and(|size| *size <= end);
            place >= format.min_lsb_exponent() && is_small
        };
        // Of few bits, however large; what is too large is no number.
        let has_few_bits = exact.bits.is_some_and(|bits| bits <= u64::from(format.precision()))
            && exact.place.is_some_and(|place| place >= format.min_lsb_exponent());
        // Where the operands say more of the result than propagation does, as of what is left of a sum without what it is the sum of.
        let rounding = error_up_to(format, mode, exact_size.as_ref().unwrap_or(&size).min(&size));
        let premise = unknowns.all(&[number, exact.number]);
        let is_exact = has_few_bits || exact.place.is_some_and(is_float);
        if exact.number.is_none_or(|of_exact| Some(of_exact) == needed) && is_exact {
            return Value { number, ..exact };
        }
        let on_grid = operands.is_some() || exact.place.is_some_and(|place| place >= format.min_lsb_exponent());
        if self.forward.is_some() {
            return match premise {
                None => self.erring(exact, mode, on_grid, (&rounding, &size), domain),
                Some(_) => self.member(domain, None, number),
            };
        }
        // What is no multiple of the format's last place may be rounded to any.
        let place = exact.place.map(|place| place.max(format.min_lsb_exponent()));
        let is_added = self.are_added && premise.is_none() && is_finite(domain);
        if let Some(result) = is_added.then(|| self.with_error(&exact, domain, &rounding)).flatten() {
            let bits = Some(u64::from(format.precision()));
            return Value { place: least_place(domain).max(place), bits, number, ..Value::of(result) };
        }
        let found = self.member(domain, place.filter(|_| exact.number == needed), number);
        let result = found.polynomial.clone();
        let error = Polynomial::constant(rounding);
        let rounding = Rounding { result, exact: exact.polynomial, format, mode, on_grid, operands, premise };
        let unknowns = &mut self.relaxed.unknowns;
        let mut said = rounding.directed(unknowns);
        if is_finite(domain) {
            said.push(rounding.within(unknowns, &error));
        }
        for fact in said {
            unknowns.say_under(premise, fact);
        }
        self.relaxed.roundings.push(rounding);
        found
    }

    /// What `found` is, to which `inner` was rounded as an integer, if `premise` holds.
    pub fn integral(
        &mut self,
        mode: Option<RoundingMode>,
        inner: &Polynomial,
        found: &Polynomial,
        premise: Option<TermId>,
    ) {
        let unknowns = &mut self.relaxed.unknowns;
        let zero = Polynomial::default();
        let [half, one] = [BigRational::new(1.into(), 2.into()), BigRational::one()].map(Polynomial::constant);
        let shifted = |by: &Polynomial, sign: i32| inner.plus(by, &BigRational::from_integer(sign.into()));
        let mut facts = Vec::new();
        // inner − 1 < found ≤ inner, or inner ≤ found < inner + 1.
        let directed = |unknowns: &mut Unknowns, is_down: bool| {
            let (Some(above), Some(below)) = (shifted(&one, 1), shifted(&one, -1)) else { return None };
            let both = match is_down {
                true => [unknowns.at_most(found, inner), unknowns.less(&below, found)],
                false => [unknowns.at_most(inner, found), unknowns.less(found, &above)],
            };
            Some(unknowns.store.and(&both))
        };
        match mode {
            Some(RoundingMode::TowardNegative) => facts.extend(directed(unknowns, true)),
            Some(RoundingMode::TowardPositive) => facts.extend(directed(unknowns, false)),
            Some(RoundingMode::TowardZero) => {
                for (low, high, is_down) in [(&zero, inner, true), (inner, &zero, false)] {
                    let side = unknowns.at_most(low, high);
                    if let Some(fact) = directed(unknowns, is_down) {
                        facts.push(unknowns.implied(side, fact));
                    }
                }
            }
            Some(RoundingMode::NearestEven | RoundingMode::NearestAway) => {
                if let (Some(above), Some(below)) = (shifted(&half, 1), shifted(&half, -1)) {
                    facts.extend([unknowns.at_most(found, &above), unknowns.at_most(&below, found)]);
                }
            }
            None => {
                if let (Some(above), Some(below)) = (shifted(&one, 1), shifted(&one, -1)) {
                    facts.extend([unknowns.less(found, &above), unknowns.less(&below, found)]);
                }
            }
        }
        for fact in facts {
            unknowns.say_under(premise, fact);
        }
    }
}

/// The place of which both are multiples.
fn common_place(a: &Value, b: &Value) -> Option<i64> {
    Some(a.place?.min(b.place?))
}

/// Whether all members are numbers.
pub(crate) fn is_finite(domain: &FloatDomain) -> bool {
    !domain.nan && !domain.minus_infinity && !domain.plus_infinity
}

fn finite_members(domain: &FloatDomain) -> FloatDomain {
    FloatDomain { nan: false, minus_infinity: false, plus_infinity: false, ..*domain }
}

/// The least and the greatest member of those that are numbers.
pub(crate) fn bounds_of(domain: &FloatDomain) -> Bounds {
    let domain = finite_members(domain);
    let end = |member: Option<Float>| member.and_then(|member| member.to_rational());
    Bounds { low: end(domain.min_member()), high: end(domain.max_member()) }
}

/// The values of which a member is the rounded one, where all are numbers and none too large.
fn bounds_before(domain: &FloatDomain, mode: Option<RoundingMode>) -> Bounds {
    let Bounds { low, high } = bounds_of(domain);
    let size = Bounds { low: low.clone(), high: high.clone() }.size();
    if !is_finite(domain) || size.as_ref().is_none_or(|size| may_hide_overflow(domain.format, mode, size)) {
        return Bounds::default();
    }
    let error = size.map(|size| error_up_to(domain.format, mode, &size));
    let apart =
        |end: Option<BigRational>, sign: i32| Some(end? + error.clone()? * BigRational::from_integer(sign.into()));
    Bounds { low: apart(low, -1), high: apart(high, 1) }
}

/// Whether a result of this size may be what is too large: directed modes round that to the greatest float.
pub(crate) fn may_hide_overflow(format: Format, mode: Option<RoundingMode>, size: &BigRational) -> bool {
    let is_nearest = matches!(mode, Some(RoundingMode::NearestEven | RoundingMode::NearestAway));
    !is_nearest && Float::max_finite(format).to_rational().is_none_or(|greatest| *size >= greatest)
}

/// A dyadic number.
fn constant(value: BigRational) -> Value {
    let place = place_of(&value);
    let odd = |place: i64| (&value * power_of_two(-place)).numer().bits();
    let bits = if value.is_zero() { Some(0) } else { place.map(odd) };
    Value { place, bits, ..Value::of(Polynomial::constant(value)) }
}

/// The place of which all members are multiples, by the least of them beside zero.
pub(super) fn least_place(domain: &FloatDomain) -> Option<i64> {
    if domain.negative.is_none() && domain.positive.is_none() {
        return Some(LARGEST_PLACE);
    }
    Some(last_place(domain.format, &least_size(domain)?))
}

/// The least absolute value of the members beside zero.
pub(super) fn least_size(domain: &FloatDomain) -> Option<BigRational> {
    let least = [domain.negative, domain.positive].into_iter().flatten().map(|range| range.low).min()?;
    domain.at_rank(i128::try_from(least).ok()?).to_rational()
}

/// The place of the last bit of a dyadic number; of zero one that is greater than any.
fn place_of(value: &BigRational) -> Option<i64> {
    if value.is_zero() {
        return Some(LARGEST_PLACE);
    }
    let zeros = value.numer().trailing_zeros()?.to_i64()?;
    Some(zeros - binade(&BigRational::from_integer(value.denom().clone()))?)
}
