//! Random queries over few and narrow variables.

use labrys_formulas::{Random, VECTOR_OPERATORS};
use labrys_term::{Evaluator, Model, Op, Sort, Store, TermId, Value};

/// A store with two bit vectors of `width` bits, a Bool and a rounding mode, and terms made of them.
pub(super) struct Terms {
    pub(super) store: Store,
    pub(super) variables: Vec<TermId>,
    words: Vec<TermId>,
    pub(super) bools: Vec<TermId>,
}

impl Terms {
    pub(super) fn new(random: &mut Random, width: u32, steps: usize) -> Terms {
        let mut store = Store::new();
        let (a, b) = (store.variable("a", Sort::BitVec(width)), store.variable("b", Sort::BitVec(width)));
        let (p, mode) = (store.variable("p", Sort::Bool), store.variable("m", Sort::RoundingMode));
        let up = store.rounding_mode(labrys_float::RoundingMode::TowardPositive);
        let is_up = store.mk(Op::Eq, &[mode, up]);
        let literal = store.bv_const(width, random.below(1 << width) as u64);
        let mut terms =
            Terms { store, variables: vec![a, b, p, mode], words: vec![a, b, literal], bools: vec![p, is_up] };
        for _ in 0..steps {
            terms.grow(random, width);
        }
        terms
    }

    /// One more term.
    fn grow(&mut self, random: &mut Random, width: u32) {
        let (x, y) = (random.pick(&self.words), random.pick(&self.words));
        let (p, q) = (random.pick(&self.bools), random.pick(&self.bools));
        let store = &mut self.store;
        if random.below(3) == 0 {
            let words = [Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle, Op::Eq, Op::Distinct];
            let made = match random.below(12) {
                0 => store.mk(Op::Not, &[p]),
                1 => store.mk(Op::And, &[p, q]),
                2 => store.mk(Op::Or, &[p, q]),
                3 => store.mk(Op::Xor, &[p, q]),
                4 => store.mk(Op::Implies, &[p, q]),
                5 => store.mk(Op::Eq, &[p, q]),
                _ => store.mk(random.pick(&words), &[x, y]),
            };
            return self.bools.push(made);
        }
        let made = match random.below(20) {
            0 => store.mk(Op::BvNot, &[x]),
            1 => store.mk(Op::BvNeg, &[x]),
            2 => store.mk(Op::Ite, &[p, x, y]),
            3 => {
                let both = store.mk(Op::Concat, &[x, y]);
                let low = random.within(0..=width);
                store.mk(Op::Extract { high: low + width - 1, low }, &[both])
            }
            4 => {
                let wider = store.mk(random.pick(&[Op::ZeroExtend(2), Op::SignExtend(2)]), &[x]);
                store.mk(Op::Extract { high: width + 1, low: 2 }, &[wider])
            }
            _ => store.mk(random.pick(&VECTOR_OPERATORS), &[x, y]),
        };
        self.words.push(made);
    }

    /// All models of the variables.
    pub(super) fn models(&self, width: u32) -> Vec<Model> {
        let mut models = Vec::new();
        for a in 0..1u64 << width {
            for b in 0..1u64 << width {
                for p in [false, true] {
                    for mode in labrys_float::RoundingMode::ALL {
                        let values = [
                            Value::bit_vector(width, a),
                            Value::bit_vector(width, b),
                            Value::Bool(p),
                            Value::RoundingMode(mode),
                        ];
                        let mut model = Model::new();
                        for (variable, value) in self.variables.iter().zip(values) {
                            model.set_term(&self.store, *variable, value);
                        }
                        models.push(model);
                    }
                }
            }
        }
        models
    }

    /// Whether a model satisfies all of them.
    pub(super) fn holds(&self, model: &Model, terms: &[TermId]) -> bool {
        let mut model = model.clone();
        model.complete(&self.store, terms);
        let mut evaluator = Evaluator::new(&self.store, &model);
        terms.iter().all(|term| evaluator.holds(*term) == Ok(true))
    }
}
