//! Conjunctions of comparisons of doubles, for tests of what refutes them.

use labrys_float::{Float, Format, RoundingMode};
use labrys_term::{Op, Sort, Store, TermId};

/// A conjunction that is written down term by term.
pub(crate) struct Query {
    pub(crate) store: Store,
    pub(crate) terms: Vec<TermId>,
}

impl Query {
    pub(crate) fn new() -> Query {
        Query { store: Store::new(), terms: Vec::new() }
    }

    pub(crate) fn variable(&mut self, name: &str) -> TermId {
        self.store.variable(name, Sort::Float(Format::BINARY64))
    }

    /// A double between two.
    pub(crate) fn between(&mut self, name: &str, low: f64, high: f64) -> TermId {
        let variable = self.variable(name);
        let [low, high] = [low, high].map(|end| self.number(end));
        self.le(low, variable);
        self.le(variable, high);
        variable
    }

    pub(crate) fn number(&mut self, value: f64) -> TermId {
        self.store.float_const(Float::from_f64(value))
    }

    pub(crate) fn op(&mut self, op: Op, operands: &[TermId]) -> TermId {
        self.op_in(RoundingMode::NearestEven, op, operands)
    }

    pub(crate) fn op_in(&mut self, mode: RoundingMode, op: Op, operands: &[TermId]) -> TermId {
        let mode = self.store.rounding_mode(mode);
        let args: Vec<TermId> = [&[mode], operands].concat();
        self.store.mk(op, &args)
    }

    pub(crate) fn le(&mut self, a: TermId, b: TermId) {
        self.terms.push(self.store.mk(Op::FpLe, &[a, b]));
    }

    pub(crate) fn lt(&mut self, a: TermId, b: TermId) {
        self.terms.push(self.store.mk(Op::FpLt, &[a, b]));
    }

    pub(crate) fn differ(&mut self, sides: [TermId; 2]) {
        let equal = self.store.mk(Op::FpEq, &sides);
        self.terms.push(self.store.not(equal));
    }
}
