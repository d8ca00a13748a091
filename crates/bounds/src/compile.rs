//! From terms to [`Expression`]s.
//!
//! Terms are visited without recursion: they may be 100,000 deep. A Bool term that is not understood is opaque, which is sound: it may be true or
//! false anywhere. A Float term that is not is a reason to prove nothing, if the result needs it.

use labrys_elementary::Function;
use labrys_float::{Format, RoundingMode};
use labrys_term::{Op, Sort, Store, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::expression::{Expression, Formula, FormulaIndex, Gap, Node, NodeIndex, Operation};
use crate::integers::{self, Range};
use crate::request::{Call, Input};
use crate::rounding::{Rounding, double};
use crate::{BoundError, Interval, Options, Unknown, Why};

/// Why a term is no node, and which term it is about.
pub(crate) type Failed = (Why, TermId);

/// What a term has become.
#[derive(Clone, Copy, Debug)]
enum Compiled {
    Node(NodeIndex),
    Formula(FormulaIndex),
    /// A rounding mode: none where it is not constant.
    Mode(Option<RoundingMode>),
    Failed(Failed),
}

/// Compiles terms of a store, each once.
#[derive(Debug)]
pub(crate) struct Compiler<'a> {
    pub(crate) store: &'a Store,
    inputs: FxHashMap<TermId, usize>,
    ranges: &'a [Input],
    calls: FxHashMap<TermId, &'a Call>,
    /// Floats that a libm's results lie from the correctly rounded ones.
    floats: u32,
    own_floats: bool,
    rounded_constants: bool,
    memo: FxHashMap<TermId, Compiled>,
    /// Of bit vectors that are nodes: the integers that these may be, each the vector's bits modulo a power of two.
    pub(crate) ranges_of_integers: FxHashMap<TermId, Range>,
    expression: Expression,
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(
        store: &'a Store,
        inputs: &'a [Input],
        calls: &'a [Call],
        options: &Options,
    ) -> Result<Compiler<'a>, BoundError> {
        let mut places = FxHashMap::default();
        for (place, input) in inputs.iter().enumerate() {
            if store.as_variable(input.variable).is_none() || places.insert(input.variable, place).is_some() {
                return Err(BoundError::NotVariable(input.variable));
            }
            if !(input.low <= input.high && input.low.is_finite() && input.high.is_finite()) {
                return Err(BoundError::Range(input.variable));
            }
        }
        let mut by_variable = FxHashMap::default();
        for call in calls {
            let fits = call.operands.len() == call.function.arity() && store.as_variable(call.variable).is_some();
            let same_format = call.operands.iter().all(|operand| store.sort(*operand) == store.sort(call.variable));
            if !fits || !same_format || store.float_format(call.variable).is_none() {
                return Err(BoundError::Call(call.variable));
            }
            by_variable.insert(call.variable, call);
        }
        let is_integer = |input: &Input| matches!(store.sort(input.variable), Sort::BitVec(_));
        let expression = Expression { inputs: inputs.iter().map(is_integer).collect(), ..Expression::default() };
        let memo = FxHashMap::default();
        let Options { floats, own_floats, rounded_constants, .. } = *options;
        Ok(Compiler {
            store,
            inputs: places,
            ranges: inputs,
            calls: by_variable,
            floats,
            own_floats,
            rounded_constants,
            memo,
            ranges_of_integers: FxHashMap::default(),
            expression,
        })
    }

    /// The node of a Float term.
    pub(crate) fn float(&mut self, term: TermId) -> Result<Result<NodeIndex, Unknown>, BoundError> {
        if self.store.float_format(term).is_none() {
            return Err(BoundError::Sort(term));
        }
        self.visit(term)?;
        let unknown = |(why, term): Failed| Unknown { term: Some(term), ..why.into() };
        Ok(self.node(term).map_err(unknown))
    }

    /// The formula of a Bool term.
    pub(crate) fn formula(&mut self, term: TermId) -> Result<FormulaIndex, BoundError> {
        if *self.store.sort(term) != Sort::Bool {
            return Err(BoundError::Sort(term));
        }
        self.visit(term)?;
        match self.memo.get(&term) {
            Some(Compiled::Formula(formula)) => Ok(*formula),
            _ => Err(BoundError::Sort(term)),
        }
    }

    /// The difference of two nodes, not rounded.
    pub(crate) fn difference(&mut self, a: NodeIndex, b: NodeIndex) -> NodeIndex {
        self.push(Operation::Sub(a, b), None, 0)
    }

    /// All that was compiled.
    pub(crate) fn whole(&self) -> &Expression {
        &self.expression
    }

    /// What was compiled, for one path, or for that of the computed values and that of the exact ones.
    pub(crate) fn finish(&self, guards: [&[FormulaIndex]; 2], result: NodeIndex, gap: Option<Gap>) -> Expression {
        self.expression.part(guards[0], guards[1], result, gap)
    }

    /// Compiles a term and what it needs.
    fn visit(&mut self, term: TermId) -> Result<(), BoundError> {
        let mut pending = vec![term];
        // Results of calls whose operands are being compiled: met again, they would depend on themselves.
        let mut open: FxHashSet<TermId> = FxHashSet::default();
        while let Some(&next) = pending.last() {
            if self.memo.contains_key(&next) {
                pending.pop();
                continue;
            }
            let call = self.calls.get(&next).copied();
            let operands = call.map_or(self.store.node(next).args.as_slice(), |call| call.operands.as_slice());
            let before = pending.len();
            pending.extend(operands.iter().filter(|operand| !self.memo.contains_key(operand)));
            if pending.len() > before {
                if call.is_some() && !open.insert(next) {
                    return Err(BoundError::Call(next));
                }
                continue;
            }
            let compiled = if *self.store.sort(next) == Sort::Bool {
                Compiled::Formula(self.bool_term(next))
            } else {
                self.value(next, call).unwrap_or_else(Compiled::Failed)
            };
            // Nodes without a term of their own belong to the one that they were made for.
            self.expression.origins.resize(self.expression.nodes.len(), Some(next));
            self.memo.insert(next, compiled);
            pending.pop();
        }
        Ok(())
    }

    pub(crate) fn node(&self, term: TermId) -> Result<NodeIndex, Failed> {
        match self.memo.get(&term) {
            Some(Compiled::Node(node)) => Ok(*node),
            Some(Compiled::Failed(failed)) => Err(*failed),
            _ => Err((Why::UnsupportedOperation, term)),
        }
    }

    pub(crate) fn push(&mut self, operation: Operation, rounding: Option<Rounding>, steps: u32) -> NodeIndex {
        self.expression.nodes.push(Node { operation, rounding, steps });
        (self.expression.nodes.len() - 1) as NodeIndex
    }

    fn rounding(&self, term: TermId, mode: Option<RoundingMode>) -> Result<Rounding, Failed> {
        let format = self.store.float_format(term);
        format.and_then(|format| Rounding::new(format, mode)).ok_or((Why::UnsupportedFormat, term))
    }

    /// A Float term, a bit vector that is an integer, or a rounding mode.
    fn value(&mut self, term: TermId, call: Option<&Call>) -> Result<Compiled, Failed> {
        let node = self.store.node(term);
        if node.sort == Sort::RoundingMode {
            return Ok(Compiled::Mode(self.store.as_rounding_mode(term)));
        }
        if let Some(call) = call {
            return self.call(term, call).map(Compiled::Node);
        }
        if let Some(&place) = self.inputs.get(&term) {
            return self.input(term, place).map(Compiled::Node);
        }
        if let Op::Variable(_) = node.op {
            return Err((Why::FreeVariable, term));
        }
        if let Sort::BitVec(_) = node.sort {
            return self.integer(term).map(Compiled::Node);
        }
        self.operation(term).map(Compiled::Node)
    }

    fn input(&mut self, term: TermId, place: usize) -> Result<NodeIndex, Failed> {
        let Input { low, high, .. } = self.ranges[place];
        let rounding = match self.store.sort(term) {
            Sort::BitVec(_) => {
                let range = integers::of_input(low, high).ok_or((Why::UnsupportedFormat, term))?;
                self.ranges_of_integers.insert(term, range);
                None
            }
            _ => Some(self.rounding(term, Some(RoundingMode::NearestEven))?),
        };
        let operation = if low == high { Operation::Constant(low) } else { Operation::Input(place as u32) };
        Ok(self.push(operation, rounding, 0))
    }

    fn call(&mut self, term: TermId, call: &Call) -> Result<NodeIndex, Failed> {
        use Function::*;
        let rounding = self.rounding(term, Some(RoundingMode::NearestEven))?;
        if matches!(call.function, Tgamma | Lgamma | J0 | J1 | Y0 | Y1 | Logb) {
            return Err((Why::UnsupportedOperation, term));
        }
        let a = self.node(call.operands[0])?;
        let operation = match call.operands.get(1) {
            Some(b) => Operation::Binary(call.function, a, self.node(*b)?),
            None => Operation::Unary(call.function, a),
        };
        let steps = if self.own_floats { call.function.steps(self.floats) } else { self.floats };
        Ok(self.push(operation, Some(rounding), steps))
    }

    /// An operator applied to arguments.
    fn operation(&mut self, term: TermId) -> Result<NodeIndex, Failed> {
        let node = self.store.node(term);
        let unsupported = (Why::UnsupportedOperation, term);
        let arg = |place: usize| node.args.get(place).copied().ok_or(unsupported);
        let mode = match node.args.first().and_then(|mode| self.memo.get(mode)) {
            Some(Compiled::Mode(mode)) => *mode,
            _ => None,
        };
        let operation = match node.op {
            Op::FloatConst(ref value) => {
                let value = double(value).filter(|value| value.is_finite()).ok_or(unsupported)?;
                let rounding = self.rounding(term, Some(RoundingMode::NearestEven))?;
                if self.rounded_constants && !is_short(value) {
                    let radius = rounding.error(value.abs());
                    let range = Interval::point(value).widened(radius);
                    let number = self.push(Operation::Between(range.low(), range.high()), None, 0);
                    return Ok(self.push(Operation::Round(number), Some(rounding), 0));
                }
                return Ok(self.push(Operation::Constant(value), Some(rounding), 0));
            }
            Op::FpFromFloat(format) => return self.conversion(term, arg(1)?, mode, Some(format)),
            Op::FpFromSigned(_) | Op::FpFromUnsigned(_) => {
                let operand = arg(1)?;
                let is_signed = matches!(node.op, Op::FpFromSigned(_));
                self.node(operand)?;
                self.read(operand, is_signed).ok_or((Why::Overflow, operand))?;
                return self.conversion(term, operand, mode, None);
            }
            Op::FpRoundToIntegral => {
                // Of a format of few bits the greatest number may be no integer.
                let largest = self.rounding(term, mode)?.largest;
                let operation = Operation::Integral(mode.ok_or(unsupported)?, self.node(arg(1)?)?, -largest, largest);
                return self.unrounded(term, operation);
            }
            Op::FpFmod => {
                let operation =
                    Operation::Remainder(RoundingMode::TowardZero, self.node(arg(0)?)?, self.node(arg(1)?)?);
                return self.unrounded(term, operation);
            }
            Op::FpRem => {
                let operation =
                    Operation::Remainder(RoundingMode::NearestEven, self.node(arg(0)?)?, self.node(arg(1)?)?);
                return self.unrounded(term, operation);
            }
            Op::FpNeg => return self.node(arg(0)?).map(|a| self.unrounded(term, Operation::Neg(a)))?,
            Op::FpAbs => return self.node(arg(0)?).map(|a| self.unrounded(term, Operation::Abs(a)))?,
            Op::FpMin | Op::FpMax => {
                let (a, b) = (self.node(arg(0)?)?, self.node(arg(1)?)?);
                let operation = if node.op == Op::FpMin { Operation::Min(a, b) } else { Operation::Max(a, b) };
                return self.unrounded(term, operation);
            }
            Op::Ite => {
                let (a, b) = (self.node(arg(1)?)?, self.node(arg(2)?)?);
                let Some(Compiled::Formula(formula)) = self.memo.get(&arg(0)?) else { return Err(unsupported) };
                return self.unrounded(term, Operation::Choose(*formula, a, b));
            }
            // x + x is 2·x, and x − x is 0·x: intervals do not see that operands are the same.
            Op::FpAdd | Op::FpSub if arg(1)? == arg(2)? => {
                let factor = if node.op == Op::FpAdd { 2.0 } else { 0.0 };
                let factor = self.push(Operation::Constant(factor), None, 0);
                Operation::Mul(factor, self.node(arg(1)?)?)
            }
            Op::FpAdd => Operation::Add(self.node(arg(1)?)?, self.node(arg(2)?)?),
            Op::FpSub => Operation::Sub(self.node(arg(1)?)?, self.node(arg(2)?)?),
            Op::FpMul => product(self.node(arg(1)?)?, self.node(arg(2)?)?),
            Op::FpDiv => Operation::Div(self.node(arg(1)?)?, self.node(arg(2)?)?),
            Op::FpSqrt => Operation::Sqrt(self.node(arg(1)?)?),
            Op::FpFma => {
                let (a, b, c) = (self.node(arg(1)?)?, self.node(arg(2)?)?, self.node(arg(3)?)?);
                let product = self.push(product(a, b), None, 0);
                Operation::Add(product, c)
            }
            _ => return Err(unsupported),
        };
        let rounding = self.rounding(term, mode)?;
        Ok(self.push(operation, Some(rounding), 0))
    }

    /// An operation whose results are floats without rounding: the format is kept for what it says of them.
    fn unrounded(&mut self, term: TermId, operation: Operation) -> Result<NodeIndex, Failed> {
        self.rounding(term, None)?;
        Ok(self.push(operation, None, 0))
    }

    /// The formula of a Bool term that is compiled.
    pub(crate) fn formula_of(&self, term: TermId) -> Option<FormulaIndex> {
        match self.memo.get(&term) {
            Some(Compiled::Formula(formula)) => Some(*formula),
            _ => None,
        }
    }

    /// The mode that a term is, where it is known.
    pub(crate) fn mode_of(&self, term: TermId) -> Option<RoundingMode> {
        match self.memo.get(&term) {
            Some(Compiled::Mode(mode)) => *mode,
            _ => None,
        }
    }

    /// A number rounded to the term's format; from a narrower format it is the same.
    fn conversion(
        &mut self,
        term: TermId,
        operand: TermId,
        mode: Option<RoundingMode>,
        to: Option<Format>,
    ) -> Result<NodeIndex, Failed> {
        let node = self.node(operand)?;
        let from = self.store.float_format(operand);
        if to.is_some() && from == to {
            return Ok(node);
        }
        let rounding = self.rounding(term, mode)?;
        Ok(self.push(Operation::Round(node), Some(rounding), 0))
    }

    /// A Bool term as a formula: opaque where it is not understood.
    fn bool_term(&mut self, term: TermId) -> FormulaIndex {
        let formula = self.understood(term).unwrap_or_else(|| self.not_understood(term));
        self.add(formula)
    }

    /// What is about inputs alone program and truth agree on.
    fn not_understood(&self, term: TermId) -> Formula {
        let is_float = |term: &TermId| self.store.float_format(*term).is_some();
        let is_free = |term: &TermId| self.store.as_variable(*term).is_some() && !self.inputs.contains_key(term);
        let parts = self.store.reachable(&[term]);
        // An input of type bool has no range, but is an input: only results of calls are floats, or integers of frexp.
        let is_result = |term: &TermId| is_free(term) && *self.store.sort(*term) != Sort::Bool;
        if parts.iter().any(|part| is_float(part) || is_result(part)) { Formula::Opaque } else { Formula::Given }
    }

    fn add(&mut self, formula: Formula) -> FormulaIndex {
        self.expression.formulas.push(formula);
        (self.expression.formulas.len() - 1) as FormulaIndex
    }

    fn understood(&mut self, term: TermId) -> Option<Formula> {
        let node = self.store.node(term);
        let float = |place: usize| {
            let arg = *node.args.get(place)?;
            self.store.float_format(arg).and_then(|_| self.node(arg).ok())
        };
        let part = |place: usize| match self.memo.get(node.args.get(place)?) {
            Some(Compiled::Formula(formula)) => Some(*formula),
            _ => None,
        };
        let parts = || (0..node.args.len()).map(part).collect::<Option<Vec<_>>>();
        Some(match node.op {
            Op::BoolConst(truth) => Formula::Constant(truth),
            Op::Not => Formula::Not(part(0)?),
            Op::And => Formula::And(parts()?),
            Op::Or => Formula::Or(parts()?),
            Op::Implies => {
                let (premise, conclusion) = (part(0)?, part(1)?);
                let not = self.add(Formula::Not(premise));
                Formula::Or(vec![not, conclusion])
            }
            Op::Eq if node.args.len() == 2 && *self.store.sort(node.args[0]) == Sort::Bool => {
                Formula::Same(part(0)?, part(1)?)
            }
            Op::Eq if node.args.len() == 2 => {
                let (a, b) = self.integers(node.args[0], node.args[1], true).or_else(|| {
                    // The same bits are the same number, read in one way or the other.
                    self.integers(node.args[0], node.args[1], false)
                })?;
                Formula::Equal(a, b)
            }
            Op::BvSlt | Op::BvUlt | Op::BvSle => {
                let (a, b) = self.integers(node.args[0], node.args[1], node.op != Op::BvUlt)?;
                if node.op == Op::BvSle { Formula::AtMost(a, b) } else { Formula::Less(a, b) }
            }
            Op::BvUle => {
                let (a, b) = self.integers(node.args[0], node.args[1], false)?;
                Formula::AtMost(a, b)
            }
            Op::Xor if node.args.len() == 2 => {
                let (a, b) = (part(0)?, part(1)?);
                let same = self.add(Formula::Same(a, b));
                Formula::Not(same)
            }
            Op::FpLt if node.args.len() == 2 => Formula::Less(float(0)?, float(1)?),
            Op::FpLe if node.args.len() == 2 => Formula::AtMost(float(0)?, float(1)?),
            Op::FpEq if node.args.len() == 2 => Formula::Equal(float(0)?, float(1)?),
            Op::FpIsNan | Op::FpIsInfinite => Formula::Special(float(0)?),
            Op::FpIsZero => {
                let a = float(0)?;
                let zero = self.push(Operation::Constant(0.0), None, 0);
                Formula::Equal(a, zero)
            }
            Op::FpIsNegative => Formula::Signed(float(0)?, true),
            Op::FpIsPositive => Formula::Signed(float(0)?, false),
            _ => return None,
        })
    }
}

/// Whether a double has at most 26 significant bits, as what is exact in a source mostly has.
fn is_short(value: f64) -> bool {
    value.to_bits().trailing_zeros() >= 27
}

fn product(a: NodeIndex, b: NodeIndex) -> Operation {
    if a == b { Operation::Square(a) } else { Operation::Mul(a, b) }
}
