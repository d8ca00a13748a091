//! Formulas of a function as trees, for matching: who computes a value, and of what.
//!
//! Signs and conversions that lose nothing are seen through, `fmuladd` is a sum of a product, and a sum with a negated operand a difference:
//! so that patterns are written once, whatever compilers made of a line.

use labrys_elementary::{Function as Elementary, to_precise};
use labrys_interp::precise::Instruction as InstructionId;
use labrys_program::{
    BlockId, Callee, Cast, Constant, FloatBinary, FloatCall, FloatOperation, Function, FunctionId, Instruction,
    InstructionKind, IntrinsicKind, KnownFunction, LocationId, Operand, Program, Type, ValueId,
};

/// How deep equal expressions are compared.
const DEPTH: usize = 6;

/// A function's instructions by the values that they define.
pub struct Body<'p> {
    program: &'p Program,
    id: FunctionId,
    function: &'p Function,
    at: Vec<Option<(BlockId, u32)>>,
}

/// A value that is computed somewhere.
#[derive(Clone, Copy, Debug)]
pub enum Expression<'p> {
    /// An operand of an instruction.
    Operand(&'p Operand),
    /// The product within an `fmuladd`.
    Product(&'p Operand, &'p Operand, InstructionId),
}

/// What computes a value.
#[derive(Clone, Debug)]
pub enum Node<'p> {
    /// A constant.
    Number(f64),
    /// a + b.
    Add(Expression<'p>, Expression<'p>),
    /// a − b.
    Sub(Expression<'p>, Expression<'p>),
    /// a · b.
    Mul(Expression<'p>, Expression<'p>),
    /// a / b.
    Div(Expression<'p>, Expression<'p>),
    /// −a.
    Neg(Expression<'p>),
    /// √a.
    Sqrt(Expression<'p>),
    /// A function of libm.
    Call(Elementary, Vec<Expression<'p>>),
    /// A value that comes from several places: a loop's variable.
    Phi(&'p [(BlockId, Operand)]),
    /// Anything else.
    Other,
}

/// What computes a value, and which instruction that is; none of a constant or a parameter.
pub type Computed<'p> = (Node<'p>, Option<InstructionId>);

impl<'p> Body<'p> {
    /// The body of a defined function.
    pub fn new(program: &'p Program, id: FunctionId) -> Option<Body<'p>> {
        let function = program.functions.get(id.index())?;
        let mut at = vec![None; function.values.len()];
        for (number, block) in function.blocks.iter().enumerate() {
            for (place, instruction) in block.instructions.iter().enumerate() {
                if let Some(slot) = instruction.result.and_then(|result| at.get_mut(result.index())) {
                    *slot = Some((BlockId(number as u32), place as u32));
                }
            }
        }
        Some(Body { program, id, function, at })
    }

    /// The operations whose results are floats, in their order.
    pub fn floats(&self) -> Vec<(Node<'p>, InstructionId)> {
        let mut floats = Vec::new();
        for (number, block) in self.function.blocks.iter().enumerate() {
            for (place, instruction) in block.instructions.iter().enumerate() {
                if matches!(instruction.ty, Type::Float(_)) {
                    let id = (self.id, BlockId(number as u32), place as u32);
                    floats.push((self.of_instruction(instruction, id), id));
                }
            }
        }
        floats
    }

    /// Where an instruction stands in the source.
    pub fn location(&self, id: InstructionId) -> Option<LocationId> {
        self.function.blocks.get(id.1.index())?.instructions.get(id.2 as usize)?.location
    }

    /// What computes a value.
    pub fn node(&self, expression: Expression<'p>) -> Computed<'p> {
        match expression {
            Expression::Product(a, b, id) => (Node::Mul(Expression::Operand(a), Expression::Operand(b)), Some(id)),
            Expression::Operand(operand) => self.of_operand(operand),
        }
    }

    fn of_operand(&self, operand: &'p Operand) -> Computed<'p> {
        let value = match operand {
            Operand::Constant(Constant::Float(float)) => {
                return (Node::Number(to_precise(float).to_f64()), None);
            }
            Operand::Constant(_) => return (Node::Other, None),
            Operand::Value(value) => *value,
        };
        let Some((instruction, id)) = self.definition(value) else { return (Node::Other, None) };
        match &instruction.kind {
            InstructionKind::Cast(Cast::FpExt, a) | InstructionKind::Freeze(a) => self.of_operand(a),
            _ => (self.of_instruction(instruction, id), Some(id)),
        }
    }

    fn of_instruction(&self, instruction: &'p Instruction, id: InstructionId) -> Node<'p> {
        let of = Expression::Operand;
        match &instruction.kind {
            InstructionKind::FloatBinary(FloatBinary::Add, a, b) => self.sum(of(a), of(b)),
            InstructionKind::FloatBinary(FloatBinary::Sub, a, b) => self.difference(of(a), of(b)),
            InstructionKind::FloatBinary(FloatBinary::Mul, a, b) => Node::Mul(of(a), of(b)),
            InstructionKind::FloatBinary(FloatBinary::Div, a, b) => Node::Div(of(a), of(b)),
            InstructionKind::FloatNegate(a) => Node::Neg(of(a)),
            InstructionKind::Phi(incoming) => Node::Phi(incoming),
            InstructionKind::Call(callee, operands) => self.call(callee, operands, id),
            _ => Node::Other,
        }
    }

    fn call(&self, callee: &Callee, operands: &'p [Operand], id: InstructionId) -> Node<'p> {
        let of = Expression::Operand;
        match (self.float_call(callee), operands) {
            (Some(FloatCall::Operation(FloatOperation::Sqrt)), [a, ..]) => Node::Sqrt(of(a)),
            (Some(FloatCall::MultiplyAdd), [a, b, c]) => match (self.negated(a), self.negated(b)) {
                (None, None) => self.sum(Expression::Product(a, b, id), of(c)),
                (Some(a), None) => self.difference(of(c), Expression::Product(a, b, id)),
                (None, Some(b)) => self.difference(of(c), Expression::Product(a, b, id)),
                (Some(a), Some(b)) => self.sum(Expression::Product(a, b, id), of(c)),
            },
            (Some(FloatCall::Elementary(function)), operands) => {
                Node::Call(function, operands.iter().take(function.arity()).map(of).collect())
            }
            _ => Node::Other,
        }
    }

    fn float_call(&self, callee: &Callee) -> Option<FloatCall> {
        match callee {
            Callee::Function(id) => self.program.functions.get(id.index())?.known.and_then(KnownFunction::float_call),
            Callee::Intrinsic(intrinsic) => match intrinsic.kind() {
                IntrinsicKind::Float(call) => Some(call),
                _ => None,
            },
            _ => None,
        }
    }

    /// a + b, where one may be negated.
    fn sum(&self, a: Expression<'p>, b: Expression<'p>) -> Node<'p> {
        match (self.without_sign(a), self.without_sign(b)) {
            (_, Some(b)) => Node::Sub(a, b),
            (Some(a), None) => Node::Sub(b, a),
            (None, None) => Node::Add(a, b),
        }
    }

    /// a − b, where b may be negated.
    fn difference(&self, a: Expression<'p>, b: Expression<'p>) -> Node<'p> {
        self.without_sign(b).map_or(Node::Sub(a, b), |b| Node::Add(a, b))
    }

    /// x, where an expression is −x.
    fn without_sign(&self, expression: Expression<'p>) -> Option<Expression<'p>> {
        match expression {
            Expression::Operand(operand) => self.negated(operand).map(Expression::Operand),
            Expression::Product(..) => None,
        }
    }

    /// x, where an operand is −x.
    fn negated(&self, operand: &Operand) -> Option<&'p Operand> {
        let Operand::Value(value) = operand else { return None };
        match &self.definition(*value)?.0.kind {
            InstructionKind::FloatNegate(operand) => Some(operand),
            _ => None,
        }
    }

    fn definition(&self, value: ValueId) -> Option<(&'p Instruction, InstructionId)> {
        let (block, place) = (*self.at.get(value.index())?)?;
        let instruction = self.function.blocks.get(block.index())?.instructions.get(place as usize)?;
        Some((instruction, (self.id, block, place)))
    }

    /// Whether two expressions have the same value, as far as can be seen.
    pub fn same(&self, a: Expression<'p>, b: Expression<'p>) -> bool {
        match (a, b) {
            (Expression::Operand(a), Expression::Operand(b)) => self.same_operand(a, b, DEPTH),
            (Expression::Product(a, b, _), Expression::Product(c, d, _)) => {
                self.same_operand(a, c, DEPTH) && self.same_operand(b, d, DEPTH)
            }
            _ => false,
        }
    }

    fn same_operand(&self, a: &Operand, b: &Operand, depth: usize) -> bool {
        if a == b {
            return true;
        }
        let (Operand::Value(a), Operand::Value(b)) = (a, b) else { return false };
        let (Some((a, at)), Some((b, other))) = (self.definition(*a), self.definition(*b)) else { return false };
        if depth == 0 || std::mem::discriminant(&a.kind) != std::mem::discriminant(&b.kind) || a.ty != b.ty {
            return false;
        }
        let is_alike = match (&a.kind, &b.kind) {
            (InstructionKind::Load { .. }, InstructionKind::Load { .. }) => self.reads_the_same(at, other),
            (InstructionKind::FloatBinary(a, ..), InstructionKind::FloatBinary(b, ..)) => a == b,
            (InstructionKind::IntBinary { op: a, .. }, InstructionKind::IntBinary { op: b, .. }) => a == b,
            (InstructionKind::Cast(a, _), InstructionKind::Cast(b, _)) => a == b,
            (
                InstructionKind::PointerOffset { offset: a, scaled: of_a, .. },
                InstructionKind::PointerOffset { offset: b, scaled: of_b, .. },
            ) => a == b && of_a.iter().map(|(_, scale)| scale).eq(of_b.iter().map(|(_, scale)| scale)),
            (InstructionKind::Call(a, _), InstructionKind::Call(b, _)) => a == b && self.float_call(a).is_some(),
            (InstructionKind::FloatNegate(_), _) => true,
            _ => false,
        };
        let operands = |instruction: &'p Instruction| {
            let mut operands = Vec::new();
            instruction.kind.for_each_operand(|operand| operands.push(operand));
            operands
        };
        let (of_a, of_b) = (operands(a), operands(b));
        is_alike
            && of_a.len() == of_b.len()
            && of_a.into_iter().zip(of_b).all(|(a, b)| self.same_operand(a, b, depth - 1))
    }

    /// Whether nothing is written between two loads, which stand in one block.
    fn reads_the_same(&self, a: InstructionId, b: InstructionId) -> bool {
        let (first, last) = (a.2.min(b.2) as usize, a.2.max(b.2) as usize);
        let Some(block) = self.function.blocks.get(a.1.index()).filter(|_| a.1 == b.1) else { return false };
        let writes = |instruction: &Instruction| match &instruction.kind {
            InstructionKind::Store { .. } => true,
            InstructionKind::Call(callee, _) => self.float_call(callee).is_none(),
            _ => false,
        };
        !block.instructions[first..last].iter().any(writes)
    }
}
