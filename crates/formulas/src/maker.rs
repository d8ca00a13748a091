//! The growth of a formula: variables, literals, terms over them, then constraints.

use std::sync::Arc;

use labrys_float::Format;
use labrys_term::{EvalError, Evaluator, Memo, Model, Op, Sort, Store, TermId, Value};

use crate::{Formula, Random, Shape, Terms};

/// A formula under construction, with the assignment that is planted in it.
pub(crate) struct Maker<'a> {
    pub random: Random,
    pub store: Store,
    pub shape: &'a Shape,
    /// One or two.
    pub formats: Vec<Format>,
    /// Terms that others are made of, in the order in which they were made.
    pub pool: Vec<TermId>,
    model: Model,
    memo: Memo,
}

impl Formula {
    /// The formula of a seed, true under its model.
    pub fn planted(seed: u64, shape: &Shape) -> Formula {
        Maker::new(seed, shape).planted()
    }

    /// The formula of a seed, true under some assignment or none.
    pub fn free(seed: u64, shape: &Shape) -> Formula {
        Maker::new(seed, shape).free()
    }
}

impl Terms {
    /// The terms of a seed.
    pub fn grown(seed: u64, shape: &Shape) -> Terms {
        let mut maker = Maker::new(seed, shape);
        maker.grown();
        Terms { store: maker.store, terms: maker.pool, model: maker.model }
    }
}

impl<'a> Maker<'a> {
    /// Nothing but the formats chosen.
    pub fn new(seed: u64, shape: &'a Shape) -> Maker<'a> {
        let mut random = Random::new(seed);
        let count = shape.formats.len();
        let mut formats: Vec<Format> = (0..2).map(|_| shape.format(random.within(0..count))).collect();
        formats.dedup();
        Maker {
            random,
            store: Store::new(),
            shape,
            formats,
            pool: Vec::new(),
            model: Model::new(),
            memo: Memo::default(),
        }
    }

    /// A formula that is true under its model.
    pub fn planted(mut self) -> Formula {
        let variables = self.grown();
        let assertions = self.true_constraints();
        Formula { store: self.store, assertions, variables, model: Some(self.model) }
    }

    /// A formula that may be anything.
    pub fn free(mut self) -> Formula {
        let variables = self.grown();
        let assertions = self.constraints();
        Formula { store: self.store, assertions, variables, model: None }
    }

    fn grown(&mut self) -> Vec<TermId> {
        let variables = self.variables();
        for sort in self.common_sorts() {
            for _ in 0..=self.below(2) {
                let literal = self.literal(&sort);
                self.pool.push(literal);
            }
        }
        for _ in 0..self.random.within(self.shape.terms.clone()) {
            self.grow();
        }
        variables
    }

    /// A number from 0 on.
    pub fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    /// Whether one case in so many comes up.
    pub fn chance(&mut self, among: usize) -> bool {
        self.below(among) == 0
    }

    /// One of some.
    pub fn one_of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    /// The term; arguments fit by construction.
    pub fn mk(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.store.mk(op, args)
    }

    /// The sorts of numbers that this formula is about.
    fn common_sorts(&mut self) -> Vec<Sort> {
        let mut sorts: Vec<Sort> = self.formats.iter().map(|format| Sort::Float(*format)).collect();
        sorts.extend(
            self.pool.iter().map(|&term| self.store.sort(term).clone()).filter(|s| matches!(s, Sort::BitVec(_))),
        );
        sorts.push(Sort::RoundingMode);
        sorts
    }

    /// Variables of every kind, as many as their bits allow.
    fn variables(&mut self) -> Vec<TermId> {
        let mut sorts = Vec::new();
        for format in self.formats.clone() {
            sorts.extend((0..=self.below(2)).map(|_| Sort::Float(format)));
        }
        for _ in 0..=self.below(3) {
            let width = self.one_of(&self.shape.widths.clone());
            sorts.extend((0..=self.below(2)).map(|_| Sort::BitVec(width)));
        }
        sorts.extend([Sort::BitVec(1), Sort::RoundingMode, Sort::Bool].into_iter().filter(|_| self.random.likely(0.4)));
        if self.shape.arrays && self.chance(2) {
            let sort = self.array_sort();
            sorts.push(sort);
        }
        // Any order, so that what does not fit is of any kind.
        for i in (1..sorts.len()).rev() {
            let j = self.below(i + 1);
            sorts.swap(i, j);
        }
        let mut left = self.shape.variable_bits;
        sorts.retain(|sort| match left.checked_sub(width_of(sort)) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        });
        let mut variables = Vec::new();
        for (index, sort) in sorts.into_iter().enumerate() {
            let variable = self.store.variable(&format!("v{index}"), sort.clone());
            let value = self.value(&sort);
            self.model.set_term(&self.store, variable, value);
            variables.push(variable);
        }
        self.pool.extend_from_slice(&variables);
        variables
    }

    fn array_sort(&mut self) -> Sort {
        let small = self.shape.variable_bits < 64;
        let (index, element) = match self.below(6) {
            _ if small => (Sort::BitVec(2), Sort::BitVec(2)),
            0 | 1 => (Sort::BitVec(32), Sort::BitVec(8)),
            2 => (Sort::BitVec(64), Sort::BitVec(8)),
            3 => (Sort::BitVec(3), Sort::BitVec(8)),
            4 => (Sort::BitVec(16), Sort::BitVec(self.one_of(&[1, 16, 33]))),
            _ => (Sort::BitVec(8), Sort::Float(self.formats[0])),
        };
        Sort::Array(Arc::new((index, element)))
    }

    fn grow(&mut self) {
        let term = match self.below(16) {
            0..=2 => self.float_arithmetic(),
            3 | 4 => self.float_predicate(),
            5 => self.float_sign_or_choice(),
            6 | 7 => self.conversion(),
            8 | 9 => self.vector_arithmetic(),
            10 | 11 => self.vector_shape(),
            12 => self.vector_predicate(),
            13 => self.connective(),
            14 => self.choice(),
            _ => self.memory(),
        };
        self.pool.push(term);
    }

    /// Members of the pool of a sort.
    pub fn members(&self, sort: &Sort) -> Vec<TermId> {
        self.pool.iter().copied().filter(|&term| self.store.sort(term) == sort).collect()
    }

    /// A member of the pool of a sort, later ones more often; now and then, and where there is none, a literal.
    pub fn member(&mut self, sort: &Sort) -> TermId {
        let fitting = self.members(sort);
        if fitting.is_empty() || self.chance(12) {
            return self.literal(sort);
        }
        let (one, other) = (self.below(fitting.len()), self.below(fitting.len()));
        fitting[one.max(other)]
    }

    /// A term's value under the planted model; values that the standard leaves open are planted as they are met. `None`
    /// where a value stays open: over the reals.
    pub fn planted_value(&mut self, term: TermId) -> Option<Value> {
        // Each round settles one open value.
        for _ in 0..64 {
            let memo = std::mem::take(&mut self.memo);
            let mut evaluator = Evaluator::resume(&self.store, &self.model, memo);
            match evaluator.value(term) {
                Ok(value) => {
                    self.memo = evaluator.pause();
                    return Some(value);
                }
                Err(EvalError::Open(open)) => {
                    let node = self.store.node(open).clone();
                    let arguments: Option<Vec<Value>> =
                        node.args.iter().map(|arg| evaluator.value(*arg).ok()).collect();
                    drop(evaluator);
                    let value = match node.op {
                        Op::FpMin | Op::FpMax => {
                            let Sort::Float(format) = node.sort else { return None };
                            Value::Float(labrys_float::Float::zero(format, self.chance(2)))
                        }
                        Op::FpToSigned(_) | Op::FpToUnsigned(_) => self.value(&node.sort),
                        _ => return None,
                    };
                    self.model.set_open(node.op, arguments?, value);
                }
                Err(_) => return None,
            }
        }
        None
    }
}

/// The bits of a variable of a sort; of an array, those of its elements.
fn width_of(sort: &Sort) -> u32 {
    match sort {
        Sort::Bool => 1,
        Sort::RoundingMode => 3,
        Sort::BitVec(width) => *width,
        Sort::Float(format) => format.width(),
        Sort::Array(sorts) => match sorts.0 {
            Sort::BitVec(width) if width < 8 => width_of(&sorts.1) << width,
            _ => 4096,
        },
        Sort::Real => 64,
    }
}
