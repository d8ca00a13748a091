use crate::{Access, FunctionId, IrParameter, ParameterType, Program, Signature, map_parameters};

/// The function in IR of the same source, whose symbol may differ: Rust's hashes depend on the flags.
pub(super) fn find(program: &Program, symbol: &str, name: &str) -> Option<FunctionId> {
    program.function(symbol).or_else(|| {
        let named =
            |function: &crate::Function| function.source_name.as_deref() == Some(name) && !function.blocks.is_empty();
        let mut found = program.functions.iter().enumerate().filter(|(_, function)| named(function));
        let first = found.next()?;
        found.next().is_none().then_some(FunctionId(first.0 as u32))
    })
}

/// Narrows the direction of memory parameters to what the IR knows: only read, or only written.
///
/// Debug information says `const` at best; LLVM infers `readonly` and `writeonly` for the function as compiled. A
/// signature that does not fit the IR is left as it is.
pub(super) fn refine(signature: &mut Signature, program: &Program) {
    let Some(function) = find(program, &signature.symbol, &signature.name) else { return };
    let Ok(binding) = map_parameters(signature, program, function) else { return };
    let ir = &program.functions[function.index()].parameters;
    for (carried, parameter) in binding.parameters.iter().zip(ir) {
        let IrParameter::PointerTo { parameter: index } = carried else { continue };
        if let ParameterType::Pointer { access, .. } = &mut signature.parameters[*index].ty
            && *access == Access::InOut
        {
            if parameter.is_read_only {
                *access = Access::In;
            } else if parameter.is_write_only {
                *access = Access::Out;
            }
        }
    }
}
