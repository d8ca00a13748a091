//! Named rewrites, for queries that go to solvers. Formulas that are counted are not simplified.
//!
//! **Claim.** Under every model that gives the original a value, the simplified term has the same one. Where the
//! original is left open (division by zero over the reals), the simplified term may have a value.
//!
//! **Argument.** Each rule is an identity of its theory; its comment says why where that is not plain. Subterms are
//! replaced by equal ones from the leaves up, each rule applied to a node whose arguments are already simplified.

use num_traits::{One, Zero};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{Model, Op, Sort, Store, TermId, Value, eval};

/// A rewrite: what a term of this operator and these arguments equals, `None` where the rule does not match.
type Rewrite = fn(&mut Store, TermId) -> Option<TermId>;

/// The rules in the order in which they are tried, by name.
pub const RULES: [(&str, Rewrite); 14] = [
    ("constant-fold", constant_fold),
    ("not-not", not_not),
    ("not-comparison", not_comparison),
    ("connective-units", connective_units),
    ("connective-flatten", connective_flatten),
    ("connective-duplicates", connective_duplicates),
    ("connective-complement", connective_complement),
    ("equal-to-itself", equal_to_itself),
    ("equal-to-truth", equal_to_truth),
    ("ite-decided", ite_decided),
    ("negation-twice", negation_twice),
    ("real-units", real_units),
    ("compare-with-itself", compare_with_itself),
    ("classify-negation", classify_negation),
];

/// How often a node is rewritten before it is taken as it is. Rules shrink terms, turn operators into ones further
/// on, or flatten; none undoes another, so that the bound is a safeguard only.
const MOST_STEPS: usize = 64;

/// A memo of simplified terms. Its terms belong to one store.
#[derive(Clone, Debug, Default)]
pub struct Simplifier {
    memo: FxHashMap<TermId, TermId>,
    /// How often each rule of [`RULES`] was applied.
    applied: [usize; RULES.len()],
}

impl Simplifier {
    /// A simplifier that has seen nothing.
    pub fn new() -> Simplifier {
        Simplifier::default()
    }

    /// An equal term, as simple as the rules make it.
    ///
    /// ```
    /// use labrys_term::{Simplifier, Sort, Store};
    ///
    /// let mut store = Store::new();
    /// let p = store.variable("p", Sort::Bool);
    /// let yes = store.bool_const(true);
    /// let both = store.and(&[p, yes, p]);
    /// assert_eq!(Simplifier::new().term(&mut store, both), p);
    /// ```
    pub fn term(&mut self, store: &mut Store, term: TermId) -> TermId {
        let mut pending = vec![term];
        while let Some(&next) = pending.last() {
            if self.memo.contains_key(&next) {
                pending.pop();
                continue;
            }
            let args = store.node(next).args.clone();
            let before = pending.len();
            pending.extend(args.iter().filter(|arg| !self.memo.contains_key(arg)));
            if pending.len() > before {
                continue;
            }
            pending.pop();
            let simple = self.node(store, next, &args);
            self.memo.insert(next, simple);
            self.memo.insert(simple, simple);
        }
        self.memo.get(&term).copied().unwrap_or(term)
    }

    /// How often each rule was applied, for those that were.
    pub fn applied(&self) -> impl Iterator<Item = (&'static str, usize)> {
        RULES.iter().zip(self.applied).map(|((name, _), count)| (*name, count)).filter(|(_, count)| *count > 0)
    }

    /// Simplifies a node whose arguments have been simplified.
    fn node(&mut self, store: &mut Store, term: TermId, args: &[TermId]) -> TermId {
        let args: SmallVec<[TermId; 4]> = args.iter().map(|arg| self.memo.get(arg).copied().unwrap_or(*arg)).collect();
        if args.is_empty() {
            return term;
        }
        let mut current = store.mk(store.node(term).op.clone(), &args);
        for _ in 0..MOST_STEPS {
            let step = RULES.iter().enumerate().find_map(|(i, (_, rule))| Some((i, rule(store, current)?)));
            let Some((rule, next)) = step else { break };
            self.applied[rule] += 1;
            current = next;
        }
        current
    }
}

fn bool_value(store: &Store, term: TermId) -> Option<bool> {
    match store.node(term).op {
        Op::BoolConst(value) => Some(value),
        _ => None,
    }
}

/// The literal of a value; arrays have none.
fn literal(store: &mut Store, value: Value) -> Option<TermId> {
    Some(match value {
        Value::Bool(value) => store.bool_const(value),
        Value::BitVec { width, bits } => store.bv_const(width, bits),
        Value::Float(value) => store.float_const(value),
        Value::RoundingMode(mode) => store.rounding_mode(mode),
        Value::Real(value) => store.real_const(value),
        Value::Array(_) => return None,
    })
}

fn is_literal(op: &Op) -> bool {
    matches!(
        op,
        Op::BoolConst(_) | Op::BitVecConst(_) | Op::FloatConst(_) | Op::RoundingModeConst(_) | Op::RealConst(_)
    )
}

/// f(constants) is the constant that the evaluator gives. Sums and products of reals stay out: folding
/// them could make literals longer than the terms they replace.
fn constant_fold(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    if node.args.is_empty() || node.sort == Sort::Real || !node.args.iter().all(|&a| is_literal(&store.node(a).op)) {
        return None;
    }
    let value = eval(store, term, &Model::new()).ok()?;
    literal(store, value)
}

/// ¬¬p is p.
fn not_not(store: &mut Store, term: TermId) -> Option<TermId> {
    let inner = operand(store, term, &Op::Not)?;
    operand(store, inner, &Op::Not)
}

/// The only argument of a term of this operator.
fn operand(store: &Store, term: TermId, op: &Op) -> Option<TermId> {
    let node = store.node(term);
    if node.op == *op { node.args.first().copied() } else { None }
}

/// ¬(a < b) is b ≤ a, over the reals and bit vectors: their orders are total (floats' is not).
fn not_comparison(store: &mut Store, term: TermId) -> Option<TermId> {
    let inner = operand(store, term, &Op::Not)?;
    let node = store.node(inner);
    let op = match node.op {
        Op::RealLt => Op::RealLe,
        Op::RealLe => Op::RealLt,
        Op::BvUlt => Op::BvUle,
        Op::BvUle => Op::BvUlt,
        Op::BvSlt => Op::BvSle,
        Op::BvSle => Op::BvSlt,
        _ => return None,
    };
    let (a, b) = (node.args[0], node.args[1]);
    Some(store.mk(op, &[b, a]))
}

/// Whether a term is a conjunction or disjunction; then the truth value that decides it, false or true.
fn absorbing(store: &Store, term: TermId) -> Option<bool> {
    match store.node(term).op {
        Op::And => Some(false),
        Op::Or => Some(true),
        _ => None,
    }
}

/// The same connective over other arguments.
fn connect(store: &mut Store, absorbing: bool, args: &[TermId]) -> TermId {
    if absorbing { store.or(args) } else { store.and(args) }
}

/// p ∧ true is p, p ∧ false is false, and so for ∨; a connective of one argument is that.
fn connective_units(store: &mut Store, term: TermId) -> Option<TermId> {
    let absorbing = absorbing(store, term)?;
    let args = store.node(term).args.clone();
    if args.iter().any(|&arg| bool_value(store, arg) == Some(absorbing)) {
        return Some(store.bool_const(absorbing));
    }
    let kept: Vec<TermId> = args.iter().copied().filter(|&arg| bool_value(store, arg).is_none()).collect();
    (kept.len() < args.len() || args.len() == 1).then(|| connect(store, absorbing, &kept))
}

/// The longest connective that flattening makes: shared conjunctions could otherwise grow without bound.
const MOST_ARGUMENTS: usize = 256;

/// (p ∧ q) ∧ r is p ∧ q ∧ r, and so for ∨.
fn connective_flatten(store: &mut Store, term: TermId) -> Option<TermId> {
    let absorbing = absorbing(store, term)?;
    let op = store.node(term).op.clone();
    let args = store.node(term).args.clone();
    let mut flat = Vec::new();
    for &arg in &args {
        let inner = store.node(arg);
        if inner.op == op { flat.extend_from_slice(&inner.args) } else { flat.push(arg) }
    }
    (flat.len() > args.len() && flat.len() <= MOST_ARGUMENTS).then(|| connect(store, absorbing, &flat))
}

/// p ∧ p is p, and so for ∨.
fn connective_duplicates(store: &mut Store, term: TermId) -> Option<TermId> {
    let absorbing = absorbing(store, term)?;
    let args = store.node(term).args.clone();
    let distinct: indexmap::IndexSet<TermId> = args.iter().copied().collect();
    let kept: Vec<TermId> = distinct.into_iter().collect();
    (kept.len() < args.len()).then(|| connect(store, absorbing, &kept))
}

/// p ∧ ¬p is false, p ∨ ¬p is true.
fn connective_complement(store: &mut Store, term: TermId) -> Option<TermId> {
    let absorbing = absorbing(store, term)?;
    let args = store.node(term).args.clone();
    let all: rustc_hash::FxHashSet<TermId> = args.iter().copied().collect();
    let clash = args.iter().any(|&arg| operand(store, arg, &Op::Not).is_some_and(|inner| all.contains(&inner)));
    clash.then(|| store.bool_const(absorbing))
}

/// a = a is true, for floats too: SMT-LIB's `=` has one NaN.
fn equal_to_itself(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    (node.op == Op::Eq && node.args[0] == node.args[1]).then(|| store.bool_const(true))
}

/// p = true is p, p = false is ¬p.
fn equal_to_truth(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    if node.op != Op::Eq {
        return None;
    }
    let (a, b) = (node.args[0], node.args[1]);
    let (value, other) = match (bool_value(store, a), bool_value(store, b)) {
        (Some(value), _) => (value, b),
        (None, Some(value)) => (value, a),
        (None, None) => return None,
    };
    Some(if value { other } else { store.not(other) })
}

/// An if-then-else whose condition is known or whose branches are the same is a branch.
fn ite_decided(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    if node.op != Op::Ite {
        return None;
    }
    let (condition, yes, no) = (node.args[0], node.args[1], node.args[2]);
    match bool_value(store, condition) {
        Some(true) => Some(yes),
        Some(false) => Some(no),
        None => (yes == no).then_some(yes),
    }
}

/// −−a is a for reals, bit vectors and floats (whose NaN is one); so is bvnot twice, and |−a| is |a|.
fn negation_twice(store: &mut Store, term: TermId) -> Option<TermId> {
    for op in [Op::RealNeg, Op::BvNeg, Op::BvNot, Op::FpNeg] {
        if let Some(inner) = operand(store, term, &op) {
            return operand(store, inner, &op);
        }
    }
    for (outer, negation) in [(Op::FpAbs, Op::FpNeg), (Op::RealAbs, Op::RealNeg)] {
        if let Some(inner) = operand(store, term, &outer) {
            let argument = operand(store, inner, &negation).or(operand(store, inner, &outer))?;
            return Some(store.mk(outer, &[argument]));
        }
    }
    None
}

/// a + 0 and a·1 are a; a·0 is 0, also where a is open.
fn real_units(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let is_sum = match node.op {
        Op::RealAdd => true,
        Op::RealMul => false,
        _ => return None,
    };
    let args = node.args.clone();
    let op = node.op.clone();
    let constant = |arg: TermId| match &store.node(arg).op {
        Op::RealConst(value) => Some(value.clone()),
        _ => None,
    };
    if !is_sum && let Some(&zero) = args.iter().find(|&&arg| constant(arg).is_some_and(|value| value.is_zero())) {
        return Some(zero);
    }
    let is_unit =
        |arg: TermId| constant(arg).is_some_and(|value| if is_sum { value.is_zero() } else { value.is_one() });
    let kept: Vec<TermId> = args.iter().copied().filter(|&arg| !is_unit(arg)).collect();
    match kept[..] {
        _ if kept.len() == args.len() && args.len() > 1 => None,
        [] => args.first().copied(),
        [one] => Some(one),
        _ => Some(store.mk(op, &kept)),
    }
}

/// a < a is false and a ≤ a true over the reals and bit vectors; over floats a < a is false, a ≤ a and a = a hold but
/// for NaNs.
fn compare_with_itself(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let (&first, &second) = (node.args.first()?, node.args.get(1)?);
    if first != second || node.args.len() != 2 {
        return None;
    }
    match node.op {
        Op::RealLt | Op::BvUlt | Op::BvSlt | Op::FpLt | Op::Distinct => Some(store.bool_const(false)),
        Op::RealLe | Op::BvUle | Op::BvSle => Some(store.bool_const(true)),
        Op::FpLe | Op::FpEq => {
            let is_nan = store.mk(Op::FpIsNan, &[first]);
            Some(store.not(is_nan))
        }
        _ => None,
    }
}

/// Classes do not depend on the sign: isNaN(−a) is isNaN(a), and so for |a|, isInfinite, isZero, isNormal, isSubnormal.
fn classify_negation(store: &mut Store, term: TermId) -> Option<TermId> {
    let node = store.node(term);
    let op = node.op.clone();
    if !matches!(op, Op::FpIsNan | Op::FpIsInfinite | Op::FpIsZero | Op::FpIsNormal | Op::FpIsSubnormal) {
        return None;
    }
    let argument = node.args[0];
    let inner = operand(store, argument, &Op::FpNeg).or(operand(store, argument, &Op::FpAbs))?;
    Some(store.mk(op, &[inner]))
}

#[cfg(test)]
mod tests;
