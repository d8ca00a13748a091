//! What changes from round to round of a loop: the scalars by which states at its header differ, each a variable of any value.

use labrys_interp::{Datum, Domain, Int, Join, Pointer, Scalar};
use labrys_term::TermId;
use rustc_hash::FxHashMap;

use crate::{FloatValue, Values};

type ScalarOf = Scalar<FloatValue, TermId>;
type DatumOf = Datum<FloatValue, TermId>;

/// One of them.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// Any value of its kind.
    pub(crate) any: DatumOf,
    /// Its value before the first round.
    pub(crate) first: DatumOf,
    /// Its value after a round, where that is looked at; `None` where the round has left it as it was.
    pub(crate) next: Option<DatumOf>,
}

/// The variables of a loop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables {
    pub(crate) all: Vec<Variable>,
    index: FxHashMap<DatumOf, usize>,
    /// Whether states differed by what the first of them has neither as a variable nor uninitialised.
    pub(crate) has_grown: bool,
    /// Of those before this one there have been variables in the round that is looked at.
    pub(crate) old: usize,
    /// The number of the last name.
    pub(crate) named: u64,
    /// Whether of two pointers into different objects the second is taken, and what it alone has written, for a state of its own.
    pub(crate) takes_second: bool,
    /// Whether what only some rounds have written may count as not written.
    may_forget: bool,
}

impl Variables {
    /// None yet. What is not written raises no exceptions where it is computed with: nothing may count as that where the program can read them.
    pub(crate) fn new(reads_flags: bool) -> Variables {
        Variables { may_forget: !reads_flags, ..Variables::default() }
    }

    /// Nothing is known of what a round does. Names up to this number are taken.
    pub(crate) fn begin(&mut self, named: u64) {
        self.named = named;
        self.old = self.all.len();
        self.has_grown = false;
        self.all.iter_mut().for_each(|variable| variable.next = None);
    }

    /// One more variable, which has been the first of two and is the second.
    fn variable(&mut self, values: &mut Values<'_>, first: &DatumOf, next: &DatumOf) -> ScalarOf {
        self.named += 1;
        let any = any_like(values, &format!("any {}", self.named), first);
        self.has_grown = true;
        self.index.insert(any.clone(), self.all.len());
        self.all.push(Variable { any: any.clone(), first: first.clone(), next: Some(next.clone()) });
        Scalar { datum: any, tainted: false }
    }

    /// Their values before the first round.
    pub(crate) fn firsts(&self) -> Vec<DatumOf> {
        self.all.iter().map(|of| of.first.clone()).collect()
    }

    /// Their values after the round that is looked at.
    pub(crate) fn nexts(&self) -> Vec<DatumOf> {
        self.all.iter().map(|of| of.next.clone().unwrap_or_else(|| of.any.clone())).collect()
    }
}

/// Any value of a datum's kind, by this name.
pub(super) fn any_like(values: &mut Values<'_>, name: &str, datum: &DatumOf) -> DatumOf {
    let input = |values: &mut Values<'_>, bits| values.input(&format!("{name}:{bits}"), bits);
    match datum {
        Datum::Int(int) => Datum::Int(input(values, int.bits())),
        Datum::Float(float) => {
            let format = values.format_of(float);
            let bits = input(values, format.width());
            Datum::Float(values.float_from_bits(&bits, format))
        }
        Datum::Pointer(pointer) => Datum::Pointer(Pointer { base: pointer.base, offset: input(values, 64) }),
    }
}

/// A datum as a term, where it is an integer, an offset or a float; a known one is a literal.
pub(crate) fn term_of(values: &mut Values<'_>, datum: &DatumOf) -> TermId {
    match datum {
        Datum::Int(int) => values.as_term(int),
        Datum::Float(float) => values.term(float),
        Datum::Pointer(pointer) => values.as_term(&pointer.offset),
    }
}

/// The bits of a datum, an offset's where it is a pointer.
pub(crate) fn bits_of(values: &mut Values<'_>, datum: &DatumOf) -> Int<TermId> {
    match datum {
        Datum::Int(int) => int.clone(),
        Datum::Float(float) => values.float_to_bits(float),
        Datum::Pointer(pointer) => pointer.offset.clone(),
    }
}

impl<'s> Join<Values<'s>> for Variables {
    fn scalar(&mut self, values: &mut Values<'s>, a: &ScalarOf, b: &ScalarOf) -> Option<ScalarOf> {
        if a == b || (a.tainted && b.tainted) {
            return Some(a.clone());
        }
        if b.tainted && self.takes_second {
            return Some(b.clone());
        }
        if b.tainted || (a.tainted && !self.takes_second) {
            return None;
        }
        let [x, y] = [&a.datum, &b.datum].map(|datum| term_of(values, datum));
        let has_undefined_bits = !a.tainted && values.has_undefined_bits(x);
        if has_undefined_bits || values.has_undefined_bits(y) {
            return None;
        }
        if a.tainted || !is_alike(values, &a.datum, &b.datum) {
            let is_pointer = matches!(&b.datum, Datum::Pointer(pointer) if pointer.offset.concrete().is_some());
            return match self.takes_second {
                true if is_pointer => Some(b.clone()),
                true => Some(self.variable(values, &b.datum, &b.datum)),
                false => None,
            };
        }
        if let Some(&index) = self.index.get(&a.datum) {
            self.all[index].next = Some(b.datum.clone());
            return Some(a.clone());
        }
        Some(self.variable(values, &a.datum, &b.datum))
    }

    fn takes_second(&self) -> bool {
        self.takes_second
    }

    fn forget(&mut self, is_so_in_first: bool) -> bool {
        self.has_grown |= self.may_forget && !is_so_in_first;
        self.may_forget
    }
}

/// Whether two data are of one kind: pointers, if they point into one object.
fn is_alike(values: &Values<'_>, a: &DatumOf, b: &DatumOf) -> bool {
    match (a, b) {
        (Datum::Int(a), Datum::Int(b)) => a.bits() == b.bits(),
        (Datum::Float(a), Datum::Float(b)) => values.format_of(a) == values.format_of(b),
        (Datum::Pointer(a), Datum::Pointer(b)) => a.base == b.base,
        _ => false,
    }
}
