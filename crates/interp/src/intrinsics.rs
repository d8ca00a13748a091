//! LLVM's intrinsics: which family handles which.

use labrys_program::{Instruction, Operand};

use crate::machine::{HaltOf, ValueOf, int_of};
use crate::state::single;
use crate::{Domain, Int, Machine, Place, Pointer, Scalar, State, Stop};

/// Intrinsics that only tell the optimiser something.
const HINTS: [&str; 14] = [
    "llvm.lifetime.start",
    "llvm.lifetime.end",
    "llvm.invariant.start",
    "llvm.invariant.end",
    "llvm.experimental.noalias.scope.decl",
    "llvm.var.annotation",
    "llvm.prefetch",
    "llvm.donothing",
    "llvm.sideeffect",
    "llvm.stackrestore",
    "llvm.fake.use",
    "llvm.pseudoprobe",
    "llvm.instrprof.increment",
    "llvm.codeview.annotation",
];

/// Intrinsics that return their first argument.
const IDENTITIES: [&str; 9] = [
    "llvm.expect",
    "llvm.expect.with.probability",
    "llvm.ssa.copy",
    "llvm.launder.invariant.group",
    "llvm.strip.invariant.group",
    "llvm.threadlocal.address",
    "llvm.arithmetic.fence",
    "llvm.annotation",
    "llvm.ptr.annotation",
];

/// Whether an intrinsic only tells the optimiser something; of `llvm.assume`, whose operand counts, that is not said.
pub fn is_hint(name: &str) -> bool {
    HINTS.contains(&name) || name.starts_with("llvm.dbg.")
}

/// Whether an intrinsic returns its first argument.
pub fn is_identity(name: &str) -> bool {
    IDENTITIES.contains(&name)
}

impl<D: Domain> Machine<'_, D> {
    /// Executes an intrinsic.
    pub(crate) fn intrinsic(
        &mut self,
        state: &mut State<D>,
        place: &Place,
        instruction: &Instruction,
        name: &str,
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        if is_hint(name) {
            return self.hint_result(instruction);
        }
        // Metadata operands of hints and constrained operations have no value, so operands are read one by one.
        if is_identity(name) {
            return match operands.first() {
                Some(operand) => self.operand(state, operand),
                None => Err(malformed(name).into()),
            };
        }
        if name.starts_with("llvm.vector.reduce.") {
            return self.reduction(state, place, name, operands);
        }
        if let Some(value) = self.float_intrinsic(state, place, instruction, name, operands)? {
            return Ok(value);
        }
        if let Some(value) = self.int_intrinsic(state, instruction, name, operands)? {
            return Ok(value);
        }
        if let Some(value) = self.memory_intrinsic(state, place, instruction, name, operands)? {
            return Ok(value);
        }
        self.other_intrinsic(state, instruction, name, operands)
    }

    /// Hints that have a result give a null pointer (`llvm.invariant.start`).
    fn hint_result(&mut self, instruction: &Instruction) -> Result<ValueOf<D>, HaltOf<D>> {
        Ok(match instruction.result {
            Some(_) => single(Scalar::pointer(Pointer::null())),
            None => ValueOf::<D>::new(),
        })
    }

    fn other_intrinsic(
        &mut self,
        state: &mut State<D>,
        instruction: &Instruction,
        name: &str,
        operands: &[Operand],
    ) -> Result<ValueOf<D>, HaltOf<D>> {
        match name {
            "llvm.assume" => {
                let condition = operands.first().ok_or_else(|| malformed(name))?;
                let condition = self.scalar(state, condition)?;
                // An assumption that is not known to fail is not followed up: forking on it would only cost paths.
                match self.known(state, int_of(&condition)?) {
                    Some(0) => Err(Stop::Unreachable.into()),
                    _ => Ok(ValueOf::<D>::new()),
                }
            }
            "llvm.trap" | "llvm.debugtrap" | "llvm.ubsantrap" => Err(Stop::Exit(None).into()),
            "llvm.stacksave" => Ok(single(Scalar::pointer(Pointer::null()))),
            "llvm.is.constant" => Ok(single(Scalar::int(Int::bool(false)))),
            // Rounding to nearest, in C's FLT_ROUNDS.
            "llvm.get.rounding" => Ok(single(Scalar::int(Int::new(32, 1)))),
            "llvm.objectsize" => {
                let width = match instruction.ty {
                    labrys_program::Type::Int(bits) => bits,
                    _ => 64,
                };
                let least = operands.get(1).ok_or_else(|| malformed(name))?;
                let least = self.scalar(state, least)?;
                let unknown = if int_of(&least)?.concrete() == Some(0) { u128::MAX } else { 0 };
                Ok(single(Scalar::int(Int::new(width, unknown))))
            }
            _ => Err(Stop::unsupported(format!("intrinsic {name}")).into()),
        }
    }

    /// The values of the first `count` operands.
    pub(crate) fn values(
        &mut self,
        state: &State<D>,
        operands: &[Operand],
        count: usize,
    ) -> Result<Vec<ValueOf<D>>, HaltOf<D>> {
        if operands.len() < count {
            return Err(Stop::unsupported("a call with too few arguments").into());
        }
        operands[..count].iter().map(|operand| self.operand(state, operand)).collect()
    }
}

/// A call whose arguments do not fit.
pub(crate) fn malformed(name: &str) -> Stop {
    Stop::unsupported(format!("{name} with these arguments"))
}
