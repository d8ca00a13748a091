//! Quotients and remainders of integers, as C has them: rounded towards zero, the remainder with the sign of the dividend.
//!
//! For x and d ≠ 0 there is exactly one pair with x = d·q + r, |r| < |d| and r = 0 or of the sign of x. So of a division either the pair is read off
//! polynomials, which these conditions are checked of, or it is two new variables of which they are said.
//!
//! - x = d·s gives (s, 0).
//! - x = c·s + t with a literal c > 0, x ≥ 0 and 0 ≤ t < c, or x ≤ 0 and −c < t ≤ 0, gives (s, t).
//! - An unknown that is divided by literals of which each divides the next, c₁ | c₂ | … | cₖ, is written with digits: x = r₁ + c₁·r₂ + … + cₖ·q,
//!   all of one sign, |rᵢ| < cᵢ/cᵢ₋₁. They are those of |x| with the sign of x, and x divided by cᵢ is what is left without the first i, since dividing towards zero twice
//!   is dividing once by the product. Milliseconds into hours, minutes and seconds are of this kind.

use std::collections::BTreeSet;

use labrys_term::{Sort, TermId};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashMap;

use super::polynomial::{Monomial, Polynomial};
use super::range::Range;
use super::reading::{Known, Reading};

/// What is shifted, by how much, and whether it is signed.
pub(super) type ShiftKey = (TermId, u32, bool);

/// A dividend, a divisor, and whether they are signed.
pub(super) type Key = (TermId, TermId, bool);

/// The most divisors of one unknown.
const MOST_DIGITS: usize = 8;

/// A quotient and its remainder.
#[derive(Clone, Debug)]
pub(super) struct Divided {
    pub quotient: Known,
    pub remainder: Known,
}

/// What a first reading has found out about divisions by literals.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// Divisions of an unknown, or of a quotient of it, and what it is divided by in all.
    whole: FxHashMap<Key, (TermId, BigInt)>,
    /// What an unknown is divided by: each divides the next.
    divisors: FxHashMap<TermId, Vec<BigInt>>,
}

/// What a reading finds out for the next one.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    whole: FxHashMap<Key, (TermId, BigInt)>,
    divisors: FxHashMap<TermId, BTreeSet<BigInt>>,
    /// New variables: what is divided by what, and whether this is the quotient.
    origins: FxHashMap<TermId, (TermId, BigInt, bool)>,
}

impl Found {
    pub fn plan(self) -> Plan {
        let chain = |(atom, divisors): (TermId, BTreeSet<BigInt>)| {
            let mut chain: Vec<BigInt> = Vec::new();
            for divisor in divisors {
                let fits = chain.last().is_none_or(|last| divisor.is_multiple_of(last)) && chain.len() < MOST_DIGITS;
                chain.extend(fits.then_some(divisor));
            }
            (atom, chain)
        };
        Plan { whole: self.whole, divisors: self.divisors.into_iter().map(chain).collect() }
    }
}

/// An unknown as its digits.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    divisors: Vec<BigInt>,
    /// r₁ and so on, and q.
    pub digits: Vec<TermId>,
    pub range: Range,
}

impl Chain {
    #[cfg(test)]
    pub fn divisors(&self) -> &[BigInt] {
        &self.divisors
    }

    /// The unknown divided by one of the divisors, or by 1.
    pub fn quotient(&self, by: &BigInt) -> Option<Polynomial> {
        let ones = [BigInt::one()];
        let mut sum = Polynomial::default();
        let mut has_begun = false;
        for (weight, digit) in ones.iter().chain(&self.divisors).zip(&self.digits) {
            has_begun |= weight == by;
            if has_begun {
                sum = sum.plus(&Polynomial::atom(*digit), &(weight / by))?;
            }
        }
        has_begun.then_some(sum)
    }
}

/// New variables and what they are.
#[derive(Clone, Debug)]
pub(super) enum Record {
    /// The digits of an unknown.
    Digits(TermId, Chain),
    /// A quotient and a remainder.
    Pair { dividend: Known, divisor: Known, quotient: TermId, remainder: TermId },
}

impl Record {
    pub fn variables(&self) -> Vec<TermId> {
        match self {
            Record::Digits(_, chain) => chain.digits.clone(),
            Record::Pair { quotient, remainder, .. } => vec![*quotient, *remainder],
        }
    }
}

impl Reading<'_> {
    /// x divided by d, where d is not zero and the quotient is one of the sort.
    pub(super) fn division(&mut self, x: TermId, d: TermId, is_signed: bool) -> Option<Divided> {
        let key = (x, d, is_signed);
        if let Some(known) = self.divisions.get(&key) {
            return known.clone();
        }
        let divided = self.divided(key);
        self.divisions.insert(key, divided.clone());
        divided
    }

    /// ⌊x/2ᵏ⌋, and what is left.
    pub(super) fn shifted(&mut self, x: TermId, by: u32, is_signed: bool) -> Option<Divided> {
        let key = (x, by, is_signed);
        if let Some(known) = self.shifts.get(&key) {
            return Some(known.clone());
        }
        let dividend = self.of(x, is_signed);
        let divisor = Range::of(BigInt::one() << by);
        let quotients = Range { low: &dividend.range.low >> by, high: &dividend.range.high >> by };
        let most = &divisor.high - 1;
        let remainders = match dividend.range.low.is_negative() {
            true => Range { low: BigInt::zero(), high: most },
            false => Range { low: BigInt::zero(), high: most.min(dividend.range.high.clone()) },
        };
        let (quotient, rest) = dividend.value.split(&divisor.high);
        let range = self.range(&rest);
        let shifted = if !range.low.is_negative() && range.high < divisor.high {
            self.pair([quotient, rest], [quotients, remainders])
        } else {
            let variable = |kind: &str| format!("shift|{kind}|{}|{by}|{is_signed}", x.index());
            let quotient = self.variable(&variable("quotient"), &quotients);
            let remainder = self.variable(&variable("remainder"), &remainders);
            let divisor = Known { value: Polynomial::constant(divisor.high.clone()), range: divisor, divides: false };
            self.records.push(Record::Pair { dividend, divisor, quotient, remainder });
            self.pair([quotient, remainder].map(Polynomial::atom), [quotients, remainders])
        };
        self.shifts.insert(key, shifted.clone());
        Some(shifted)
    }

    fn divided(&mut self, key: Key) -> Option<Divided> {
        let (x, d, is_signed) = key;
        let (dividend, mut divisor) = (self.of(x, is_signed), self.of(d, is_signed));
        if divisor.range.contains(&BigInt::zero()) && !self.bounds.is_not_zero(self.store, d) {
            return None;
        }
        divisor.range = divisor.range.without_zero_at_an_end();
        let least = Range::signed(self.width(x)).low;
        if is_signed && dividend.range.contains(&least) && divisor.range.contains(&-BigInt::one()) {
            return None;
        }
        let ranges = [quotients(&dividend.range, &divisor.range), remainders(&dividend.range, &divisor.range)];
        if let Some(quotient) = dividend.value.exact_quotient(&divisor.value) {
            return Some(self.pair([quotient, Polynomial::default()], ranges));
        }
        if let Some(c) = divisor.value.as_constant().filter(|c| c.is_positive()) {
            if let Some(quotient) = self.without_digits(key) {
                let remainder = dividend.value.plus(&quotient, &-&c)?;
                return Some(self.pair([quotient, remainder], ranges));
            }
            let (quotient, rest) = dividend.value.split(&c);
            let range = self.range(&rest);
            let is_above = !dividend.range.low.is_negative() && !range.low.is_negative() && range.high < c;
            let is_below = !dividend.range.high.is_positive() && !range.high.is_positive() && -&c < range.low;
            if is_above || is_below {
                return Some(self.pair([quotient, rest], ranges));
            }
        }
        Some(self.new_pair(key, dividend, divisor, ranges))
    }

    fn pair(&self, values: [Polynomial; 2], ranges: [Range; 2]) -> Divided {
        let [quotient, remainder] = [0, 1].map(|place| {
            let value = values[place].clone();
            let range = ranges[place].met(&self.range(&value));
            Known { value, range, divides: true }
        });
        Divided { quotient, remainder }
    }

    /// The quotient of an unknown that is written with digits.
    fn without_digits(&self, key: Key) -> Option<Polynomial> {
        let (atom, by) = self.plan.whole.get(&key)?;
        self.chains.get(atom)?.quotient(by)
    }

    /// Two new variables.
    fn new_pair(&mut self, key: Key, dividend: Known, divisor: Known, ranges: [Range; 2]) -> Divided {
        let name = format!("{}|{}|{}", key.0.index(), key.1.index(), key.2);
        let [quotient, remainder] = [("quotient", 0), ("remainder", 1)]
            .map(|(kind, place)| self.variable(&format!("{kind}|{name}"), &ranges[place]));
        if let Some(c) = divisor.value.as_constant().filter(|c| *c > BigInt::one()) {
            self.plan_for(key, &dividend, &c, [quotient, remainder]);
        }
        self.note_parts(&dividend.range, &divisor, quotient, remainder);
        self.records.push(Record::Pair { dividend, divisor, quotient, remainder });
        self.pair([quotient, remainder].map(Polynomial::atom), ranges)
    }

    /// d·q lies between 0 and the dividend, which is d·q + r.
    fn note_parts(&mut self, dividend: &Range, divisor: &Known, quotient: TermId, remainder: TermId) {
        let lead = match (divisor.value.as_atom(), divisor.value.as_constant()) {
            (Some(atom), _) => {
                let mut product = Monomial::from_slice(&[quotient, atom]);
                product.sort_unstable();
                product
            }
            (None, Some(_)) => Monomial::from_slice(&[quotient]),
            _ => return,
        };
        let Some(product) = Polynomial::atom(quotient).times(&divisor.value) else { return };
        let within = dividend.joined(&Range::of(BigInt::zero()));
        if let Some(whole) = product.plus(&Polynomial::atom(remainder), &BigInt::one()) {
            self.note_sum(lead.clone(), whole, dividend.clone());
        }
        self.note_sum(lead, product, within);
    }

    /// Takes notice that something is divided by a literal, for the next reading.
    fn plan_for(&mut self, key: Key, dividend: &Known, c: &BigInt, variables: [TermId; 2]) {
        let Some(atom) = dividend.value.as_atom() else { return };
        let found = &mut self.found;
        let (atom, by) = match found.origins.get(&atom).cloned() {
            None if self.fresh.contains(&atom) => return,
            None => (atom, c.clone()),
            Some((of, by, true)) => (of, by * c),
            Some((of, by, false)) => {
                if by.is_multiple_of(c) {
                    found.divisors.entry(of).or_default().insert(c.clone());
                }
                return;
            }
        };
        found.whole.insert(key, (atom, by.clone()));
        found.divisors.entry(atom).or_default().insert(by.clone());
        for (variable, is_quotient) in variables.into_iter().zip([true, false]) {
            // A remainder of a quotient is a digit, and none of the unknown's remainders.
            if is_quotient || by == *c {
                found.origins.insert(variable, (atom, by.clone(), is_quotient));
            }
        }
    }

    /// The digits of an unknown that is divided by literals.
    pub(super) fn digits(&mut self, atom: TermId, range: &Range) -> Option<Polynomial> {
        if let Some(chain) = self.chains.get(&atom) {
            return chain.quotient(&BigInt::one());
        }
        let divisors = self.plan.divisors.get(&atom)?.clone();
        let mut digits = Vec::new();
        let mut last = BigInt::one();
        let signed = |high: BigInt| Range {
            low: if range.low.is_negative() { -&high } else { BigInt::zero() },
            high: if range.high.is_positive() { high } else { BigInt::zero() },
        };
        for (place, divisor) in divisors.iter().enumerate() {
            let name = format!("digit|{}|{place}", atom.index());
            digits.push(self.variable(&name, &signed(divisor / &last - 1)));
            last = divisor.clone();
        }
        let rest = quotients(range, &Range::of(last));
        digits.push(self.variable(&format!("digit|{}|last", atom.index()), &rest));
        let chain = Chain { divisors, digits, range: range.clone() };
        self.chains.insert(atom, chain.clone());
        for by in std::iter::once(&BigInt::one()).chain(&chain.divisors) {
            let (Some(part), Some(last)) = (chain.quotient(by), chain.digits.last()) else { continue };
            let range = quotients(range, &Range::of(by.clone()));
            self.note_sum(Monomial::from_slice(&[*last]), part, range);
        }
        let value = chain.quotient(&BigInt::one());
        self.records.push(Record::Digits(atom, chain));
        value
    }

    /// A new variable with values in a range.
    fn variable(&mut self, name: &str, range: &Range) -> TermId {
        let bits = range.bits();
        let variable = self.store.variable(&format!("{name}|{bits}"), Sort::BitVec(bits));
        self.atoms.insert(variable, range.clone());
        self.fresh.insert(variable);
        variable
    }
}

/// Where quotients lie.
fn quotients(dividend: &Range, divisor: &Range) -> Range {
    let is_one_sign = divisor.low.is_positive() || divisor.high.is_negative();
    if is_one_sign {
        // Towards zero is monotone in the dividend, and in the divisor on either side of zero.
        let ends = [&dividend.low, &dividend.high].map(|x| [&divisor.low, &divisor.high].map(|d| x / d));
        let mut all = ends.concat();
        if dividend.contains(&BigInt::zero()) {
            all.push(BigInt::zero());
        }
        all.sort();
        return Range { low: all[0].clone(), high: all[all.len() - 1].clone() };
    }
    let size = dividend.size();
    Range { low: -&size, high: size }
}

/// Where remainders lie: nearer to zero than the divisor, and not farther from it than the dividend, on the same side.
fn remainders(dividend: &Range, divisor: &Range) -> Range {
    let most = divisor.size() - 1;
    Range {
        low: dividend.low.clone().max(-&most).min(BigInt::zero()),
        high: dividend.high.clone().min(most).max(BigInt::zero()),
    }
}
