//! Which functions a function can call, computed addresses included.
//!
//! A call through a pointer may reach every function whose address is taken somewhere in the program (in an operand
//! other than a call's callee, or in a global's initial value), whose parameters have the call's argument types and whose
//! result has the call's type. That is every function that C allows such a call to reach, as long as nobody outside
//! passes one in. A function that is only declared, such as qsort, may call those
//! that it is given.

use rustc_hash::FxHashSet;

use crate::{Callee, Constant, Function, FunctionId, InstructionKind, Operand, Program, Type};

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
        let mut taken: FxHashSet<FunctionId> = program.hidden_addresses.iter().copied().collect();
        take_addresses(program.constructed.iter().map(|(_, initial)| initial), &mut taken);
        for global in &program.globals {
            take_addresses(global.initializer.iter(), &mut taken);
        }
        for function in &program.functions {
            let mut see = |operand: &Operand| take_addresses(constant_of(operand), &mut taken);
            for block in &function.blocks {
                block.instructions.iter().for_each(|instruction| instruction.kind.for_each_operand(&mut see));
                block.terminator.operand().into_iter().for_each(&mut see);
            }
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
            InstructionKind::Call(Callee::Function(id), arguments) => {
                found.insert(*id);
                if program.functions[id.index()].blocks.is_empty() {
                    take_addresses(arguments.iter().filter_map(constant_of), &mut found);
                }
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

fn constant_of(operand: &Operand) -> Option<&Constant> {
    match operand {
        Operand::Constant(constant) => Some(constant),
        Operand::Value(_) => None,
    }
}

/// Collects the functions that constants point to.
pub(crate) fn take_addresses<'c>(constants: impl IntoIterator<Item = &'c Constant>, taken: &mut FxHashSet<FunctionId>) {
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
