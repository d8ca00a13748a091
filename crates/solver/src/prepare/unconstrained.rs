//! Variables that occur once, under operators that can reach every value through them.
//!
//! **Claim.** Let x occur once in the conjunction, as an argument of t = f(x, s). If for every value of s each value of t's
//! sort is f(x, s) for some x, then t may be replaced by a new variable y: from a model of the result, x is chosen so that f(x, s)
//! is y; and from one of the original, y is t's value. Where only some values can be reached, t is replaced by
//! a term over y and s that takes on exactly these. What f's inverse is stands beside each operator below. A replaced term
//! that occurs once is itself such a variable, so that one pass from the leaves up removes whole towers.
//! (Brummayer's "unconstrained variables", in Bruttomesso et al., "A lazy and layered SMT(BV) solver for hard industrial
//! verification problems", CAV 2007, section 4.)

use labrys_float::{Float, RoundingMode};
use labrys_term::{Op, Sort, Store, TermId};
use num_bigint::BigUint;
use num_traits::One;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::fresh::fresh;
use super::reconstruct::Step;

/// The conjunction without such variables; `None` if there are none.
pub(super) fn eliminate(
    store: &mut Store,
    conjuncts: &[TermId],
    count: &mut usize,
    steps: &mut Vec<Step>,
) -> Option<Vec<TermId>> {
    let terms = store.reachable(conjuncts);
    let mut occurrences: FxHashMap<TermId, u32> = FxHashMap::default();
    let below = terms.iter().flat_map(|&term| store.node(term).args.iter());
    for &term in below.chain(conjuncts) {
        *occurrences.entry(term).or_default() += 1;
    }
    let before = steps.len();
    let mut elimination = Elimination { done: FxHashMap::default(), occurrences, count, steps };
    for term in terms {
        let result = elimination.term(store, term);
        elimination.done.insert(term, result);
    }
    let result = conjuncts.iter().map(|conjunct| elimination.done[conjunct]).collect();
    (steps.len() > before).then_some(result)
}

struct Elimination<'a> {
    /// What terms became.
    done: FxHashMap<TermId, TermId>,
    /// How often each term of the original conjunction is an argument or a conjunct.
    occurrences: FxHashMap<TermId, u32>,
    count: &'a mut usize,
    steps: &'a mut Vec<Step>,
}

impl Elimination<'_> {
    /// What a term becomes whose arguments are done.
    fn term(&mut self, store: &mut Store, term: TermId) -> TermId {
        let node = store.node(term);
        if node.args.is_empty() {
            return term;
        }
        let old: SmallVec<[TermId; 4]> = node.args.iter().copied().collect();
        let args: SmallVec<[TermId; 4]> = old.iter().map(|arg| self.done[arg]).collect();
        let op = node.op.clone();
        let is_free: SmallVec<[bool; 4]> = old
            .iter()
            .zip(&args)
            .map(|(old, new)| self.occurrences.get(old) == Some(&1) && store.as_variable(*new).is_some())
            .collect();
        if is_free.contains(&true) {
            let replaced = match is_free[..] {
                [_] => self.unary(store, &op, args[0], term),
                [first, second] => [(first, 0), (second, 1)].into_iter().find_map(|(is_free, position)| {
                    let (x, s) = (args[position], args[1 - position]);
                    is_free.then(|| self.binary(store, &op, x, s, position == 0))?
                }),
                [_, true, true] if op == Op::Ite => self.branches(store, &args),
                _ => None,
            };
            if let Some(replaced) = replaced {
                return replaced;
            }
        }
        if args == old { term } else { store.mk(op, &args) }
    }

    fn fresh(&mut self, store: &mut Store, sort: Sort) -> TermId {
        fresh(store, self.count, "any", sort)
    }

    /// The variable is defined by a term.
    fn define(&mut self, store: &Store, x: TermId, value: TermId) {
        if let Some(variable) = store.as_variable(x) {
            self.steps.push(Step::Define(variable, value));
        }
    }

    /// f(x): bijections, slices, decoding, and classes, of which each has members and others.
    fn unary(&mut self, store: &mut Store, op: &Op, x: TermId, term: TermId) -> Option<TermId> {
        let sort = store.sort(term).clone();
        let (y, value) = match op {
            Op::Not | Op::BvNot | Op::BvNeg | Op::FpNeg => {
                let y = self.fresh(store, sort);
                (y, store.mk(op.clone(), &[y]))
            }
            // Any bits around the slice will do.
            &Op::Extract { high, low } => {
                let Sort::BitVec(width) = *store.sort(x) else { return None };
                let y = self.fresh(store, sort);
                let mut value = y;
                if low > 0 {
                    let zeros = store.bv_const(low, 0u8);
                    value = store.mk(Op::Concat, &[value, zeros]);
                }
                if high + 1 < width {
                    value = store.mk(Op::ZeroExtend(width - 1 - high), &[value]);
                }
                (y, value)
            }
            Op::FpFromBits(format) if !format.has_explicit_leading_bit() => {
                let y = self.fresh(store, sort);
                (y, store.mk(Op::FpToBits, &[y]))
            }
            _ => {
                let [member, other] = class(store, op, x)?;
                let y = self.fresh(store, Sort::Bool);
                (y, store.mk(Op::Ite, &[y, member, other]))
            }
        };
        self.define(store, x, value);
        Some(y)
    }

    /// f(x, s), or f(s, x) if `x` is not `first`.
    fn binary(&mut self, store: &mut Store, op: &Op, x: TermId, s: TermId, first: bool) -> Option<TermId> {
        let sort = store.sort(x).clone();
        match op {
            Op::BvAdd | Op::BvSub | Op::BvXor | Op::Xor => {
                let y = self.fresh(store, sort);
                // x + s = y, x − s = y, s − x = y, x ^ s = y.
                let (inverse, args) = match (op, first) {
                    (Op::BvAdd, _) => (Op::BvSub, [y, s]),
                    (Op::BvSub, true) => (Op::BvAdd, [y, s]),
                    (Op::BvSub, false) => (Op::BvSub, [s, y]),
                    _ => (op.clone(), [y, s]),
                };
                let value = store.mk(inverse, &args);
                self.define(store, x, value);
                Some(y)
            }
            Op::Eq => {
                let other = another(store, s)?;
                let y = self.fresh(store, Sort::Bool);
                let value = store.mk(Op::Ite, &[y, s, other]);
                self.define(store, x, value);
                Some(y)
            }
            Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => self.vector_order(store, op, x, s, first),
            Op::FpLt | Op::FpLe | Op::FpEq => self.float_order(store, op, x, s, first),
            _ => None,
        }
    }

    /// x < s can be false, and true unless s is the least number; x ≤ s can be true, and false unless s is the greatest; and so
    /// with the sides exchanged. The extreme numbers are the witnesses.
    fn vector_order(&mut self, store: &mut Store, op: &Op, x: TermId, s: TermId, first: bool) -> Option<TermId> {
        let Sort::BitVec(width) = *store.sort(x) else { return None };
        let half = BigUint::one() << (width - 1);
        let ones = (BigUint::one() << width) - 1u8;
        let (least, greatest) =
            if matches!(op, Op::BvUlt | Op::BvUle) { (BigUint::ZERO, ones) } else { (half.clone(), half - 1u8) };
        let [least, greatest] = [least, greatest].map(|value| store.bv_const(width, value));
        // What x is where the comparison holds, and where it does not.
        let (yes, no) = if first { (least, greatest) } else { (greatest, least) };
        let y = self.fresh(store, Sort::Bool);
        let result = if matches!(op, Op::BvUlt | Op::BvSlt) {
            let fixed = store.mk(Op::Eq, &[s, yes]);
            let possible = store.not(fixed);
            store.and(&[y, possible])
        } else {
            let fixed = store.mk(Op::Eq, &[s, no]);
            store.or(&[y, fixed])
        };
        let value = store.mk(Op::Ite, &[result, yes, no]);
        self.define(store, x, value);
        Some(result)
    }

    /// With NaN for x no comparison holds. One can hold unless s is NaN; a strict one not for the infinity beyond which x
    /// would have to be.
    fn float_order(&mut self, store: &mut Store, op: &Op, x: TermId, s: TermId, first: bool) -> Option<TermId> {
        let format = store.float_format(x)?;
        let nan = store.float_const(Float::nan(format));
        let extreme = store.float_const(Float::infinity(format, first));
        let y = self.fresh(store, Sort::Bool);
        let is_nan = store.mk(Op::FpIsNan, &[s]);
        let mut possible = vec![y, store.not(is_nan)];
        if *op == Op::FpLt {
            let fixed = store.mk(Op::Eq, &[s, extreme]);
            possible.push(store.not(fixed));
        }
        let result = store.and(&possible);
        let witness = if *op == Op::FpEq { s } else { extreme };
        let value = store.mk(Op::Ite, &[result, witness, nan]);
        self.define(store, x, value);
        Some(result)
    }

    /// ite(c, x, z) with both free is any value.
    fn branches(&mut self, store: &mut Store, args: &[TermId]) -> Option<TermId> {
        let y = self.fresh(store, store.sort(args[1]).clone());
        self.define(store, args[1], y);
        self.define(store, args[2], y);
        Some(y)
    }
}

/// A member of a class and a float outside.
fn class(store: &mut Store, op: &Op, x: TermId) -> Option<[TermId; 2]> {
    let format = store.float_format(x)?;
    let (plus, minus) = (Float::zero(format, false), Float::zero(format, true));
    let (member, other) = match op {
        Op::FpIsNan => (Float::nan(format), plus),
        Op::FpIsInfinite => (Float::infinity(format, false), plus),
        Op::FpIsZero => (plus, Float::nan(format)),
        Op::FpIsNormal => (Float::min_normal(format), plus),
        Op::FpIsSubnormal if format.precision() > 1 => (Float::min_subnormal(format), plus),
        Op::FpIsNegative => (minus, plus),
        Op::FpIsPositive => (plus, minus),
        _ => return None,
    };
    Some([member, other].map(|value| store.float_const(value)))
}

/// A term whose value always differs from that of `s`.
fn another(store: &mut Store, s: TermId) -> Option<TermId> {
    let candidates = match *store.sort(s) {
        Sort::Bool => return Some(store.not(s)),
        Sort::BitVec(_) => return Some(store.mk(Op::BvNot, &[s])),
        Sort::Float(format) => [Float::nan(format), Float::zero(format, false)].map(|value| store.float_const(value)),
        Sort::RoundingMode => {
            [RoundingMode::NearestEven, RoundingMode::TowardZero].map(|mode| store.rounding_mode(mode))
        }
        Sort::Real | Sort::Array(_) => return None,
    };
    let is_first = store.mk(Op::Eq, &[s, candidates[0]]);
    Some(store.mk(Op::Ite, &[is_first, candidates[1], candidates[0]]))
}
