//! Which functions a function can call, computed addresses included.
//!
//! A call through a pointer may reach every function whose address is taken somewhere in the program (in an operand
//! other than a call's callee, or in a global's initial value), whose parameters have the call's argument types and whose
//! result has the call's type. That is every function that C allows such a call to reach, as long as the program makes no
//! address out of integers and nobody outside passes one in.

use rustc_hash::FxHashSet;

use crate::{Callee, Constant, Function, FunctionId, InstructionKind, Operand, Program, Terminator, Type};

/// The call graph of a program.
#[derive(Clone, Debug, Default)]
pub struct CallGraph {
    /// For each function those it can call, declarations included, ascending.
    callees: Vec<Vec<FunctionId>>,
    /// Functions whose address is taken, ascending.
    address_taken: Vec<FunctionId>,
}

impl CallGraph {
    /// Reads the calls of a program.
    pub fn new(program: &Program) -> CallGraph {
        let mut taken = FxHashSet::default();
        for global in &program.globals {
            take_addresses(global.initializer.iter(), &mut taken);
        }
        for function in &program.functions {
            for_each_operand(function, &mut |operand| {
                if let Operand::Constant(constant) = operand {
                    take_addresses([constant], &mut taken);
                }
            });
        }
        let mut address_taken: Vec<FunctionId> = taken.into_iter().collect();
        address_taken.sort_unstable();
        let callees = program.functions.iter().map(|function| callees(program, function, &address_taken)).collect();
        CallGraph { callees, address_taken }
    }

    /// The functions that `function` can call, declarations included, ascending.
    pub fn callees(&self, function: FunctionId) -> &[FunctionId] {
        self.callees.get(function.index()).map_or(&[], Vec::as_slice)
    }

    /// The functions whose address is taken, ascending.
    pub fn address_taken(&self) -> &[FunctionId] {
        &self.address_taken
    }

    /// `function` and all that it can call, directly or not, in order of discovery.
    pub fn reachable(&self, function: FunctionId) -> Vec<FunctionId> {
        let mut seen = FxHashSet::from_iter([function]);
        let mut found = vec![function];
        let mut next = 0;
        while let Some(&function) = found.get(next) {
            next += 1;
            found.extend(self.callees(function).iter().copied().filter(|callee| seen.insert(*callee)));
        }
        found
    }
}

/// The functions that an indirect call with these types can reach, of those whose address is taken.
pub fn indirect_targets(program: &Program, arguments: &[Type], result: &Type, taken: &[FunctionId]) -> Vec<FunctionId> {
    let fits = |id: &FunctionId| {
        let function = &program.functions[id.index()];
        let parameters = function.parameters.iter().map(|parameter| &parameter.ty);
        let count = function.parameters.len();
        // Declarations have their parameters' types too.
        let is_long_enough = arguments.len() == count || (function.is_variadic && arguments.len() > count);
        is_long_enough && parameters.eq(arguments.iter().take(count)) && function.result == *result
    };
    taken.iter().copied().filter(fits).collect()
}

fn callees(program: &Program, function: &Function, taken: &[FunctionId]) -> Vec<FunctionId> {
    let mut found = FxHashSet::default();
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        match &instruction.kind {
            InstructionKind::Call(Callee::Function(id), _) => {
                found.insert(*id);
            }
            InstructionKind::Call(Callee::Indirect(_), arguments) => {
                let types: Option<Vec<Type>> = arguments.iter().map(|operand| function.type_of(operand)).collect();
                match types {
                    Some(types) => found.extend(indirect_targets(program, &types, &instruction.ty, taken)),
                    None => found.extend(taken),
                }
            }
            _ => {}
        }
    }
    let mut found: Vec<FunctionId> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// Collects the functions that constants point to.
fn take_addresses<'c>(constants: impl IntoIterator<Item = &'c Constant>, taken: &mut FxHashSet<FunctionId>) {
    let mut pending: Vec<&Constant> = constants.into_iter().collect();
    while let Some(constant) = pending.pop() {
        match constant {
            Constant::Function(id) => {
                taken.insert(*id);
            }
            Constant::Aggregate(_, members) => pending.extend(members),
            _ => {}
        }
    }
}

/// Visits all operands but the callees of direct calls.
fn for_each_operand(function: &Function, visit: &mut dyn FnMut(&Operand)) {
    for block in &function.blocks {
        for instruction in &block.instructions {
            visit_instruction(&instruction.kind, visit);
        }
        match &block.terminator {
            Terminator::Return(Some(operand)) | Terminator::CondBranch(operand, ..) => visit(operand),
            Terminator::Switch { value, .. } => visit(value),
            _ => {}
        }
    }
}

fn visit_instruction(kind: &InstructionKind, visit: &mut dyn FnMut(&Operand)) {
    match kind {
        InstructionKind::FloatBinary(_, a, b)
        | InstructionKind::FloatCompare(_, a, b)
        | InstructionKind::IntCompare(_, a, b)
        | InstructionKind::IntBinary { lhs: a, rhs: b, .. }
        | InstructionKind::ExtractElement(a, b)
        | InstructionKind::ShuffleVector(a, b, _)
        | InstructionKind::InsertValue(a, b, _)
        | InstructionKind::Store { value: a, pointer: b, .. } => [a, b].into_iter().for_each(visit),
        InstructionKind::FloatNegate(a)
        | InstructionKind::Cast(_, a)
        | InstructionKind::Alloca(_, a, _)
        | InstructionKind::Load { pointer: a, .. }
        | InstructionKind::ExtractValue(a, _)
        | InstructionKind::Freeze(a) => visit(a),
        InstructionKind::Select(a, b, c) | InstructionKind::InsertElement(a, b, c) => {
            [a, b, c].into_iter().for_each(visit);
        }
        InstructionKind::Phi(incoming) => incoming.iter().for_each(|(_, operand)| visit(operand)),
        InstructionKind::PointerOffset { base, scaled, .. } => {
            visit(base);
            scaled.iter().for_each(|(operand, _)| visit(operand));
        }
        InstructionKind::Call(callee, arguments) => {
            if let Callee::Indirect(address) = callee {
                visit(address);
            }
            arguments.iter().for_each(visit);
        }
        InstructionKind::Unsupported(_) => {}
    }
}
