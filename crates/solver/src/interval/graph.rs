//! The constraint graph of a query: a variable for each term, a propagator for each operator over numbers, clauses for
//! the Bool structure.
//!
//! Clauses: each Bool operator's variable is equivalent to the operator over its arguments' variables, so that models of
//! the clauses are the truth tables of the operators. Operators over numbers keep their meaning in
//! [`contract`](super::contract).

use labrys_term::{Op, Sort, Store, TermId, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::literal::{Literal, Var};
use super::places;
use crate::Query;
use crate::domain::{BitVecDomain, BoolDomain, Domain, Facts, FloatDomain, ModeDomain};

/// An operator over numbers with its variables.
#[derive(Clone, Debug)]
pub(crate) struct Propagator {
    /// The operator.
    pub op: Op,
    /// The variables it connects, each once.
    pub scope: SmallVec<[Var; 4]>,
    /// For the result and then each argument, its index in `scope`.
    pub slots: SmallVec<[u8; 5]>,
}

/// A query as variables, propagators and clauses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// Each variable's term; variables are in the store's order, arguments first.
    pub terms: Vec<TermId>,
    /// Each variable's values before anything is propagated.
    pub tops: Vec<Domain>,
    /// The operators over numbers.
    pub propagators: Vec<Propagator>,
    /// The propagators of each variable.
    pub users: Vec<SmallVec<[u32; 4]>>,
    /// The Bool structure, and the assertions.
    pub clauses: Vec<SmallVec<[Literal; 3]>>,
    /// The query's own variables, those that have domains.
    pub inputs: Vec<Var>,
    /// The Bool variables that are not inputs.
    pub atoms: Vec<Var>,
    /// Whether some term has no domain: its sort or width is outside what domains hold.
    pub opaque: bool,
    var_of: FxHashMap<TermId, Var>,
}

/// Every value of a sort, if the sort has domains.
pub(crate) fn top(sort: &Sort) -> Option<Domain> {
    Some(match sort {
        Sort::Bool => Domain::Bool(BoolDomain::Any),
        Sort::BitVec(width) if *width <= 128 => Domain::BitVec(BitVecDomain::top(*width)),
        Sort::Float(format) if FloatDomain::supports(*format) => Domain::Float(FloatDomain::top(*format)),
        Sort::RoundingMode => Domain::RoundingMode(ModeDomain::ALL),
        _ => return None,
    })
}

/// A literal's value as a domain.
fn constant(op: &Op, sort: &Sort) -> Option<Domain> {
    Some(match op {
        Op::BoolConst(true) => Domain::Bool(BoolDomain::True),
        Op::BoolConst(false) => Domain::Bool(BoolDomain::False),
        Op::FloatConst(value) => match Value::float(value.clone()) {
            Value::Float(value) => Domain::Float(FloatDomain::only(&value)),
            _ => return None,
        },
        Op::RoundingModeConst(mode) => Domain::RoundingMode(ModeDomain::only(*mode)),
        Op::BitVecConst(bits) => match sort {
            Sort::BitVec(width) => Domain::BitVec(BitVecDomain::only(*width, bits.try_into().ok()?)),
            _ => return None,
        },
        _ => return None,
    })
}

/// Arguments of an exclusive or that is told by all their values.
const MOST_OF_XOR: usize = 6;

impl Graph {
    /// The graph of a query; facts are taken into the variables' first domains.
    pub fn new(query: &Query<'_>) -> Graph {
        let mut graph = Graph::default();
        for term in query.store.reachable(query.assertions) {
            graph.add(query.store, term, query.facts);
        }
        for assertion in query.assertions {
            if let Some(&var) = graph.var_of.get(assertion) {
                graph.clauses.push([Literal::truth(var, true)].into_iter().collect());
            }
        }
        graph
    }

    /// The work of running a propagator. Floats of more than 64 bits are computed with on integers of any length, which takes that much longer.
    pub fn cost(&self, index: u32) -> u64 {
        const LONG: u64 = 16;
        let is_long = |var: &Var| matches!(&self.tops[*var as usize], Domain::Float(of) if of.format.width() > 64);
        if self.propagators[index as usize].scope.iter().any(is_long) { LONG } else { 1 }
    }

    /// The variable of a term, if the term has a domain.
    pub fn var(&self, term: TermId) -> Option<Var> {
        self.var_of.get(&term).copied()
    }

    fn add(&mut self, store: &Store, term: TermId, facts: &Facts) {
        let node = store.node(term);
        let Some(mut domain) = top(&node.sort) else {
            self.opaque = true;
            return;
        };
        if let Some(constant) = constant(&node.op, &node.sort) {
            domain = constant;
        }
        if let Some(fact) = facts.domains.get(&term) {
            // A fact of another sort or width would be the caller's error; it is passed over.
            if places::last_place(fact) == places::last_place(&domain)
                && std::mem::discriminant(fact) == std::mem::discriminant(&domain)
            {
                domain = domain.intersect(fact);
            }
        }
        let var = self.terms.len() as Var;
        self.terms.push(term);
        self.tops.push(domain);
        self.users.push(SmallVec::new());
        self.var_of.insert(term, var);
        match node.op {
            Op::Variable(_) => self.inputs.push(var),
            _ if node.args.is_empty() => {}
            _ => {
                if node.sort == Sort::Bool {
                    self.atoms.push(var);
                }
                self.connect(store, &node.op, var, &node.args);
            }
        }
    }

    fn connect(&mut self, store: &Store, op: &Op, result: Var, args: &[TermId]) {
        let vars: Option<SmallVec<[Var; 4]>> = args.iter().map(|arg| self.var(*arg)).collect();
        // An argument without a domain: nothing is known of the result.
        let Some(vars) = vars else { return };
        let over_bools = args.iter().all(|arg| *store.sort(*arg) == Sort::Bool);
        match op {
            Op::Not | Op::And | Op::Or | Op::Xor | Op::Implies | Op::Ite | Op::Eq if over_bools => {
                self.define(op, result, &vars);
            }
            _ => self.propagate_by(op, result, &vars),
        }
    }

    fn propagate_by(&mut self, op: &Op, result: Var, args: &[Var]) {
        let mut scope: SmallVec<[Var; 4]> = SmallVec::new();
        let mut slots = SmallVec::new();
        for var in std::iter::once(&result).chain(args) {
            let slot = scope.iter().position(|known| known == var).unwrap_or_else(|| {
                scope.push(*var);
                scope.len() - 1
            });
            // Only `distinct` has so many arguments; without a propagator it is only checked in the end.
            let Ok(slot) = u8::try_from(slot) else { return };
            slots.push(slot);
        }
        let index = self.propagators.len() as u32;
        for var in &scope {
            self.users[*var as usize].push(index);
        }
        self.propagators.push(Propagator { op: op.clone(), scope, slots });
    }

    /// Adds the clauses that say `result` ⇔ op(args), all of them Bool. Of a sum of many there are none: preparation takes them apart.
    fn define(&mut self, op: &Op, result: Var, args: &[Var]) {
        let lit = Literal::truth;
        let mut clause = |literals: &[Literal]| self.clauses.push(literals.iter().copied().collect());
        match (op, args) {
            (Op::And | Op::Or, _) => {
                // or(a…) is ¬and(¬a…): the same clauses with all signs turned.
                let and = *op == Op::And;
                for arg in args {
                    clause(&[lit(result, !and), lit(*arg, and)]);
                }
                let mut long: SmallVec<[Literal; 3]> = args.iter().map(|arg| lit(*arg, !and)).collect();
                long.push(lit(result, and));
                self.clauses.push(long);
            }
            (Op::Not, [a]) => {
                clause(&[lit(result, true), lit(*a, true)]);
                clause(&[lit(result, false), lit(*a, false)]);
            }
            (Op::Implies, [a, b]) => {
                clause(&[lit(result, true), lit(*a, true)]);
                clause(&[lit(result, true), lit(*b, false)]);
                clause(&[lit(result, false), lit(*a, false), lit(*b, true)]);
            }
            (Op::Eq, [_, _]) | (Op::Xor, _) if args.len() <= MOST_OF_XOR => {
                let differ = *op == Op::Xor;
                for values in 0..1u32 << args.len() {
                    let value = |place: usize| values >> place & 1 == 1;
                    let mut long: SmallVec<[Literal; 3]> =
                        args.iter().enumerate().map(|(place, arg)| lit(*arg, !value(place))).collect();
                    long.push(lit(result, (values.count_ones() % 2 == 1) == differ));
                    clause(&long);
                }
            }
            (Op::Ite, [c, a, b]) => {
                for value in [false, true] {
                    clause(&[lit(*c, false), lit(*a, !value), lit(result, value)]);
                    clause(&[lit(*c, true), lit(*b, !value), lit(result, value)]);
                    clause(&[lit(*a, !value), lit(*b, !value), lit(result, value)]);
                }
            }
            _ => {}
        }
    }
}
