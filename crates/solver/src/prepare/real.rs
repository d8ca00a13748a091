//! Reals, folded away.
//!
//! What a query over floats says with reals is mostly literals to be rounded. Real terms here are literals, values of
//! floats (`fp.to_real`) and if-then-else of these.
//!
//! **Claim.** For finite x, `fp.to_real(x)` compares with a rational number c as x does with c rounded to x's format
//! toward the side of x: x < c exactly if x < ⌈c⌉, where ⌈c⌉ is the least float not below c, since no float lies between;
//! x ≤ c exactly if x ≤ ⌊c⌋. Two finite floats compare as themselves in a format that holds both. Where x is infinite
//! or NaN the theory leaves the real open: it is then a new finite float of a format that is fine enough
//! ([`OPEN_REAL`]), one for each of the three and for each format.

use labrys_float::{Float, Format, RoundingMode};
use labrys_term::{Model, Op, Sort, Store, TermId, eval};
use num_rational::BigRational;

use super::open::{COMPARED, OPEN_REAL, OpenFunctions, is_comparable};
use super::outcome::Outcome;

/// A Real term that is neither a literal nor one of the shapes that are read.
fn unsupported<T>(what: &str) -> Result<T, String> {
    Err(format!("reals that are not literals: {what}"))
}

/// A Real term whose arguments have been expanded.
pub(super) fn term(store: &mut Store, term: TermId) -> Result<Outcome, String> {
    let node = store.node(term).clone();
    if matches!(node.op, Op::RealConst(_)) {
        return Ok(Outcome::Done(term));
    }
    if node.op == Op::Ite {
        return Ok(Outcome::Done(term));
    }
    if let Some(value) = literal_of(store, term) {
        return Ok(Outcome::Done(store.real_const(value)));
    }
    let is_choice = |&arg: &TermId| store.node(arg).op == Op::Ite && *store.sort(arg) == Sort::Real;
    if let Some(position) = node.args.iter().position(is_choice) {
        return Ok(Outcome::Again(lift(store, &node.op, &node.args, position)));
    }
    match node.op {
        Op::FpToReal => Ok(Outcome::Done(term)),
        Op::Variable(_) => unsupported("a real variable"),
        _ => unsupported("arithmetic"),
    }
}

/// The value of a Real term over literals alone.
fn literal_of(store: &Store, term: TermId) -> Option<BigRational> {
    let node = store.node(term);
    let is_literal = |arg: &TermId| matches!(store.node(*arg).op, Op::RealConst(_) | Op::FloatConst(_));
    if node.args.is_empty() || !node.args.iter().all(is_literal) {
        return None;
    }
    eval(store, term, &Model::new()).ok()?.as_real().cloned()
}

/// f(…, ite(c, a, b), …) is ite(c, f(…, a, …), f(…, b, …)).
fn lift(store: &mut Store, op: &Op, args: &[TermId], position: usize) -> TermId {
    let choice = store.node(args[position]).args.clone();
    let branches = [choice[1], choice[2]].map(|branch| {
        let mut args = args.to_vec();
        args[position] = branch;
        store.mk(op.clone(), &args)
    });
    store.mk(Op::Ite, &[choice[0], branches[0], branches[1]])
}

/// Reads of Real terms, which may add open values.
pub(super) struct Reals<'a> {
    store: &'a mut Store,
    open: &'a mut OpenFunctions,
    constraints: &'a mut Vec<TermId>,
}

/// What one side of a comparison is.
#[derive(Clone)]
enum Side {
    Literal(BigRational),
    /// The value of a finite float.
    Float(TermId, Format),
}

impl<'a> Reals<'a> {
    /// Reads terms of `store`.
    pub fn new(store: &'a mut Store, open: &'a mut OpenFunctions, constraints: &'a mut Vec<TermId>) -> Reals<'a> {
        Reals { store, open, constraints }
    }

    /// A predicate on expanded Real terms: `<`, `<=` or `=`.
    pub fn predicate(mut self, op: &Op, args: [TermId; 2]) -> Result<Outcome, String> {
        if let Some(position) = args.iter().position(|&arg| self.store.node(arg).op == Op::Ite) {
            return Ok(Outcome::Again(lift(self.store, op, &args, position)));
        }
        let float_op = match op {
            Op::RealLt => Op::FpLt,
            Op::RealLe => Op::FpLe,
            _ => Op::FpEq,
        };
        let (lefts, rights) = (self.alternatives(args[0])?, self.alternatives(args[1])?);
        let mut result: Option<TermId> = None;
        for (left_guard, left) in &lefts {
            for (right_guard, right) in &rights {
                let holds = compare(self.store, &float_op, left, right)?;
                result = Some(match result {
                    None => holds,
                    Some(other) => {
                        let guard = self.store.and(&[*left_guard, *right_guard]);
                        self.store.mk(Op::Ite, &[guard, holds, other])
                    }
                });
            }
        }
        result.map(Outcome::Done).ok_or_else(|| "a comparison of reals".to_owned())
    }

    /// A conversion of an expanded Real term to a float.
    pub fn rounding(mut self, format: Format, args: [TermId; 2]) -> Result<Outcome, String> {
        let [mode, real] = args;
        if self.store.node(real).op == Op::Ite {
            return Ok(Outcome::Again(lift(self.store, &Op::FpFromReal(format), &args, 1)));
        }
        if let Op::RealConst(value) = &self.store.node(real).op {
            let value = value.clone();
            return Ok(Outcome::Done(rounded_literal(self.store, format, mode, &value)));
        }
        let mut result: Option<TermId> = None;
        for (guard, side) in self.alternatives(real)? {
            let Side::Float(float, from) = side else { return unsupported("a conversion") };
            if from == OPEN_REAL && !is_comparable(format) {
                return unsupported("open values in a large format");
            }
            // The real number 0 has no sign: it rounds to +0 in every mode.
            let converted = self.store.mk(Op::FpFromFloat(format), &[mode, float]);
            let is_zero = self.store.mk(Op::FpIsZero, &[float]);
            let zero = self.store.float_const(Float::zero(format, false));
            let rounded = self.store.mk(Op::Ite, &[is_zero, zero, converted]);
            result = Some(match result {
                None => rounded,
                Some(other) => self.store.mk(Op::Ite, &[guard, rounded, other]),
            });
        }
        result.map(Outcome::Done).ok_or_else(|| "a conversion of reals".to_owned())
    }

    /// What an expanded Real term is, by cases: of several, a later one where its guard holds, else the first.
    fn alternatives(&mut self, term: TermId) -> Result<Vec<(TermId, Side)>, String> {
        let node = self.store.node(term).clone();
        let always = self.store.bool_const(true);
        let argument = match node.op {
            Op::RealConst(value) => return Ok(vec![(always, Side::Literal(value))]),
            Op::FpToReal => node.args[0],
            _ => return unsupported("arithmetic"),
        };
        let Some(format) = self.store.float_format(argument) else { return unsupported("a conversion") };
        if !is_comparable(format) {
            return unsupported("open values in a large format");
        }
        let classes = [Op::FpIsNan, Op::FpIsInfinite].map(|class| self.store.mk(class, &[argument]));
        let is_special = self.store.or(&classes);
        let is_finite = self.store.not(is_special);
        let open = self.open.real(self.store, argument, format, self.constraints);
        Ok(vec![(is_finite, Side::Float(argument, format)), (is_special, Side::Float(open, OPEN_REAL))])
    }
}

fn compare(store: &mut Store, op: &Op, left: &Side, right: &Side) -> Result<TermId, String> {
    Ok(match (left, right) {
        (Side::Literal(a), Side::Literal(b)) => {
            let holds = match op {
                Op::FpLt => a < b,
                Op::FpLe => a <= b,
                _ => a == b,
            };
            store.bool_const(holds)
        }
        (Side::Float(x, format), Side::Literal(c)) => match bound(c, *format, op, *op == Op::FpLt)? {
            Some(bound) => {
                let bound = store.float_const(bound);
                store.mk(op.clone(), &[*x, bound])
            }
            None => store.bool_const(false),
        },
        (Side::Literal(c), Side::Float(x, format)) => match bound(c, *format, op, *op == Op::FpLe)? {
            Some(bound) => {
                let bound = store.float_const(bound);
                store.mk(op.clone(), &[bound, *x])
            }
            None => store.bool_const(false),
        },
        (Side::Float(x, from), Side::Float(y, to)) => {
            let wide = hull(*from, *to);
            let args = [(*x, *from), (*y, *to)].map(|(term, format)| widened(store, term, format, wide));
            store.mk(op.clone(), &args)
        }
    })
}

/// The float that finite floats compare with as they do with a literal; `None` where none equals it and that is asked.
/// Nothing finite is above the largest float: a greater literal is rounded up to +∞, and x < +∞ holds as it should.
fn bound(literal: &BigRational, format: Format, op: &Op, up: bool) -> Result<Option<Float>, String> {
    let is_exact = |rounded: &Float| rounded.to_rational().as_ref() == Some(literal);
    if format == OPEN_REAL && !is_exact(&Float::from_rational(COMPARED, literal, RoundingMode::TowardPositive)) {
        return unsupported("an open value compared with a literal that is no float");
    }
    let mode = if up { RoundingMode::TowardPositive } else { RoundingMode::TowardNegative };
    let rounded = Float::from_rational(format, literal, mode);
    Ok((*op != Op::FpEq || is_exact(&rounded)).then_some(rounded))
}

/// A format that holds all numbers of two.
fn hull(a: Format, b: Format) -> Format {
    if a == b {
        return a;
    }
    // One more bit of exponent holds the other's subnormals even where its precision is the larger one.
    let exponent = a.exponent_bits().max(b.exponent_bits()) + 1;
    Format::new(exponent, a.precision().max(b.precision()))
}

fn widened(store: &mut Store, term: TermId, from: Format, to: Format) -> TermId {
    if from == to {
        return term;
    }
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    store.mk(Op::FpFromFloat(to), &[mode, term])
}

/// A literal rounded in a mode that may be a term.
fn rounded_literal(store: &mut Store, format: Format, mode: TermId, value: &BigRational) -> TermId {
    if let Op::RoundingModeConst(mode) = store.node(mode).op {
        return store.float_const(Float::from_rational(format, value, mode));
    }
    debug_assert_eq!(*store.sort(mode), Sort::RoundingMode);
    let mut result = store.float_const(Float::from_rational(format, value, RoundingMode::ALL[0]));
    for &candidate in &RoundingMode::ALL[1..] {
        let literal = store.rounding_mode(candidate);
        let rounded = store.float_const(Float::from_rational(format, value, candidate));
        let is_candidate = store.mk(Op::Eq, &[mode, literal]);
        result = store.mk(Op::Ite, &[is_candidate, rounded, result]);
    }
    result
}
