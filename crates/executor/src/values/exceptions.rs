//! Reading and writing exception flags: `fetestexcept` and its likes.

use std::sync::Arc;

use labrys_float::{Flags, RoundingMode};
use labrys_interp::{Int, IntOperation, Stop, evaluate};
use labrys_program::IntBinary;
use labrys_symex::int_terms::{self, as_term, ite};
use labrys_term::{Sort, TermId};

use super::environment::{FloatEnvironment, Happened, Link, Raising};
use super::{Values, raised};

/// The flags of fenv.h on x86-64.
const BITS: [(Flags, u32); 5] = [
    (Flags::INVALID, 0x01),
    (Flags::DIVBYZERO, 0x04),
    (Flags::OVERFLOW, 0x08),
    (Flags::UNDERFLOW, 0x10),
    (Flags::INEXACT, 0x20),
];

/// `FE_ALL_EXCEPT`.
const ALL: u32 = 0x3d;

/// Bits of masks and flag words.
const WIDTH: u32 = 32;

/// The rounding modes of fenv.h on x86-64.
const MODES: [(RoundingMode, u32); 4] = [
    (RoundingMode::NearestEven, 0),
    (RoundingMode::TowardNegative, 0x400),
    (RoundingMode::TowardPositive, 0x800),
    (RoundingMode::TowardZero, 0xc00),
];

impl FloatEnvironment {
    /// `fegetround`: 0, 0x400, 0x800 or 0xc00.
    pub fn rounding(&self) -> u32 {
        MODES.iter().find(|(mode, _)| *mode == self.rounding).map_or(0, |(_, constant)| *constant)
    }

    /// `fesetround`: whether there is such a mode; otherwise nothing changes.
    pub fn set_rounding(&mut self, constant: u32) -> bool {
        let found = MODES.iter().find(|(_, other)| *other == constant);
        if let Some((mode, _)) = found {
            self.rounding = *mode;
        }
        found.is_some()
    }
}

impl Values<'_> {
    /// `fetestexcept`: the flags of `mask` that are set, an integer of 32 bits.
    ///
    /// # Errors
    ///
    /// The mask has bits of x86 that are no flags of C's.
    pub fn test_exceptions(&mut self, environment: &FloatEnvironment, mask: &Int<TermId>) -> Result<Int<TermId>, Stop> {
        if !self.reads_flags {
            return Err(Stop::unsupported("exception flags that were not kept"));
        }
        let wanted = self.flags_of(mask)?;
        let mut word = Int::new(WIDTH, 0);
        for (flag, bit) in BITS {
            if !wanted.contains(flag) {
                continue;
            }
            let is_set = self.flag(environment, flag);
            let set = Int::new(WIDTH, bit.into());
            let part = match (is_set.concrete(), is_set.symbol()) {
                (Some(0), _) => continue,
                (Some(_), _) => set,
                (None, Some(&condition)) => {
                    let (set, clear) = (as_term(self.store, &set), as_term(self.store, &Int::new(WIDTH, 0)));
                    Int::symbolic(WIDTH, ite(self.store, condition, set, clear))
                }
                (None, None) => continue,
            };
            word = self.binary(IntBinary::Or, &word, &part);
        }
        Ok(self.binary(IntBinary::And, &word, mask))
    }

    /// `feclearexcept`.
    ///
    /// # Errors
    ///
    /// As for [`Values::test_exceptions`].
    pub fn clear_exceptions(&mut self, environment: &mut FloatEnvironment, mask: &Int<TermId>) -> Result<(), Stop> {
        self.set_exceptions(environment, mask, &Int::new(WIDTH, 0))
    }

    /// `feraiseexcept`.
    ///
    /// # Errors
    ///
    /// As for [`Values::test_exceptions`].
    pub fn raise_exceptions(&mut self, environment: &mut FloatEnvironment, mask: &Int<TermId>) -> Result<(), Stop> {
        if mask.concrete().is_some() {
            environment.raised |= self.flags_of(mask)?;
            return Ok(());
        }
        self.set_exceptions(environment, mask, &Int::new(WIDTH, u128::MAX))
    }

    /// `fesetexceptflag`: gives the flags of `mask` their values in `word`, both of 32 bits.
    ///
    /// # Errors
    ///
    /// As for [`Values::test_exceptions`].
    pub fn set_exceptions(
        &mut self,
        environment: &mut FloatEnvironment,
        mask: &Int<TermId>,
        word: &Int<TermId>,
    ) -> Result<(), Stop> {
        let wanted = self.flags_of(mask)?;
        if let (Some(_), Some(word)) = (mask.concrete(), word.concrete()) {
            let set = BITS.iter().filter(|(_, bit)| word & u128::from(*bit) != 0).map(|(flag, _)| *flag);
            environment.clear(wanted);
            environment.raised |= wanted & set.collect::<Flags>();
            return Ok(());
        }
        for (flag, bit) in BITS {
            if !wanted.contains(flag) {
                continue;
            }
            let new = self.bit(word, bit);
            let chosen = self.bit(mask, bit);
            let old = self.flag(environment, flag);
            let [new, chosen, old] = [new, chosen, old].map(|int| as_term(self.store, &int));
            let value = ite(self.store, chosen, new, old);
            environment.raised -= flag;
            match int_terms::as_int(self.store, 1, value).concrete() {
                Some(0) => environment.clear(flag),
                Some(_) => environment.raised |= flag,
                None => environment.push(Happened::Assigned(flag, value)),
            }
        }
        Ok(())
    }

    /// Flags that may each be set or not, by variables of a name of their own.
    pub(crate) fn any_flags(&mut self, environment: &mut FloatEnvironment, name: &str) {
        environment.raised = Flags::empty();
        environment.last = None;
        for (flag, bit) in BITS {
            let variable = self.store.variable(&format!("{name} {bit:#x}"), Sort::Bool);
            environment.push(Happened::Assigned(flag, variable));
        }
    }

    /// The flags that a mask may have.
    fn flags_of(&self, mask: &Int<TermId>) -> Result<Flags, Stop> {
        match mask.concrete() {
            None => Ok(Flags::all()),
            Some(mask) if mask & !u128::from(ALL) != 0 => Err(Stop::unsupported("exception flags that are not C's")),
            Some(mask) => {
                Ok(BITS.iter().filter(|(_, bit)| mask & u128::from(*bit) != 0).map(|(flag, _)| *flag).collect())
            }
        }
    }

    /// One bit of a word, as a truth value.
    fn bit(&mut self, word: &Int<TermId>, bit: u32) -> Int<TermId> {
        let at = bit.trailing_zeros();
        let operation = IntOperation::Extract { high: at, low: at };
        let operands = std::slice::from_ref(word);
        evaluate(operation, operands).unwrap_or_else(|| int_terms::operation(self.store, operation, operands))
    }

    fn binary(&mut self, op: IntBinary, a: &Int<TermId>, b: &Int<TermId>) -> Int<TermId> {
        let (operation, operands) = (IntOperation::Binary(op), [a.clone(), b.clone()]);
        evaluate(operation, &operands).unwrap_or_else(|| int_terms::operation(self.store, operation, &operands))
    }

    /// Whether a flag is set: one bit. What is found is kept for the next who asks of the same list.
    fn flag(&mut self, environment: &FloatEnvironment, flag: Flags) -> Int<TermId> {
        if environment.raised.contains(flag) {
            return Int::bool(true);
        }
        let mut conditions = Vec::new();
        let mut at = environment.last.as_ref();
        let last = at.map(|link| (Arc::as_ptr(link) as usize, flag));
        while let Some(link) = at {
            if let Some((_, known)) = self.flags_read.get(&(Arc::as_ptr(link) as usize, flag)) {
                conditions.push(*known);
                break;
            }
            match &link.happened {
                Happened::Raised(raising) => {
                    let raising = raising.clone();
                    conditions.extend(raised::condition(self.store, &mut self.encodings, &raising, flag));
                }
                Happened::Cleared(cleared) if cleared.contains(flag) => break,
                Happened::Assigned(assigned, value) if *assigned == flag => {
                    conditions.push(*value);
                    break;
                }
                _ => {}
            }
            at = link.before.as_ref();
        }
        let truth = self.store.bool_const(true);
        let falsehood = self.store.bool_const(false);
        conditions.retain(|condition| *condition != falsehood);
        conditions.sort_unstable();
        conditions.dedup();
        let whole = if conditions.contains(&truth) { truth } else { self.store.or(&conditions) };
        if let (Some(key), Some(link)) = (last, &environment.last) {
            // The link is kept, so that its address stays its own.
            self.flags_read.insert(key, (Arc::clone(link), whole));
        }
        int_terms::as_int(self.store, 1, whole)
    }

    /// Notes what may raise exceptions, if flags are read at all.
    pub(super) fn note(&self, environment: &mut FloatEnvironment, raising: Raising) {
        if self.reads_flags && environment.raised != Flags::all() {
            environment.push(Happened::Raised(raising));
        }
    }
}

/// The links whose flags were read, kept alive, with the terms found.
pub(super) type FlagsRead = rustc_hash::FxHashMap<(usize, Flags), (Arc<Link>, TermId)>;
