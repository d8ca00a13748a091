//! Delta debugging over terms (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE 2002): fewer
//! conjuncts, and smaller ones.
//!
//! A step replaces a term everywhere by its planted value, by a new variable of that value, or by an argument of its sort; it is
//! kept if every conjunct is still true under the planted model and `fails` says yes. So the end is a formula with a model
//! on which the same thing goes wrong.

use labrys_term::{Evaluator, Op, Store, TermId, Value};
use rustc_hash::FxHashMap;

use crate::Formula;

/// How often all terms are gone through at most.
const MOST_ROUNDS: usize = 12;

/// A formula at most as large on which `fails` holds, if it holds on the given one; without a planted model only conjuncts
/// are left out.
pub fn shrink(formula: &Formula, mut fails: impl FnMut(&Formula) -> bool) -> Formula {
    let mut best = formula.clone();
    for _ in 0..MOST_ROUNDS {
        let before = size(&best);
        drop_assertions(&mut best, &mut fails);
        replace_terms(&mut best, &mut fails);
        if size(&best) == before {
            break;
        }
    }
    let used = best.store.free_variables(&best.assertions);
    best.variables = used.into_iter().map(|variable| best.store.variable_term(variable)).collect();
    best
}

/// The number of terms, and of arguments.
fn size(formula: &Formula) -> (usize, usize) {
    let terms = formula.store.reachable(&formula.assertions);
    (terms.len(), terms.iter().map(|&term| formula.store.node(term).args.len()).sum())
}

fn drop_assertions(best: &mut Formula, fails: &mut impl FnMut(&Formula) -> bool) {
    let mut place = 0;
    while place < best.assertions.len() && best.assertions.len() > 1 {
        let mut smaller = best.clone();
        smaller.assertions.remove(place);
        if fails(&smaller) {
            *best = smaller;
        } else {
            place += 1;
        }
    }
}

/// Tries each term once, the latest first: what stands high replaces most.
fn replace_terms(best: &mut Formula, fails: &mut impl FnMut(&Formula) -> bool) {
    if best.model.is_none() {
        return;
    }
    let mut terms = best.store.reachable(&best.assertions);
    while let Some(term) = terms.pop() {
        let node = best.store.node(term).clone();
        if node.args.is_empty() && !matches!(node.op, Op::Variable(_)) {
            continue;
        }
        for candidate in candidates(best, term) {
            if fails(&candidate) {
                *best = candidate;
                break;
            }
        }
        let left: rustc_hash::FxHashSet<TermId> = best.store.reachable(&best.assertions).into_iter().collect();
        terms.retain(|term| left.contains(term));
    }
}

/// The formula with a term replaced, wherever that leaves every conjunct true; the smallest first.
fn candidates(formula: &Formula, term: TermId) -> Vec<Formula> {
    let mut formula = formula.clone();
    let node = formula.store.node(term).clone();
    let mut replacements: Vec<TermId> = Vec::new();
    if let Some(value) = value_of(&formula, term) {
        replacements.extend(formula.store.literal(&value));
        if !node.args.is_empty() {
            let name = format!("s{}", formula.store.variable_count());
            let variable = formula.store.variable(&name, node.sort.clone());
            if let Some(model) = &mut formula.model {
                model.set_term(&formula.store, variable, value);
            }
            replacements.push(variable);
        }
    }
    replacements.extend(node.args.iter().copied().filter(|&arg| *formula.store.sort(arg) == node.sort));
    let mut found = Vec::new();
    for replacement in replacements {
        if let Some(next) = replaced(&formula, term, replacement) {
            found.push(next);
        }
    }
    // Fewer arguments, where the operator and the sorts allow it.
    if matches!(node.op, Op::And | Op::Or | Op::Distinct | Op::Xor) && node.args.len() > 2 {
        for place in 0..node.args.len() {
            let mut args = node.args.clone();
            args.remove(place);
            let mut formula = formula.clone();
            let fewer = formula.store.mk(node.op.clone(), &args);
            found.extend(replaced(&formula, term, fewer));
        }
    }
    found
}

/// The formula with one term in place of another, if every conjunct is true under the model.
fn replaced(formula: &Formula, term: TermId, by: TermId) -> Option<Formula> {
    let mut next = formula.clone();
    let mut images: FxHashMap<TermId, TermId> = FxHashMap::from_iter([(term, by)]);
    for old in formula.store.reachable(&formula.assertions) {
        if images.contains_key(&old) {
            continue;
        }
        let node = formula.store.node(old);
        let args: Vec<TermId> = node.args.iter().map(|arg| images.get(arg).copied().unwrap_or(*arg)).collect();
        if args.as_slice() != node.args.as_slice() {
            let image = next.store.try_mk(node.op.clone(), &args).ok()?;
            images.insert(old, image);
        }
    }
    next.assertions = formula.assertions.iter().map(|term| images.get(term).copied().unwrap_or(*term)).collect();
    let is_true = |term: &TermId| next.store.node(*term).op == Op::BoolConst(true);
    let kept: Vec<TermId> = next.assertions.iter().copied().filter(|term| !is_true(term)).collect();
    next.assertions = kept;
    let model = next.model.as_ref()?;
    let mut evaluator = Evaluator::new(&next.store, model);
    let holds = next.assertions.iter().all(|&assertion| evaluator.holds(assertion) == Ok(true));
    drop(evaluator);
    (holds && (size(&next) < size(formula) || is_simpler(&formula.store, term, by))).then_some(next)
}

/// Whether a literal or a variable stands where something larger stood.
fn is_simpler(store: &Store, term: TermId, by: TermId) -> bool {
    let weight = |term: TermId| match store.node(term).op {
        Op::Variable(_) => 1,
        _ if store.node(term).args.is_empty() => 0,
        _ => 2,
    };
    by.index() < store.len() && weight(by) < weight(term)
}

fn value_of(formula: &Formula, term: TermId) -> Option<Value> {
    let model = formula.model.as_ref()?;
    Evaluator::new(&formula.store, model).value(term).ok()
}
