//! The abstraction that reads Float terms as Real ones.
//!
//! Every operation is taken to be exact and every value to be a finite number, as in Barr, Vo, Le, Su, "Automatic
//! detection of floating-point exceptions" (POPL 2013, section 4). The result is neither weaker nor stronger than the
//! original: a solution over the reals is only a place to look for one over the floats, and the lack of one proves
//! nothing.
//!
//! Nothing is simplified and operands keep their order: formulas are counted, and structurally equal ones once.

use labrys_float::Float;
use num_rational::BigRational;
use num_traits::Zero;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{Op, Sort, Store, TermId, Value, VariableId};

/// Why a term has no reading over the reals: this subterm has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("term {} has no reading over the reals", .0.index())]
pub struct NotReal(pub TermId);

/// A memo of readings. Its terms belong to one store.
#[derive(Clone, Debug, Default)]
pub struct Abstraction {
    memo: FxHashMap<TermId, Result<TermId, NotReal>>,
    /// Real variable to the Float variable that it reads.
    originals: FxHashMap<VariableId, VariableId>,
    /// Square roots found so far, by the Real reading of their operand.
    roots: FxHashMap<TermId, TermId>,
    /// What defines the square roots, in the order in which they were found, by the root's variable.
    conditions: Vec<(TermId, TermId)>,
}

impl Abstraction {
    /// An abstraction that has read nothing.
    pub fn new() -> Abstraction {
        Abstraction::default()
    }

    /// Reads a Float term as a Real one, or a Bool term over floats as one over reals.
    ///
    /// A Float variable `x` becomes the Real variable `x!real`; Bool variables stay.
    ///
    /// # Errors
    ///
    /// If a subterm has no reading: infinities, NaNs, bit vectors, roundings to an integer, remainders, arrays.
    pub fn term(&mut self, store: &mut Store, term: TermId) -> Result<TermId, NotReal> {
        let mut pending = vec![term];
        while let Some(&next) = pending.last() {
            if self.memo.contains_key(&next) {
                pending.pop();
                continue;
            }
            let args = operands(store, next);
            let before = pending.len();
            pending.extend(args.iter().filter(|arg| !self.memo.contains_key(arg)));
            if pending.len() > before {
                continue;
            }
            let readings: Result<SmallVec<[TermId; 4]>, NotReal> =
                args.iter().map(|arg| self.memo.get(arg).copied().unwrap_or(Err(NotReal(*arg)))).collect();
            let reading = readings.and_then(|readings| self.read(store, next, &readings));
            self.memo.insert(next, reading);
            pending.pop();
        }
        self.memo.get(&term).copied().unwrap_or(Err(NotReal(term)))
    }

    /// The Float variable that a Real variable reads.
    pub fn original(&self, variable: VariableId) -> Option<VariableId> {
        self.originals.get(&variable).copied()
    }

    /// What defines the square roots of all terms read so far: d ≥ 0 and d·d = x for each.
    pub fn side_conditions(&self) -> Vec<TermId> {
        self.conditions.iter().map(|(_, condition)| *condition).collect()
    }

    /// The side conditions that matter to `terms`: those of the roots they contain, and of the roots within these.
    pub fn side_conditions_of(&self, store: &Store, terms: &[TermId]) -> Vec<TermId> {
        let mut needed = terms.to_vec();
        let mut chosen = vec![false; self.conditions.len()];
        // A root's operand was read before the root, so one sweep from the last root to the first reaches all.
        let mut seen: rustc_hash::FxHashSet<TermId> = store.reachable(&needed).into_iter().collect();
        for (i, (root, condition)) in self.conditions.iter().enumerate().rev() {
            if seen.contains(root) {
                chosen[i] = true;
                needed = vec![*condition];
                seen.extend(store.reachable(&needed));
            }
        }
        let conditions = self.conditions.iter().zip(&chosen);
        conditions.filter(|(_, chosen)| **chosen).map(|((_, condition), _)| *condition).collect()
    }

    /// The reading of a term, given those of its operands.
    fn read(&mut self, store: &mut Store, term: TermId, args: &[TermId]) -> Result<TermId, NotReal> {
        let node = store.node(term);
        let (op, sort) = (node.op.clone(), node.sort.clone());
        let reading = match op {
            Op::Variable(variable) => match sort {
                Sort::Float(_) => self.variable(store, variable),
                Sort::Bool | Sort::Real => term,
                _ => return Err(NotReal(term)),
            },
            Op::FloatConst(value) => match value.to_rational() {
                Some(value) => store.real_const(value),
                None => return Err(NotReal(term)),
            },
            Op::BoolConst(_) | Op::RealConst(_) => term,
            Op::Not | Op::And | Op::Or | Op::Xor | Op::Implies | Op::Eq | Op::Distinct | Op::Ite => store.mk(op, args),
            Op::RealAdd | Op::RealSub | Op::RealMul | Op::RealDiv | Op::RealNeg | Op::RealAbs => store.mk(op, args),
            Op::RealLt | Op::RealLe => store.mk(op, args),
            Op::FpAdd => store.mk(Op::RealAdd, args),
            Op::FpSub => store.mk(Op::RealSub, args),
            Op::FpMul => store.mk(Op::RealMul, args),
            Op::FpDiv => store.mk(Op::RealDiv, args),
            Op::FpNeg => store.mk(Op::RealNeg, args),
            Op::FpAbs => store.mk(Op::RealAbs, args),
            Op::FpFma => {
                let product = store.mk(Op::RealMul, &args[..2]);
                store.mk(Op::RealAdd, &[product, args[2]])
            }
            Op::FpSqrt => self.root(store, args[0]),
            Op::FpMin | Op::FpMax => {
                let less = store.mk(Op::RealLt, &args[..2]);
                let (low, high) = if op == Op::FpMin { (args[0], args[1]) } else { (args[1], args[0]) };
                store.mk(Op::Ite, &[less, low, high])
            }
            Op::FpFromFloat(_) | Op::FpFromReal(_) | Op::FpToReal => args[0],
            Op::FpEq => store.mk(Op::Eq, args),
            Op::FpLt => store.mk(Op::RealLt, args),
            Op::FpLe => store.mk(Op::RealLe, args),
            Op::FpIsNan | Op::FpIsInfinite => store.bool_const(false),
            _ => return self.classify(store, term, args),
        };
        Ok(reading)
    }

    /// The readings of the classification predicates; the thresholds are the operand's format's.
    fn classify(&self, store: &mut Store, term: TermId, args: &[TermId]) -> Result<TermId, NotReal> {
        let node = store.node(term);
        let (op, operand) = (node.op.clone(), node.args.first().copied());
        let Some(format) = operand.and_then(|operand| store.float_format(operand)) else { return Err(NotReal(term)) };
        let zero = store.real_const(BigRational::zero());
        let smallest_normal = Float::min_normal(format).to_rational().unwrap_or_else(BigRational::zero);
        let reading = match op {
            Op::FpIsZero => store.mk(Op::Eq, &[args[0], zero]),
            Op::FpIsNegative => store.mk(Op::RealLt, &[args[0], zero]),
            Op::FpIsPositive => store.mk(Op::RealLt, &[zero, args[0]]),
            Op::FpIsNormal | Op::FpIsSubnormal => {
                let magnitude = store.mk(Op::RealAbs, &[args[0]]);
                let threshold = store.real_const(smallest_normal);
                if op == Op::FpIsNormal {
                    store.mk(Op::RealLe, &[threshold, magnitude])
                } else {
                    let positive = store.mk(Op::RealLt, &[zero, magnitude]);
                    let small = store.mk(Op::RealLt, &[magnitude, threshold]);
                    store.mk(Op::And, &[positive, small])
                }
            }
            _ => return Err(NotReal(term)),
        };
        Ok(reading)
    }

    fn variable(&mut self, store: &mut Store, variable: VariableId) -> TermId {
        let name = format!("{}!real", store.variable_info(variable).0);
        let reading = store.variable(&name, Sort::Real);
        if let Some(real) = store.as_variable(reading) {
            self.originals.insert(real, variable);
        }
        reading
    }

    /// A fresh variable d with d ≥ 0 and d·d = x.
    fn root(&mut self, store: &mut Store, operand: TermId) -> TermId {
        if let Some(&root) = self.roots.get(&operand) {
            return root;
        }
        // The operand's id makes the name unique in the store and the same whenever the same term is read again.
        let root = store.variable(&format!("sqrt!{}", operand.index()), Sort::Real);
        let zero = store.real_const(BigRational::zero());
        let sign = store.mk(Op::RealLe, &[zero, root]);
        let square = store.mk(Op::RealMul, &[root, root]);
        let definition = store.mk(Op::Eq, &[square, operand]);
        let condition = store.mk(Op::And, &[sign, definition]);
        self.roots.insert(operand, root);
        self.conditions.push((root, condition));
        root
    }

    /// The values of Real variables that Float values are, for checking a formula's reading at a float input.
    pub fn value_of(value: &Value) -> Option<Value> {
        match value {
            Value::Float(float) => float.to_rational().map(Value::Real),
            Value::Bool(_) | Value::Real(_) => Some(value.clone()),
            _ => None,
        }
    }
}

/// The arguments of a term that are read: all but the rounding mode.
fn operands(store: &Store, term: TermId) -> SmallVec<[TermId; 4]> {
    let node = store.node(term);
    let rounds = node.args.first().is_some_and(|&first| *store.sort(first) == Sort::RoundingMode);
    let skip = rounds && !matches!(node.op, Op::Eq | Op::Distinct | Op::Ite);
    node.args.iter().skip(usize::from(skip)).copied().collect()
}

#[cfg(test)]
mod tests {
    use labrys_float::{Format, RoundingMode};

    use super::*;
    use crate::{Model, eval};

    const DOUBLE: Sort = Sort::Float(Format::BINARY64);

    #[test]
    fn operand_order_and_structure_are_kept() {
        let mut store = Store::new();
        let (x, y) = (store.variable("x", DOUBLE), store.variable("y", DOUBLE));
        let mode = store.rounding_mode(RoundingMode::NearestEven);
        let sum = store.mk(Op::FpAdd, &[mode, y, x]);
        let product = store.mk(Op::FpMul, &[mode, sum, sum]);
        let less = store.mk(Op::FpLt, &[product, x]);
        let mut abstraction = Abstraction::new();
        let read = abstraction.term(&mut store, less).unwrap();
        let (xr, yr) = (store.variable("x!real", Sort::Real), store.variable("y!real", Sort::Real));
        let sum = store.mk(Op::RealAdd, &[yr, xr]);
        let product = store.mk(Op::RealMul, &[sum, sum]);
        assert_eq!(read, store.mk(Op::RealLt, &[product, xr]));
        let original = abstraction.original(store.as_variable(xr).unwrap());
        assert_eq!(original, store.as_variable(x));
        assert!(abstraction.side_conditions().is_empty());
    }

    #[test]
    fn infinities_and_bit_vectors_have_no_reading() {
        let mut store = Store::new();
        let infinity = store.float_const(Float::infinity(Format::BINARY64, false));
        let x = store.variable("x", DOUBLE);
        let equal = store.mk(Op::FpEq, &[x, infinity]);
        let mut abstraction = Abstraction::new();
        assert_eq!(abstraction.term(&mut store, equal), Err(NotReal(infinity)));
        let bits = store.mk(Op::FpToBits, &[x]);
        assert_eq!(abstraction.term(&mut store, bits), Err(NotReal(bits)));
        let mode = store.variable("m", Sort::RoundingMode);
        let same = store.mk(Op::Eq, &[mode, mode]);
        assert_eq!(abstraction.term(&mut store, same), Err(NotReal(mode)));
    }

    #[test]
    fn roots_bring_their_conditions() {
        let mut store = Store::new();
        let x = store.variable("x", DOUBLE);
        let mode = store.rounding_mode(RoundingMode::NearestEven);
        let root = store.mk(Op::FpSqrt, &[mode, x]);
        let nested = store.mk(Op::FpSqrt, &[mode, root]);
        let other = store.mk(Op::FpNeg, &[x]);
        let other = store.mk(Op::FpSqrt, &[mode, other]);
        let mut abstraction = Abstraction::new();
        let read = abstraction.term(&mut store, nested).unwrap();
        let other = abstraction.term(&mut store, other).unwrap();
        assert_eq!(abstraction.side_conditions().len(), 3);
        let conditions = abstraction.side_conditions_of(&store, &[read]);
        assert_eq!(conditions, abstraction.side_conditions()[..2]);
        assert_eq!(abstraction.side_conditions_of(&store, &[other]), abstraction.side_conditions()[2..]);

        let inner = abstraction.term(&mut store, root).unwrap();
        let x = store.variable("x!real", Sort::Real);
        let mut model = Model::new();
        for (term, number) in [(x, 16), (inner, 4), (read, 2)] {
            model.set_term(&store, term, Value::Real(BigRational::from_integer(number.into())));
        }
        for condition in conditions {
            assert_eq!(eval(&store, condition, &model), Ok(Value::Bool(true)));
        }
        model.set_term(&store, read, Value::Real(BigRational::from_integer((-2).into())));
        assert_eq!(eval(&store, abstraction.side_conditions()[1], &model), Ok(Value::Bool(false)));
    }

    #[test]
    fn depth_does_not_matter() {
        let mut store = Store::new();
        let x = store.variable("x", DOUBLE);
        let mode = store.rounding_mode(RoundingMode::NearestEven);
        let mut term = x;
        for _ in 0..100_000 {
            term = store.mk(Op::FpAdd, &[mode, term, x]);
        }
        assert!(Abstraction::new().term(&mut store, term).is_ok());
    }
}
