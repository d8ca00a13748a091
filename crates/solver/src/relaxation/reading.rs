//! Floats, integers and truth values as real arithmetic.

use labrys_float::{Float, Format, RoundingMode};
use labrys_term::{Op, Sort, Store, TermId};
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use rustc_hash::FxHashMap;

use super::products;
use super::rounding::{Rounding, binade, last_place, power_of_two};
use super::unknowns::{Bounds, Monomial, Polynomial, Unknown, Unknowns};
use crate::domain::{BitVecDomain, Facts, FloatDomain};
use crate::integers::{self, Range};

/// The place of zero, which is a multiple of any: greater than that of any other float.
const LARGEST_PLACE: i64 = 1 << 16;

/// A formula over the reals, and what lemmas are about.
#[derive(Debug)]
pub(super) struct Relaxed {
    pub unknowns: Unknowns,
    pub roundings: Vec<Rounding>,
    /// What floats are, with their formats.
    pub floats: Vec<(Format, Polynomial)>,
    /// Which unknowns are integers.
    pub integers: Vec<Unknown>,
    /// Unknowns that are zero or at least of a size.
    pub gaps: Vec<(Unknown, BigRational)>,
}

/// A number.
#[derive(Clone, Debug)]
struct Value {
    polynomial: Polynomial,
    /// It is a multiple of this power of two, if it is known to be one.
    place: Option<i64>,
}

impl Value {
    fn opposite(self) -> Value {
        Value { polynomial: self.polynomial.scaled(&-BigRational::one()), ..self }
    }
}

/// An operation before it is rounded.
struct Operation {
    exact: Value,
    /// Of a sum, floats of its format.
    operands: Option<[Polynomial; 2]>,
}

impl From<Value> for Operation {
    fn from(exact: Value) -> Operation {
        Operation { exact, operands: None }
    }
}

/// What was read of a conjunction.
pub(super) struct Reading<'a> {
    store: Store,
    facts: &'a Facts,
    /// Variables that are equal to terms, of which there are facts.
    named: FxHashMap<TermId, TermId>,
    integers: integers::Values,
    relaxed: Relaxed,
    numbers: FxHashMap<TermId, Value>,
    truths: FxHashMap<TermId, TermId>,
    /// The unknowns of [`integers::Values::atoms`].
    atoms: FxHashMap<TermId, Unknown>,
}

impl<'a> Reading<'a> {
    /// The formula of the conjunction of `assertions`; `None` if it is too large.
    pub fn read(
        mut store: Store,
        assertions: &[TermId],
        named: &[(TermId, TermId)],
        facts: &'a Facts,
    ) -> Option<Relaxed> {
        let terms = store.reachable(assertions);
        let named: FxHashMap<TermId, TermId> = named.iter().copied().collect();
        let domain = |term: &TermId| Some((*term, *facts.bit_vector(*named.get(term).unwrap_or(term))?));
        let known: Vec<(TermId, BitVecDomain)> = terms.iter().filter_map(domain).collect();
        let integers = integers::values(&mut store, assertions, known)?;
        let relaxed = Relaxed {
            unknowns: Unknowns::default(),
            roundings: Vec::new(),
            floats: Vec::new(),
            integers: Vec::new(),
            gaps: Vec::new(),
        };
        let mut reading = Reading {
            store,
            facts,
            named,
            integers,
            relaxed,
            numbers: FxHashMap::default(),
            truths: FxHashMap::default(),
            atoms: FxHashMap::default(),
        };
        for term in terms {
            match *reading.store.sort(term) {
                Sort::Bool => {
                    let truth = reading.truth(term);
                    if let Some(known) = facts.truth(term) {
                        let unknowns = &mut reading.relaxed.unknowns;
                        let said = if known { truth } else { unknowns.store.not(truth) };
                        unknowns.said.push(said);
                    }
                    reading.truths.insert(term, truth);
                }
                Sort::Float(format) => {
                    if let Some(value) = reading.float(term, format) {
                        let float = (format, value.polynomial.clone());
                        if !reading.relaxed.floats.contains(&float) {
                            reading.relaxed.floats.push(float);
                        }
                        reading.numbers.insert(term, value);
                    }
                }
                _ => {}
            }
        }
        reading.divisions();
        let mut relaxed = reading.relaxed;
        relaxed.unknowns.said.extend(assertions.iter().map(|assertion| reading.truths[assertion]));
        relaxed.begin();
        Some(relaxed)
    }

    /// q·d + r = x of each division.
    fn divisions(&mut self) {
        for [quotient, divisor, remainder, dividend] in self.integers.divisions.clone() {
            let [q, d, r, x] = [&quotient, &divisor, &remainder, &dividend].map(|part| self.polynomial(part));
            let sum = q.times(&d).and_then(|product| product.plus(&r, &BigRational::one()));
            if let Some(sum) = sum {
                let equal = self.relaxed.unknowns.equal(&sum, &x);
                self.relaxed.unknowns.said.push(equal);
            }
        }
    }

    /// What is known of a float's value.
    fn domain(&self, term: TermId) -> Option<FloatDomain> {
        if let Op::FloatConst(value) = &self.store.node(term).op {
            return Some(FloatDomain::only(value));
        }
        let domain = self.facts.float(*self.named.get(&term)?)?;
        let is_number = !domain.nan && !domain.minus_infinity && !domain.plus_infinity && !domain.is_empty();
        is_number.then_some(*domain)
    }

    /// A float that is finite in all models.
    fn float(&mut self, term: TermId, format: Format) -> Option<Value> {
        let domain = self.domain(term)?;
        let node = self.store.node(term).clone();
        let numbers: Vec<Option<Value>> = node.args.iter().map(|arg| self.numbers.get(arg).cloned()).collect();
        let of = |place: usize| numbers[place].clone();
        let operation = match &node.op {
            Op::FloatConst(value) => {
                let value = value.to_rational()?;
                let place = place_of(&value);
                return Some(Value { polynomial: Polynomial::constant(value), place });
            }
            Op::FpNeg => return Some(of(0)?.opposite()),
            Op::FpAbs => return self.absolute(node.args[0], of(0)?, &domain),
            Op::Ite => {
                let parts = [of(1), of(2)];
                return Some(self.choice(node.args[0], parts, &domain));
            }
            Op::FpMin | Op::FpMax => {
                let (a, b) = (of(0)?, of(1)?);
                return Some(self.extreme([a, b], node.op == Op::FpMin, &domain));
            }
            Op::FpRoundToIntegral => {
                let inner = of(1)?;
                let mode = self.mode(node.args[0]);
                let found = self.relaxed.unknowns.unknown(bounds_of(&domain));
                self.relaxed.integers.push(found);
                let value = Value { polynomial: Polynomial::atom(found), place: least_place(&domain).max(Some(0)) };
                self.integral(mode, &inner.polynomial, &value.polynomial, None);
                return Some(value);
            }
            Op::FpAdd => sum(of(1), of(2)),
            Op::FpSub => sum(of(1), of(2).map(Value::opposite)),
            Op::FpMul => self.product(of(1), of(2)).map(Operation::from),
            Op::FpFma => {
                let product = self.product(of(1), of(2));
                sum(product, of(3)).map(|sum| Operation::from(sum.exact))
            }
            Op::FpDiv => self.quotient(of(1), of(2)).map(Operation::from),
            Op::FpSqrt => self.root(of(1)).map(Operation::from),
            Op::FpFromFloat(_) if self.store.float_format(node.args[1]).is_some_and(|from| format.holds_all(from)) => {
                return of(1).or_else(|| Some(self.opaque(&domain)));
            }
            Op::FpFromFloat(_) => of(1).map(Operation::from),
            Op::FpFromSigned(_) | Op::FpFromUnsigned(_) => {
                let polynomial = self.integer(node.args[1], matches!(node.op, Op::FpFromSigned(_)));
                polynomial.map(|polynomial| Value { polynomial, place: Some(0) }.into())
            }
            _ => None,
        };
        let Some(operation) = operation else { return Some(self.opaque(&domain)) };
        let mode = self.mode(node.args[0]);
        Some(self.rounded(format, mode, operation, &domain))
    }

    fn mode(&self, term: TermId) -> Option<RoundingMode> {
        match self.store.node(term).op {
            Op::RoundingModeConst(mode) => Some(mode),
            _ => None,
        }
    }

    /// An unknown that is a member.
    fn opaque(&mut self, domain: &FloatDomain) -> Value {
        self.member(domain, None)
    }

    /// The same, a multiple of a power of two where one is given.
    fn member(&mut self, domain: &FloatDomain, place: Option<i64>) -> Value {
        let unknown = self.relaxed.unknowns.unknown(bounds_of(domain));
        let least = least_size(domain).max(place.map(power_of_two));
        let known = power_of_two(domain.format.min_lsb_exponent());
        self.relaxed.gaps.extend(least.filter(|least| *least > known).map(|least| (unknown, least)));
        Value { polynomial: Polynomial::atom(unknown), place: least_place(domain).max(place) }
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
        let found = self.member(domain, value.place);
        let unknowns = &mut self.relaxed.unknowns;
        let zero = Polynomial::default();
        for (low, high, side) in [(&zero, &value.polynomial, &value), (&value.polynomial, &zero, &opposite)] {
            let premise = unknowns.at_most(low, high);
            let equal = unknowns.equal(&found.polynomial, &side.polynomial);
            unknowns.say_if(premise, equal);
        }
        Some(found)
    }

    /// One of two, of which each may be no number where it is not chosen.
    fn choice(&mut self, condition: TermId, parts: [Option<Value>; 2], domain: &FloatDomain) -> Value {
        if let [Some(a), Some(b)] = &parts
            && a.polynomial == b.polynomial
        {
            return a.clone();
        }
        let place = match &parts {
            [Some(a), Some(b)] => common_place(a, b),
            _ => None,
        };
        let found = self.member(domain, place);
        self.chosen(&found.polynomial, condition, parts.map(|part| Some(part?.polynomial)));
        found
    }

    /// That `found` is the first part where a condition holds, and the second one where it does not.
    fn chosen(&mut self, found: &Polynomial, condition: TermId, parts: [Option<Polynomial>; 2]) {
        let condition = self.truths[&condition];
        let unknowns = &mut self.relaxed.unknowns;
        let premises = [condition, unknowns.store.not(condition)];
        for (premise, part) in premises.into_iter().zip(parts) {
            if let Some(part) = part {
                let equal = unknowns.equal(found, &part);
                unknowns.say_if(premise, equal);
            }
        }
    }

    fn extreme(&mut self, [a, b]: [Value; 2], is_least: bool, domain: &FloatDomain) -> Value {
        let found = self.member(domain, common_place(&a, &b));
        let unknowns = &mut self.relaxed.unknowns;
        for (small, large) in [(&a, &b), (&b, &a)] {
            let premise = unknowns.at_most(&small.polynomial, &large.polynomial);
            let chosen = if is_least { small } else { large };
            let equal = unknowns.equal(&found.polynomial, &chosen.polynomial);
            unknowns.say_if(premise, equal);
        }
        found
    }

    fn product(&mut self, a: Option<Value>, b: Option<Value>) -> Option<Value> {
        let (a, b) = (a?, b?);
        let place = a.place.zip(b.place).map(|(a, b)| (a + b).min(LARGEST_PLACE));
        let polynomial = match a.polynomial.times(&b.polynomial) {
            Some(product) => product,
            None => {
                let factors = [a, b].map(|part| Polynomial::atom(self.relaxed.unknowns.named(&part.polynomial)));
                factors[0].times(&factors[1])?
            }
        };
        Some(Value { polynomial, place })
    }

    /// The quotient is an unknown of which the product with the divisor is the dividend.
    fn quotient(&mut self, a: Option<Value>, b: Option<Value>) -> Option<Value> {
        let (a, b) = (a?.polynomial, b?.polynomial);
        let polynomial = match b.as_constant() {
            Some(divisor) if divisor.is_zero() => return None,
            Some(divisor) => a.scaled(&divisor.recip()),
            None => {
                let unknowns = &mut self.relaxed.unknowns;
                let quotient = unknowns.atom(Bounds::default());
                let divisor = Polynomial::atom(unknowns.named(&b));
                let equal = unknowns.equal(&quotient.times(&divisor)?, &a);
                unknowns.said.push(equal);
                quotient
            }
        };
        Some(Value { polynomial, place: None })
    }

    fn root(&mut self, a: Option<Value>) -> Option<Value> {
        let a = a?.polynomial;
        let unknowns = &mut self.relaxed.unknowns;
        let root = unknowns.atom(Bounds { low: Some(BigRational::zero()), high: None });
        let equal = unknowns.equal(&root.times(&root)?, &a);
        unknowns.said.push(equal);
        Some(Value { polynomial: root, place: None })
    }

    /// A result: what it is rounded from where that is a float, else a new unknown.
    fn rounded(
        &mut self,
        format: Format,
        mode: Option<RoundingMode>,
        Operation { exact, operands }: Operation,
        domain: &FloatDomain,
    ) -> Value {
        let bounds = bounds_of(domain);
        let to_nearest = matches!(mode, Some(RoundingMode::NearestEven | RoundingMode::NearestAway));
        let Some(size) = bounds.size() else { return self.opaque(domain) };
        // Directed modes round what is too large to the greatest float.
        let greatest = Float::max_finite(format).to_rational();
        if !to_nearest && greatest.is_none_or(|greatest| size >= greatest) {
            return self.opaque(domain);
        }
        let exact_size = self.relaxed.unknowns.bounds(&exact.polynomial).size();
        let is_float = |place: i64| {
            let end = power_of_two(place + i64::from(format.precision()));
            let is_small = size < end || exact_size.is_some_and(|size| size <= end);
            place >= format.min_lsb_exponent() && is_small
        };
        if exact.place.is_some_and(is_float) {
            return exact;
        }
        // What is no multiple of the format's last place may be rounded to any.
        let place = exact.place.map(|place| place.max(format.min_lsb_exponent()));
        let found = self.member(domain, place);
        let on_grid = operands.is_some() || exact.place.is_some_and(|place| place >= format.min_lsb_exponent());
        let rounding =
            Rounding { result: found.polynomial.clone(), exact: exact.polynomial, format, mode, on_grid, operands };
        let error = Polynomial::constant(rounding.error_up_to(&size));
        let unknowns = &mut self.relaxed.unknowns;
        let mut said = vec![rounding.within(unknowns, &error)];
        said.extend(rounding.directed(unknowns));
        unknowns.said.extend(said);
        self.relaxed.roundings.push(rounding);
        found
    }

    /// What `found` is, to which `inner` was rounded as an integer, if `premise` holds.
    fn integral(
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
            match premise {
                Some(premise) => unknowns.say_if(premise, fact),
                None => unknowns.said.push(fact),
            }
        }
    }

    /// A vector as a number.
    fn integer(&mut self, term: TermId, is_signed: bool) -> Option<Polynomial> {
        let polynomial = self.integers.of(term, is_signed)?.clone();
        Some(self.polynomial(&polynomial))
    }

    fn polynomial(&mut self, polynomial: &integers::Polynomial) -> Polynomial {
        let mut sum = Polynomial::default();
        for (monomial, coefficient) in polynomial.terms() {
            let mut factors: Monomial = monomial.iter().map(|factor| self.atom(*factor)).collect();
            factors.sort_unstable();
            sum.add(factors, BigRational::from_integer(coefficient.clone()));
        }
        sum
    }

    /// The unknown of a vector that is not taken apart.
    fn atom(&mut self, term: TermId) -> Unknown {
        if let Some(known) = self.atoms.get(&term) {
            return *known;
        }
        let range = self.integers.atoms.get(&term).cloned();
        let bounds = range.map_or_else(Bounds::default, |range| Bounds {
            low: Some(range.low.into()),
            high: Some(range.high.into()),
        });
        let found = self.relaxed.unknowns.unknown(bounds);
        self.relaxed.integers.push(found);
        self.atoms.insert(term, found);
        self.define(term, &Polynomial::atom(found));
        found
    }

    /// What is known of a vector that is chosen, or rounded from a float.
    fn define(&mut self, atom: TermId, found: &Polynomial) {
        let mut node = self.store.node(atom).clone();
        let mut is_signed = true;
        if matches!(node.op, Op::ZeroExtend(1)) {
            node = self.store.node(node.args[0]).clone();
            is_signed = false;
        }
        match (&node.op, &node.args[..]) {
            (Op::Ite, &[condition, a, b]) => {
                let parts = [a, b].map(|part| self.integer(part, is_signed));
                self.chosen(found, condition, parts);
            }
            (Op::FpToSigned(width) | Op::FpToUnsigned(width), &[mode, float]) => {
                let of_signed = matches!(node.op, Op::FpToSigned(_));
                let Some(inner) = self.numbers.get(&float).cloned().filter(|_| of_signed == is_signed) else { return };
                let all = if is_signed { Range::signed(*width) } else { Range::unsigned(*width) };
                let [low, high] = [all.low, all.high].map(|end| Polynomial::constant(end.into()));
                let unknowns = &mut self.relaxed.unknowns;
                let fits = [unknowns.at_most(&low, &inner.polynomial), unknowns.at_most(&inner.polynomial, &high)];
                let premise = unknowns.store.and(&fits);
                let mode = self.mode(mode);
                self.integral(mode, &inner.polynomial, found, Some(premise));
            }
            _ => {}
        }
    }

    /// A truth value whose arguments were read.
    fn truth(&mut self, term: TermId) -> TermId {
        let node = self.store.node(term).clone();
        let args = &node.args[..];
        let read = match (&node.op, args) {
            (Op::BoolConst(value), _) => Some(self.relaxed.unknowns.store.bool_const(*value)),
            (Op::Not | Op::And | Op::Or | Op::Xor | Op::Implies | Op::Ite, _) => Some(self.connected(&node.op, args)),
            (Op::Eq | Op::Distinct, &[a, ..]) if *self.store.sort(a) == Sort::Bool => {
                Some(self.connected(&node.op, args))
            }
            (Op::Eq, &[a, b]) => match self.store.sort(a) {
                Sort::Float(_) => self.same(a, b),
                Sort::BitVec(_) => self.equal_vectors(a, b),
                _ => None,
            },
            (Op::FpLt | Op::FpLe | Op::FpEq, &[a, b]) => self.compared(&node.op, a, b),
            (Op::BvSlt | Op::BvSle | Op::BvUlt | Op::BvUle, &[a, b]) => self.ordered(&node.op, a, b),
            (Op::FpIsNan | Op::FpIsInfinite, &[a]) => {
                self.numbers.get(&a).map(|_| self.relaxed.unknowns.store.bool_const(false))
            }
            (Op::FpIsZero, &[a]) => self
                .numbers
                .get(&a)
                .cloned()
                .map(|value| self.relaxed.unknowns.equal(&value.polynomial, &Polynomial::default())),
            (Op::FpIsNegative | Op::FpIsPositive, &[a]) => self.sign(a, node.op == Op::FpIsNegative),
            _ => None,
        };
        read.unwrap_or_else(|| self.relaxed.unknowns.truth())
    }

    fn connected(&mut self, op: &Op, args: &[TermId]) -> TermId {
        let args: Vec<TermId> = args.iter().map(|arg| self.truths[arg]).collect();
        let store = &mut self.relaxed.unknowns.store;
        match op {
            Op::Not => store.not(args[0]),
            Op::And => store.and(&args),
            Op::Or => store.or(&args),
            _ => store.mk(op.clone(), &args),
        }
    }

    fn compared(&mut self, op: &Op, a: TermId, b: TermId) -> Option<TermId> {
        let (a, b) = (self.numbers.get(&a)?.polynomial.clone(), self.numbers.get(&b)?.polynomial.clone());
        let unknowns = &mut self.relaxed.unknowns;
        Some(match op {
            Op::FpLt => unknowns.less(&a, &b),
            Op::FpLe => unknowns.at_most(&a, &b),
            _ => unknowns.equal(&a, &b),
        })
    }

    /// Equal to the last bit: equal numbers, of which zeros may differ.
    fn same(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let has_zero = |term| self.domain(term).is_none_or(|domain| domain.minus_zero || domain.plus_zero);
        let zeros = has_zero(a) && has_zero(b);
        let equal = self.compared(&Op::FpEq, a, b)?;
        if !zeros {
            return Some(equal);
        }
        let unknowns = &mut self.relaxed.unknowns;
        let same = unknowns.truth();
        unknowns.say_if(same, equal);
        Some(same)
    }

    /// The sign of a number; zeros have either.
    fn sign(&mut self, a: TermId, of_negative: bool) -> Option<TermId> {
        let value = self.numbers.get(&a)?.polynomial.clone();
        let zero = Polynomial::default();
        let unknowns = &mut self.relaxed.unknowns;
        let (below, above) = (unknowns.less(&value, &zero), unknowns.less(&zero, &value));
        let (has, has_not) = if of_negative { (below, above) } else { (above, below) };
        let truth = unknowns.truth();
        let not = unknowns.store.not(truth);
        unknowns.say_if(has, truth);
        unknowns.say_if(has_not, not);
        Some(truth)
    }

    /// a < b of integers is a ≤ b − 1, and one of a ≤ b − 1 and b ≤ a holds.
    fn ordered(&mut self, op: &Op, a: TermId, b: TermId) -> Option<TermId> {
        let is_signed = matches!(op, Op::BvSlt | Op::BvSle);
        let (a, b) = (self.integer(a, is_signed)?, self.integer(b, is_signed)?);
        let unknowns = &mut self.relaxed.unknowns;
        let (less, more) = match op {
            Op::BvSlt | Op::BvUlt => (before(unknowns, &a, &b)?, unknowns.at_most(&b, &a)),
            _ => (unknowns.at_most(&a, &b), before(unknowns, &b, &a)?),
        };
        let one_of_both = unknowns.store.or(&[less, more]);
        unknowns.said.push(one_of_both);
        Some(less)
    }

    fn equal_vectors(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let (a, b) = (self.integer(a, true)?, self.integer(b, true)?);
        let unknowns = &mut self.relaxed.unknowns;
        let equal = unknowns.equal(&a, &b);
        let cases = [equal, before(unknowns, &a, &b)?, before(unknowns, &b, &a)?];
        let one_of_them = unknowns.store.or(&cases);
        unknowns.said.push(one_of_them);
        Some(equal)
    }
}

impl Relaxed {
    /// What is said of products before any model.
    fn begin(&mut self) {
        for rounding in &self.roundings {
            // So that their products are unknowns.
            self.unknowns.linear(&rounding.exact);
        }
        let mut place = 0;
        while let Some(product) = self.unknowns.products.get(place).copied() {
            let lemmas = products::envelopes(&mut self.unknowns, &product);
            self.unknowns.said.extend(lemmas);
            place += 1;
        }
    }
}

/// The sum of two floats of a format.
fn sum(a: Option<Value>, b: Option<Value>) -> Option<Operation> {
    let (a, b) = (a?, b?);
    let polynomial = a.polynomial.plus(&b.polynomial, &BigRational::one())?;
    let exact = Value { polynomial, place: common_place(&a, &b) };
    Some(Operation { exact, operands: Some([a.polynomial, b.polynomial]) })
}

/// The place of which both are multiples.
fn common_place(a: &Value, b: &Value) -> Option<i64> {
    Some(a.place?.min(b.place?))
}

/// a ≤ b − 1.
fn before(unknowns: &mut Unknowns, a: &Polynomial, b: &Polynomial) -> Option<TermId> {
    let next = a.plus(&Polynomial::constant(BigRational::one()), &BigRational::one())?;
    Some(unknowns.at_most(&next, b))
}

/// The least and the greatest member, which are numbers.
fn bounds_of(domain: &FloatDomain) -> Bounds {
    let end = |member: Option<Float>| member.and_then(|member| member.to_rational());
    Bounds { low: end(domain.min_member()), high: end(domain.max_member()) }
}

/// The place of which all members are multiples, by the least of them beside zero.
fn least_place(domain: &FloatDomain) -> Option<i64> {
    if domain.negative.is_none() && domain.positive.is_none() {
        return Some(LARGEST_PLACE);
    }
    Some(last_place(domain.format, &least_size(domain)?))
}

/// The least absolute value of the members beside zero.
fn least_size(domain: &FloatDomain) -> Option<BigRational> {
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
