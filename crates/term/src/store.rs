//! The arena in which terms are hash-consed behind one constructor, [`Store::mk`].

use indexmap::IndexSet;
use labrys_float::{Float, Format, RoundingMode};
use num_bigint::BigUint;
use num_rational::BigRational;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use crate::{Op, Sort};

/// Index of a term in its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(u32);

/// Index of a variable in its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(u32);

impl TermId {
    /// The position in the store; arguments always have smaller ones.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl VariableId {
    /// The position among the store's variables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operator applied to arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The operator.
    pub op: Op,
    /// Its arguments, all older than this node.
    pub args: SmallVec<[TermId; 3]>,
    /// The sort of the whole.
    pub sort: Sort,
}

/// All terms of one analysis. Append-only: a `TermId` stays valid, and arguments precede the terms that use them.
#[derive(Clone, Debug, Default)]
pub struct Store {
    nodes: IndexSet<Node, FxBuildHasher>,
    /// Name and sort of each variable; names are unique.
    variables: indexmap::IndexMap<String, Sort, FxBuildHasher>,
}

impl Store {
    /// An empty store.
    pub fn new() -> Store {
        Store::default()
    }

    /// The term `op(args)`, structurally: nothing is simplified, equal requests give the same id.
    ///
    /// # Panics
    ///
    /// If arity or sorts do not fit the operator; text from outside is checked before it comes here.
    pub fn mk(&mut self, op: Op, args: &[TermId]) -> TermId {
        let sort = self.result_sort(&op, args);
        self.intern(op, args, sort)
    }

    fn intern(&mut self, op: Op, args: &[TermId], sort: Sort) -> TermId {
        let (index, _) = self.nodes.insert_full(Node { op, args: SmallVec::from_slice(args), sort });
        TermId(index as u32)
    }

    fn result_sort(&self, op: &Op, args: &[TermId]) -> Sort {
        let sort_of = |i: usize| self.sort(args[i]).clone();
        let width = |i: usize| match self.sort(args[i]) {
            Sort::BitVec(width) => *width,
            other => panic!("{op:?} wants a bit vector, got {other:?}"),
        };
        match op {
            Op::Variable(_) | Op::BitVecConst(_) => unreachable!("made by their own constructors"),
            Op::BoolConst(_) => Sort::Bool,
            Op::FloatConst(float) => Sort::Float(float.format()),
            Op::RoundingModeConst(_) => Sort::RoundingMode,
            Op::RealConst(_) => Sort::Real,
            Op::Not | Op::And | Op::Or | Op::Xor | Op::Implies | Op::Eq | Op::Distinct => Sort::Bool,
            Op::Ite => sort_of(1),
            Op::BvNot | Op::BvNeg | Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvAdd | Op::BvSub | Op::BvMul => sort_of(0),
            Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem | Op::BvSmod => sort_of(0),
            Op::BvShl | Op::BvLshr | Op::BvAshr => sort_of(0),
            Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => Sort::Bool,
            Op::Concat => Sort::BitVec((0..args.len()).map(width).sum()),
            Op::Extract { high, low } => Sort::BitVec(high - low + 1),
            Op::ZeroExtend(by) | Op::SignExtend(by) => Sort::BitVec(width(0) + by),
            Op::FpAbs | Op::FpNeg | Op::FpRem | Op::FpFmod | Op::FpMin | Op::FpMax => sort_of(0),
            Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpFma | Op::FpSqrt | Op::FpRoundToIntegral => {
                sort_of(1)
            }
            Op::FpEq | Op::FpLt | Op::FpLe | Op::FpIsNormal | Op::FpIsSubnormal | Op::FpIsZero => Sort::Bool,
            Op::FpIsInfinite | Op::FpIsNan | Op::FpIsNegative | Op::FpIsPositive => Sort::Bool,
            Op::FpFromBits(format)
            | Op::FpFromFloat(format)
            | Op::FpFromSigned(format)
            | Op::FpFromUnsigned(format)
            | Op::FpFromReal(format) => Sort::Float(*format),
            Op::FpToUnsigned(width) | Op::FpToSigned(width) => Sort::BitVec(*width),
            Op::FpToBits => match self.sort(args[0]) {
                Sort::Float(format) => Sort::BitVec(format.width()),
                other => panic!("{op:?} wants a float, got {other:?}"),
            },
            Op::FpToReal => Sort::Real,
            Op::RealAdd | Op::RealSub | Op::RealMul | Op::RealDiv | Op::RealNeg | Op::RealAbs => Sort::Real,
            Op::RealLt | Op::RealLe => Sort::Bool,
            Op::Select => match self.sort(args[0]) {
                Sort::Array(sorts) => sorts.1.clone(),
                other => panic!("select wants an array, got {other:?}"),
            },
            Op::StoreAt => sort_of(0),
        }
    }

    /// The variable called `name`, declared with `sort` if it is new.
    ///
    /// # Panics
    ///
    /// If `name` is declared with another sort.
    pub fn variable(&mut self, name: &str, sort: Sort) -> TermId {
        let (index, old) = match self.variables.get_full(name) {
            Some((index, _, old)) => (index, Some(old)),
            None => (self.variables.insert_full(name.to_owned(), sort.clone()).0, None),
        };
        assert!(old.is_none_or(|old| *old == sort), "variable {name} has two sorts");
        self.intern(Op::Variable(VariableId(index as u32)), &[], sort)
    }

    /// A truth value.
    pub fn bool_const(&mut self, value: bool) -> TermId {
        self.mk(Op::BoolConst(value), &[])
    }

    /// A bit-vector literal of `width` bits; higher bits of `value` are dropped.
    pub fn bv_const(&mut self, width: u32, value: impl Into<BigUint>) -> TermId {
        let mask = (BigUint::from(1u8) << width) - 1u8;
        self.intern(Op::BitVecConst(value.into() & mask), &[], Sort::BitVec(width))
    }

    /// A floating-point literal.
    pub fn float_const(&mut self, value: Float) -> TermId {
        self.mk(Op::FloatConst(value), &[])
    }

    /// A real literal.
    pub fn real_const(&mut self, value: BigRational) -> TermId {
        self.mk(Op::RealConst(value), &[])
    }

    /// A rounding-mode literal.
    pub fn rounding_mode(&mut self, mode: RoundingMode) -> TermId {
        self.mk(Op::RoundingModeConst(mode), &[])
    }

    /// The conjunction of `terms`: true for none, the term itself for one.
    pub fn and(&mut self, terms: &[TermId]) -> TermId {
        match terms {
            [] => self.bool_const(true),
            [one] => *one,
            _ => self.mk(Op::And, terms),
        }
    }

    /// The disjunction of `terms`: false for none, the term itself for one.
    pub fn or(&mut self, terms: &[TermId]) -> TermId {
        match terms {
            [] => self.bool_const(false),
            [one] => *one,
            _ => self.mk(Op::Or, terms),
        }
    }

    /// The negation of `term`.
    pub fn not(&mut self, term: TermId) -> TermId {
        self.mk(Op::Not, &[term])
    }

    /// The node behind an id.
    pub fn node(&self, term: TermId) -> &Node {
        &self.nodes[term.index()]
    }

    /// The sort of a term.
    pub fn sort(&self, term: TermId) -> &Sort {
        &self.node(term).sort
    }

    /// The format of a Float term, `None` for other sorts.
    pub fn float_format(&self, term: TermId) -> Option<Format> {
        match self.sort(term) {
            Sort::Float(format) => Some(*format),
            _ => None,
        }
    }

    /// A variable's name and sort.
    pub fn variable_info(&self, variable: VariableId) -> (&str, &Sort) {
        let (name, sort) = self.variables.get_index(variable.index()).expect("ids come from this store");
        (name, sort)
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no term yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
