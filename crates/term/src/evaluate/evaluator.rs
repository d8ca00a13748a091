//! Values of terms, arguments first.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::error::EvalError;
use super::float;
use crate::table::Evaluate;
use crate::{Model, Node, Op, Sort, Store, TermId, Value};

impl Op {
    /// The operator's value, of this sort, for the values of all its arguments. `None` where the theory leaves the value open, for
    /// leaves, and for the connectives whose value some arguments alone decide (and, or, implication, if-then-else).
    pub fn strict_value(&self, sort: &Sort, args: &[&Value]) -> Option<Value> {
        match self.operator().evaluate {
            Evaluate::Strict(function) => function(self, sort, args),
            Evaluate::Leaf | Evaluate::Lenient(_) => None,
        }
    }

    /// Whether the value is a zero whose sign SMT-LIB leaves open: a minimum or maximum of zeros of different signs.
    pub fn has_open_zero(&self, args: &[&Value]) -> bool {
        float::is_unspecified_zero(self, args)
    }
}

/// The value of a term under a model.
///
/// ```
/// use labrys_float::{Float, Format, RoundingMode};
/// use labrys_term::{Model, Op, Sort, Store, Value, eval};
///
/// let mut store = Store::new();
/// let x = store.variable("x", Sort::Float(Format::BINARY64));
/// let mode = store.rounding_mode(RoundingMode::NearestEven);
/// let twice = store.mk(Op::FpAdd, &[mode, x, x]);
/// let mut model = Model::new();
/// model.set_term(&store, x, Value::Float(Float::from_f64(1.5)));
/// assert_eq!(eval(&store, twice, &model), Ok(Value::Float(Float::from_f64(3.0))));
/// ```
pub fn eval(store: &Store, term: TermId, model: &Model) -> Result<Value, EvalError> {
    Evaluator::new(store, model).value(term)
}

/// Values of many terms under one model; common subterms are evaluated once.
pub struct Evaluator<'a> {
    store: &'a Store,
    model: &'a Model,
    memo: Memo,
    /// Whether nothing stands for what is open.
    leaves_open: bool,
}

/// Values that an evaluator has found, kept while its model grows.
///
/// They stay right as long as the model only gains variables that no term evaluated so far contains, and says no more
/// about open values that were met.
#[derive(Clone, Debug, Default)]
pub struct Memo(FxHashMap<TermId, Result<Value, EvalError>>);

impl Memo {
    /// How many terms have values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no term has.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> Evaluator<'a> {
    /// An evaluator that knows nothing yet.
    pub fn new(store: &'a Store, model: &'a Model) -> Evaluator<'a> {
        Evaluator::resume(store, model, Memo::default())
    }

    /// An evaluator that goes on from what another one found.
    pub fn resume(store: &'a Store, model: &'a Model, memo: Memo) -> Evaluator<'a> {
        Evaluator { store, model, memo, leaves_open: false }
    }

    /// The same, but a zero whose sign is open has no value unless the model says one: what has a value then has no other under any
    /// model that agrees on the variables and says nothing of open values.
    pub fn leaving_open(self) -> Evaluator<'a> {
        Evaluator { leaves_open: true, ..self }
    }

    /// What was found so far.
    pub fn pause(self) -> Memo {
        self.memo
    }

    /// The value of a term.
    pub fn value(&mut self, term: TermId) -> Result<Value, EvalError> {
        self.visit(term);
        // `visit` puts the term itself last.
        self.memo.0.get(&term).cloned().unwrap_or(Err(EvalError::Open(term)))
    }

    /// The value of a Bool term.
    pub fn holds(&mut self, term: TermId) -> Result<bool, EvalError> {
        self.value(term)?.as_bool().ok_or(EvalError::Open(term))
    }

    fn visit(&mut self, root: TermId) {
        // A term stays on the stack until its arguments have values.
        let mut pending = vec![root];
        while let Some(&term) = pending.last() {
            if self.memo.0.contains_key(&term) {
                pending.pop();
                continue;
            }
            let node = self.store.node(term);
            let before = pending.len();
            pending.extend(node.args.iter().filter(|arg| !self.memo.0.contains_key(arg)));
            if pending.len() == before {
                let value = self.apply(term, node);
                self.memo.0.insert(term, value);
                pending.pop();
            }
        }
    }

    /// The value of a node whose arguments have been visited.
    fn apply(&self, term: TermId, node: &Node) -> Result<Value, EvalError> {
        let arguments = node.args.iter().map(|arg| match self.memo.0.get(arg) {
            Some(Ok(value)) => Ok(value),
            Some(Err(error)) => Err(*error),
            None => Err(EvalError::Open(*arg)),
        });
        match node.op.operator().evaluate {
            Evaluate::Leaf => self.leaf(node).unwrap_or(Err(EvalError::Open(term))),
            Evaluate::Strict(function) => {
                let values: SmallVec<[&Value; 4]> = arguments.collect::<Result<_, _>>()?;
                let value = function(&node.op, &node.sort, &values);
                let is_zero = float::is_unspecified_zero(&node.op, &values);
                if value.is_none() || is_zero {
                    let fits = |said: &&Value| said.sort() == node.sort && (!is_zero || float::is_zero_value(said));
                    let said = self.model.open(&node.op, &values).filter(fits);
                    let value = value.filter(|_| !(is_zero && self.leaves_open));
                    return said.cloned().or(value).ok_or(EvalError::Open(term));
                }
                value.ok_or(EvalError::Open(term))
            }
            Evaluate::Lenient(function) => {
                let values: SmallVec<[Result<&Value, EvalError>; 4]> = arguments.collect();
                function(&values)
            }
        }
    }

    fn leaf(&self, node: &Node) -> Option<Result<Value, EvalError>> {
        Some(match &node.op {
            Op::Variable(variable) => match self.model.get(*variable) {
                None => Err(EvalError::Unassigned(*variable)),
                Some(value) if value.sort() != node.sort => Err(EvalError::WrongSort(*variable)),
                Some(Value::Float(value)) => Ok(Value::float(value.clone())),
                Some(value) => Ok(value.clone()),
            },
            op => Ok(literal(op, &node.sort)?),
        })
    }
}

/// The value of a literal; `None` for other operators.
pub(crate) fn literal(op: &Op, sort: &crate::Sort) -> Option<Value> {
    Some(match op {
        Op::BoolConst(value) => Value::Bool(*value),
        Op::BitVecConst(bits) => match sort {
            crate::Sort::BitVec(width) => Value::BitVec { width: *width, bits: bits.clone() },
            _ => return None,
        },
        Op::FloatConst(value) => Value::float(value.clone()),
        Op::RoundingModeConst(mode) => Value::RoundingMode(*mode),
        Op::RealConst(value) => Value::Real(value.clone()),
        _ => return None,
    })
}
