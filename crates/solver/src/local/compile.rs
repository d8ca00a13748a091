//! From terms to a program.

use labrys_float::{Packed, RoundingMode};
use labrys_term::{Node, Op, Sort, Store, TermId, Value};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use rustc_hash::{FxHashMap, FxHashSet};

use super::program::{Exact, Instruction, Kind, Operation, Program, Register};

/// Pairs that one `distinct` may expand to.
const MAX_PAIRS: usize = 100_000;

/// Wider vectors are not searched for: a sweep of one of these is ten thousand computations of some microseconds each.
const MAX_WIDTH: u32 = 4096;

/// A program and where its terms are.
pub(super) struct Compiled {
    pub program: Program,
    /// The registers of the query's terms.
    pub registers: FxHashMap<TermId, Register>,
}

/// Compiles the conjunction of `assertions`; the error says what no register can hold or no instruction can do.
pub(super) fn compile(store: &Store, assertions: &[TermId]) -> Result<Compiled, String> {
    let conjuncts = flatten(store, assertions);
    let mut compiler = Compiler { store, program: Program::default(), registers: FxHashMap::default() };
    for term in store.reachable(&conjuncts) {
        let register = compiler.term(store.node(term))?;
        compiler.registers.insert(term, register);
    }
    let mut seen = FxHashSet::default();
    let registers = conjuncts.iter().map(|term| compiler.registers[term]);
    compiler.program.assertions = registers.filter(|register| seen.insert(*register)).collect();
    Ok(Compiled { program: compiler.program, registers: compiler.registers })
}

/// The conjuncts, conjunctions taken apart.
fn flatten(store: &Store, assertions: &[TermId]) -> Vec<TermId> {
    let mut pending: Vec<TermId> = assertions.iter().rev().copied().collect();
    let mut seen = FxHashSet::default();
    let mut conjuncts = Vec::new();
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        let node = store.node(term);
        match node.op {
            Op::And => pending.extend(node.args.iter().rev()),
            _ => conjuncts.push(term),
        }
    }
    conjuncts
}

struct Compiler<'a> {
    store: &'a Store,
    program: Program,
    registers: FxHashMap<TermId, Register>,
}

impl Compiler<'_> {
    fn kind(&self, sort: &Sort) -> Result<Kind, String> {
        match sort {
            Sort::Bool => Ok(Kind::Bool),
            Sort::RoundingMode => Ok(Kind::Mode),
            Sort::BitVec(width) if (1..=64).contains(width) => Ok(Kind::Bits(*width)),
            Sort::BitVec(width) if (65..=MAX_WIDTH).contains(width) => Ok(Kind::Wide(*width)),
            Sort::Float(format) => Packed::new(*format).map(Kind::Float).ok_or(format!("{sort:?}")),
            _ => Err(format!("{sort:?}")),
        }
    }

    /// Appends an instruction.
    fn push(&mut self, kind: Kind, operation: Operation, parameter: u32, arguments: &[Register]) -> Register {
        let register = self.program.instructions.len() as Register;
        let mut fixed = [0; 4];
        fixed[..arguments.len()].copy_from_slice(arguments);
        let free = operation == Operation::Input || arguments.iter().any(|arg| self.program.free[*arg as usize]);
        self.program.instructions.push(Instruction {
            operation,
            parameter: parameter as u8,
            arity: arguments.len() as u8,
            arguments: fixed,
        });
        self.program.kinds.push(kind);
        self.program.initial.push(0);
        self.program.free.push(free);
        register
    }

    /// Appends an n-ary conjunction or disjunction.
    fn push_list(&mut self, operation: Operation, members: &[Register]) -> Register {
        let start = self.program.lists.len() as Register;
        self.program.lists.extend_from_slice(members);
        let free = members.iter().any(|member| self.program.free[*member as usize]);
        let register = self.push(Kind::Bool, operation, 0, &[]);
        self.program.instructions[register as usize].arguments[..2]
            .copy_from_slice(&[start, self.program.lists.len() as Register]);
        self.program.free[register as usize] = free;
        register
    }

    /// Appends an operator that takes or gives a vector of more than 64 bits.
    fn push_exact(&mut self, kind: Kind, op: Op, sort: Sort, arguments: &[Register]) -> Register {
        let register = self.push(kind, Operation::Exact, 0, arguments);
        self.program.exact.insert(register, Exact { op, sort });
        register
    }

    /// The handle of a wide literal.
    fn literal(&mut self, width: u32, bits: impl Into<BigUint>) -> u64 {
        self.program.literals.insert_full(Value::bit_vector(width, bits)).0 as u64
    }

    fn constant(&mut self, kind: Kind, value: u64) -> Register {
        let register = self.push(kind, Operation::Constant, 0, &[]);
        self.program.initial[register as usize] = value;
        register
    }

    /// Compiles a term whose arguments are compiled.
    fn term(&mut self, node: &Node) -> Result<Register, String> {
        let kind = self.kind(&node.sort)?;
        let arguments: Vec<Register> = node.args.iter().map(|arg| self.registers[arg]).collect();
        let is_wide = |kind: &Kind| matches!(kind, Kind::Wide(_));
        let is_exact = is_wide(&kind) || arguments.iter().any(|arg| is_wide(&self.program.kinds[*arg as usize]));
        Ok(match &node.op {
            Op::Variable(variable) => {
                let register = self.push(kind, Operation::Input, 0, &[]);
                if let Kind::Wide(width) = kind {
                    self.program.initial[register as usize] = self.literal(width, 0u8);
                }
                self.program.inputs.push((*variable, register));
                register
            }
            Op::BoolConst(value) => self.constant(kind, u64::from(*value)),
            Op::BitVecConst(bits) if let Kind::Wide(width) = kind => {
                let handle = self.literal(width, bits.clone());
                self.constant(kind, handle)
            }
            Op::BitVecConst(bits) => self.constant(kind, bits.to_u64().unwrap_or(0)),
            Op::FloatConst(value) => match &kind {
                Kind::Float(packed) => self.constant(kind, packed.encode(value).unwrap_or(0)),
                _ => return Err(format!("{:?}", node.op)),
            },
            Op::RoundingModeConst(mode) => {
                let place = RoundingMode::ALL.iter().position(|other| other == mode).unwrap_or(0);
                self.constant(kind, place as u64)
            }
            Op::And => self.push_list(Operation::And, &arguments),
            Op::Or => self.push_list(Operation::Or, &arguments),
            Op::Implies => {
                let premise = self.push(kind, Operation::Not, 0, &arguments[..1]);
                self.push_list(Operation::Or, &[premise, arguments[1]])
            }
            Op::Xor => self.chain(kind, Operation::Xor, &arguments, |_| 0),
            Op::Concat if is_exact => self.concatenation(&arguments),
            Op::Concat => {
                let widths: Vec<u32> = arguments.iter().map(|arg| self.program.width(*arg)).collect();
                self.chain(kind, Operation::Concat, &arguments, |index| widths[index])
            }
            Op::Distinct => self.distinct(&arguments)?,
            op if is_exact && !matches!(op, Op::Eq | Op::Ite) => {
                self.push_exact(kind, op.clone(), node.sort.clone(), &arguments)
            }
            op => {
                let (operation, parameter) = self.simple(op, node).ok_or_else(|| format!("{op:?}"))?;
                self.push(kind, operation, parameter, &arguments)
            }
        })
    }

    /// An n-ary operator as a chain of binary ones; `parameter` is asked with each next argument's index.
    fn chain(
        &mut self,
        kind: Kind,
        operation: Operation,
        arguments: &[Register],
        parameter: impl Fn(usize) -> u32,
    ) -> Register {
        let mut result = arguments[0];
        for (index, argument) in arguments.iter().enumerate().skip(1) {
            let kind = match kind {
                Kind::Bits(_) => Kind::Bits(self.program.width(result) + self.program.width(*argument)),
                other => other,
            };
            result = self.push(kind, operation, parameter(index), &[result, *argument]);
        }
        result
    }

    /// A concatenation of more than 64 bits, two by two.
    fn concatenation(&mut self, arguments: &[Register]) -> Register {
        let mut result = arguments[0];
        for &argument in &arguments[1..] {
            let low = self.program.width(argument);
            let width = self.program.width(result) + low;
            result = if width > 64 {
                self.push_exact(Kind::Wide(width), Op::Concat, Sort::BitVec(width), &[result, argument])
            } else {
                self.push(Kind::Bits(width), Operation::Concat, low, &[result, argument])
            };
        }
        result
    }

    fn distinct(&mut self, arguments: &[Register]) -> Result<Register, String> {
        if arguments.len() * arguments.len() / 2 > MAX_PAIRS {
            return Err(format!("distinct of {} terms", arguments.len()));
        }
        let mut members = Vec::new();
        for (index, left) in arguments.iter().enumerate() {
            for right in &arguments[index + 1..] {
                let equal = self.push(Kind::Bool, Operation::Equal, 0, &[*left, *right]);
                members.push(self.push(Kind::Bool, Operation::Not, 0, &[equal]));
            }
        }
        Ok(self.push_list(Operation::And, &members))
    }

    /// Operators that are one instruction.
    fn simple(&self, op: &Op, node: &Node) -> Option<(Operation, u32)> {
        let operand_width = || match self.store.sort(node.args[0]) {
            Sort::BitVec(width) => *width,
            _ => 0,
        };
        Some(match op {
            Op::Extract { low, .. } => (Operation::Extract, *low),
            Op::SignExtend(_) => (Operation::SignExtend, operand_width()),
            op => (plain(op)?, 0),
        })
    }
}

/// Operators that are one instruction without a parameter.
fn plain(op: &Op) -> Option<Operation> {
    Some(match op {
        Op::Not => Operation::Not,
        Op::Eq => Operation::Equal,
        Op::Ite => Operation::Ite,
        Op::BvNot => Operation::BvNot,
        Op::BvNeg => Operation::BvNeg,
        Op::BvAnd => Operation::BvAnd,
        Op::BvOr => Operation::BvOr,
        Op::BvXor => Operation::BvXor,
        Op::BvAdd => Operation::BvAdd,
        Op::BvSub => Operation::BvSub,
        Op::BvMul => Operation::BvMul,
        Op::BvUdiv => Operation::BvUdiv,
        Op::BvUrem => Operation::BvUrem,
        Op::BvSdiv => Operation::BvSdiv,
        Op::BvSrem => Operation::BvSrem,
        Op::BvSmod => Operation::BvSmod,
        Op::BvShl => Operation::BvShl,
        Op::BvLshr => Operation::BvLshr,
        Op::BvAshr => Operation::BvAshr,
        Op::BvUlt => Operation::BvUlt,
        Op::BvUle => Operation::BvUle,
        Op::BvSlt => Operation::BvSlt,
        Op::BvSle => Operation::BvSle,
        Op::ZeroExtend(_) => Operation::ZeroExtend,
        Op::FpAbs => Operation::FpAbs,
        Op::FpNeg => Operation::FpNeg,
        Op::FpAdd => Operation::FpAdd,
        Op::FpSub => Operation::FpSub,
        Op::FpMul => Operation::FpMul,
        Op::FpDiv => Operation::FpDiv,
        Op::FpFma => Operation::FpFma,
        Op::FpSqrt => Operation::FpSqrt,
        Op::FpRem => Operation::FpRem,
        Op::FpFmod => Operation::FpFmod,
        Op::FpRoundToIntegral => Operation::FpRoundToIntegral,
        Op::FpMin => Operation::FpMin,
        Op::FpMax => Operation::FpMax,
        Op::FpEq => Operation::FpEq,
        Op::FpLt => Operation::FpLt,
        Op::FpLe => Operation::FpLe,
        Op::FpIsNormal => Operation::FpIsNormal,
        Op::FpIsSubnormal => Operation::FpIsSubnormal,
        Op::FpIsZero => Operation::FpIsZero,
        Op::FpIsInfinite => Operation::FpIsInfinite,
        Op::FpIsNan => Operation::FpIsNan,
        Op::FpIsNegative => Operation::FpIsNegative,
        Op::FpIsPositive => Operation::FpIsPositive,
        Op::FpFromBits(_) => Operation::FpFromBits,
        Op::FpFromFloat(_) => Operation::FpFromFloat,
        Op::FpFromSigned(_) => Operation::FpFromSigned,
        Op::FpFromUnsigned(_) => Operation::FpFromUnsigned,
        Op::FpToUnsigned(_) => Operation::FpToUnsigned,
        Op::FpToSigned(_) => Operation::FpToSigned,
        Op::FpToBits => Operation::FpToBits,
        _ => return None,
    })
}
