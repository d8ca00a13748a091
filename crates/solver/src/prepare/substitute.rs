//! Facts among the conjuncts, used in the others.
//!
//! A conjunct x = t with a variable x says what x is: x is replaced by t everywhere and the conjunct is dropped; a
//! model's x is t's value. A conjunct t = c with a literal c, and any other conjunct p (or ¬p) itself, says what t or p is
//! wherever else they occur; it stays.
//!
//! **Claim.** The result has the same models up to the variables dropped. Replacing variables: no variable is replaced by
//! a term that leads back to it through other replacements: a depth-first search over terms and replacements finds
//! those that close cycles, which are not made; their conjuncts stay. So each term s has a well-defined result s′.
//! Take a model of the new conjunction, and give each dropped variable x the value of x′. Then s and s′ have equal values,
//! by induction over the order of terms: for dropped variables by choice; for a term that a fact says the value of, since
//! the fact stays with its own outermost operator, whose arguments have the values of their results; for others by their
//! arguments. So all facts and all definitions hold. Conversely a model of the old conjunction is one of the new.

use labrys_term::{Op, Sort, Store, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::reconstruct::Step;

/// What a conjunct says of a term.
#[derive(Clone, Copy, Debug)]
enum Fact {
    /// A variable is this term.
    Definition(TermId),
    /// A term is this literal.
    Value(TermId),
}

/// The facts of a conjunction, by what they are about.
struct Facts {
    facts: FxHashMap<TermId, Fact>,
    /// The conjunct that defines each variable defined.
    sources: Vec<(TermId, TermId)>,
}

/// The conjunction with facts used, and the variables replaced. `None` if there was nothing to use.
pub(super) fn substitute(
    store: &mut Store,
    conjuncts: &[TermId],
    scope: Scope,
    steps: &mut Vec<Step>,
) -> Option<Vec<TermId>> {
    let mut facts = Facts::of(store, conjuncts, scope);
    facts.break_cycles(store);
    let mut rebuild = Rebuild { facts: facts.facts, done: FxHashMap::default() };
    let mut dropped: FxHashSet<TermId> = FxHashSet::default();
    for &(variable, conjunct) in &facts.sources {
        if let (Some(id), true) = (store.as_variable(variable), rebuild.facts.contains_key(&variable)) {
            dropped.insert(conjunct);
            steps.push(Step::Define(id, rebuild.term(store, variable)));
        }
    }
    let kept = conjuncts.iter().filter(|conjunct| !dropped.contains(conjunct));
    let result: Vec<TermId> = kept.map(|&conjunct| rebuild.conjunct(store, conjunct)).collect();
    (result != conjuncts).then_some(result)
}

/// Which facts are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Only equations of a variable: for conjunctions that may hold arrays, reals and open values.
    Definitions,
    /// All.
    All,
}

/// How often cycles are looked for before all definitions are given up.
const MOST_SEARCHES: usize = 16;

impl Facts {
    /// Reads the facts; of several about one term the first counts.
    fn of(store: &mut Store, conjuncts: &[TermId], scope: Scope) -> Facts {
        let mut found = Facts { facts: FxHashMap::default(), sources: Vec::new() };
        let (yes, no) = (store.bool_const(true), store.bool_const(false));
        for &conjunct in conjuncts {
            if scope == Scope::Definitions {
                found.definition(store, conjunct);
                continue;
            }
            let negated = match store.node(conjunct).op {
                Op::Not => Some(store.node(conjunct).args[0]),
                _ => None,
            };
            let (subject, value) = negated.map_or((conjunct, yes), |subject| (subject, no));
            if is_literal(store, subject) {
                continue;
            }
            if store.as_variable(subject).is_some() {
                found.define(subject, value, conjunct);
                continue;
            }
            found.facts.entry(subject).or_insert(Fact::Value(value));
            found.equation(store, conjunct, subject, negated.is_some());
        }
        found
    }

    /// Only an equation of a variable.
    fn definition(&mut self, store: &Store, conjunct: TermId) {
        let node = store.node(conjunct);
        let (Op::Eq, &[left, right]) = (&node.op, &node.args[..]) else { return };
        let _ = [(left, right), (right, left)]
            .iter()
            .any(|&(a, b)| store.as_variable(a).is_some() && self.define(a, b, conjunct));
    }

    /// Takes back definitions until none leads back to its variable.
    fn break_cycles(&mut self, store: &Store) {
        for _ in 0..MOST_SEARCHES {
            let closing = self.closing(store);
            if closing.is_empty() {
                return;
            }
            for variable in closing {
                self.facts.remove(&variable);
            }
        }
        self.facts.retain(|_, fact| matches!(fact, Fact::Value(_)));
    }

    /// Variables whose definitions close cycles, found by one depth-first search: for each edge back to a term under way, the
    /// last definition entered, which lies between. Removing these may leave other cycles.
    fn closing(&self, store: &Store) -> Vec<TermId> {
        let mut closing = Vec::new();
        // False while under way.
        let mut is_done: FxHashMap<TermId, bool> = FxHashMap::default();
        let mut definitions: Vec<TermId> = Vec::new();
        for &(variable, _) in &self.sources {
            let mut pending = vec![Task::Visit(variable)];
            while let Some(task) = pending.pop() {
                match task {
                    Task::Build(term) => {
                        is_done.insert(term, true);
                        if definitions.last() == Some(&term) {
                            definitions.pop();
                        }
                    }
                    Task::Visit(term) => match is_done.get(&term) {
                        Some(true) => {}
                        Some(false) => closing.extend(definitions.last()),
                        None => {
                            is_done.insert(term, false);
                            pending.push(Task::Build(term));
                            match self.facts.get(&term) {
                                Some(Fact::Value(_)) => {}
                                Some(Fact::Definition(other)) => {
                                    definitions.push(term);
                                    pending.push(Task::Visit(*other));
                                }
                                None => pending.extend(store.node(term).args.iter().map(|&arg| Task::Visit(arg))),
                            }
                        }
                    },
                }
            }
        }
        closing
    }

    fn define(&mut self, variable: TermId, term: TermId, conjunct: TermId) -> bool {
        let is_new = !self.facts.contains_key(&variable);
        if is_new {
            self.facts.insert(variable, Fact::Definition(term));
            self.sources.push((variable, conjunct));
        }
        is_new
    }

    /// An equation defines a variable, or gives a term a literal's value; so does a denied one of truth values.
    fn equation(&mut self, store: &mut Store, conjunct: TermId, subject: TermId, is_denied: bool) {
        let node = store.node(subject);
        let (Op::Eq, &[left, right]) = (&node.op, &node.args[..]) else { return };
        if is_denied && *store.sort(left) != Sort::Bool {
            return;
        }
        let orders = [(left, right), (right, left)];
        for (a, b) in orders {
            if store.as_variable(a).is_some() {
                let value = if is_denied { store.not(b) } else { b };
                if self.define(a, value, conjunct) {
                    return;
                }
            }
        }
        if is_denied {
            return;
        }
        for (a, b) in orders {
            if let Some((variable, term)) = solved(store, a, b)
                && self.define(variable, term, conjunct)
            {
                return;
            }
        }
        for (a, b) in orders {
            if is_literal(store, b) && !is_literal(store, a) {
                self.facts.entry(a).or_insert(Fact::Value(b));
            }
        }
    }
}

fn is_literal(store: &Store, term: TermId) -> bool {
    matches!(
        store.node(term).op,
        Op::BoolConst(_) | Op::BitVecConst(_) | Op::FloatConst(_) | Op::RoundingModeConst(_) | Op::RealConst(_)
    )
}

/// f(x) = t solved for a variable x, with f invertible.
fn solved(store: &mut Store, side: TermId, other: TermId) -> Option<(TermId, TermId)> {
    let node = store.node(side).clone();
    match (&node.op, &node.args[..]) {
        (Op::BvNot | Op::BvNeg | Op::FpNeg | Op::Not, &[x]) if store.as_variable(x).is_some() => {
            Some((x, store.mk(node.op.clone(), &[other])))
        }
        (Op::BvAdd | Op::BvXor, &[a, b]) => {
            let (x, rest) = if store.as_variable(a).is_some() { (a, b) } else { (b, a) };
            store.as_variable(x)?;
            let inverse = if node.op == Op::BvAdd { Op::BvSub } else { Op::BvXor };
            Some((x, store.mk(inverse, &[other, rest])))
        }
        _ => None,
    }
}

/// Terms rebuilt with facts used.
struct Rebuild {
    facts: FxHashMap<TermId, Fact>,
    /// What terms became.
    done: FxHashMap<TermId, TermId>,
}

/// A step of the traversals.
enum Task {
    Visit(TermId),
    /// All that the term needs is done.
    Build(TermId),
}

impl Rebuild {
    /// A conjunct keeps its own operator; what is below uses the facts. An equation with a literal keeps the operator
    /// of its other side too.
    fn conjunct(&mut self, store: &mut Store, conjunct: TermId) -> TermId {
        let node = store.node(conjunct).clone();
        if node.args.is_empty() {
            return self.term(store, conjunct);
        }
        if node.op == Op::Not {
            let inner = self.below(store, node.args[0]);
            return store.not(inner);
        }
        if let (Op::Eq, &[a, b]) = (&node.op, &node.args[..]) {
            let keeps = |term: TermId, other: TermId| matches!(self.facts.get(&term), Some(Fact::Value(value)) if *value == other);
            let kept = [(a, keeps(a, b)), (b, keeps(b, a))];
            let sides =
                kept.map(|(side, is_kept)| if is_kept { self.below(store, side) } else { self.term(store, side) });
            return store.mk(Op::Eq, &sides);
        }
        self.below(store, conjunct)
    }

    /// The term with its arguments rebuilt, whatever facts say of itself.
    fn below(&mut self, store: &mut Store, term: TermId) -> TermId {
        let node = store.node(term).clone();
        if node.args.is_empty() {
            return self.term(store, term);
        }
        let args: Vec<TermId> = node.args.iter().map(|&arg| self.term(store, arg)).collect();
        store.mk(node.op, &args)
    }

    fn term(&mut self, store: &mut Store, root: TermId) -> TermId {
        let mut pending = vec![Task::Visit(root)];
        while let Some(task) = pending.pop() {
            match task {
                Task::Visit(term) if self.done.contains_key(&term) => {}
                Task::Visit(term) => match self.facts.get(&term) {
                    Some(Fact::Value(value)) => {
                        self.done.insert(term, *value);
                    }
                    Some(Fact::Definition(other)) => pending.extend([Task::Build(term), Task::Visit(*other)]),
                    None => {
                        pending.push(Task::Build(term));
                        pending.extend(store.node(term).args.iter().map(|&arg| Task::Visit(arg)));
                    }
                },
                Task::Build(term) => {
                    let result = self.build(store, term);
                    self.done.insert(term, result);
                }
            }
        }
        self.done[&root]
    }

    /// What a term becomes whose arguments, or whose definition, are done.
    fn build(&self, store: &mut Store, term: TermId) -> TermId {
        if let Some(Fact::Definition(other)) = self.facts.get(&term) {
            return self.done[other];
        }
        let node = store.node(term);
        let args: SmallVec<[TermId; 4]> = node.args.iter().map(|arg| self.done[arg]).collect();
        if args[..] == node.args[..] {
            return term;
        }
        let op = node.op.clone();
        store.mk(op, &args)
    }
}
