//! Calls: of the program's functions, of functions that are only declared, through pointers.
//!
//! A function of the program is called with numbers and their shadows. One of the system is called with the own values, and what
//! it returns is its own shadow, which is marked where it is a float of a function that nothing is known of. A call
//! through a pointer goes to a function of the text that compares the address with those that the program takes.

use labrys_program::{Callee, FunctionId, Instruction, KnownFunction, Operand};

use crate::error::{Reason, Scalars};
use crate::foreign::{Foreign, taken};
use crate::function::Writer;

/// Functions that return more than once, or elsewhere.
const JUMPS: [&str; 8] =
    ["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "vfork", "getcontext", "__builtin_setjmp", "swapcontext"];

impl Writer<'_, '_> {
    /// A call.
    pub(crate) fn call(&mut self, instruction: &Instruction, callee: &Callee, arguments: &[Operand]) -> Scalars {
        match callee {
            Callee::Function(id) if self.module.program.functions[id.index()].blocks.is_empty() => {
                self.declared(instruction, *id, arguments)
            }
            Callee::Function(id) => self.defined(instruction, *id, arguments),
            Callee::Intrinsic(intrinsic) => self.intrinsic(instruction, intrinsic, arguments),
            Callee::Indirect(address) => self.indirect(instruction, address, arguments),
            // A compiler's barrier.
            Callee::InlineAsm(text) if text.is_empty() && arguments.is_empty() => Ok(Vec::new()),
            Callee::InlineAsm(_) => Err("inline assembly".into()),
        }
    }

    /// What a call returns, made once.
    fn returned(&mut self, instruction: &Instruction, call: &str) -> Scalars {
        let count = self.module.scalars(&instruction.ty)?.len();
        if count == 0 || instruction.result.is_none() {
            self.line(&format!("{call};"));
            return Ok(Vec::new());
        }
        if count == 1 {
            return Ok(vec![call.to_owned()]);
        }
        let ty = self.module.result_type(&instruction.ty)?;
        let result = self.temporary(&ty, call);
        Ok((0..count).map(|i| format!("{result}.r{i}")).collect())
    }

    /// All arguments' scalars.
    fn flattened(&mut self, arguments: &[Operand]) -> Scalars {
        let mut flat = Vec::new();
        for argument in arguments {
            flat.extend(self.operand(argument)?);
        }
        Ok(flat)
    }

    fn defined(&mut self, instruction: &Instruction, id: FunctionId, arguments: &[Operand]) -> Scalars {
        let program = self.module.program;
        let function = &program.functions[id.index()];
        if function.is_variadic {
            return self.unwritten(instruction);
        }
        if arguments.len() < function.parameters.len() {
            return Err("a call with another number of arguments".into());
        }
        let mut flat = Vec::new();
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let scalars = self.operand(argument)?;
            match (parameter.by_value, scalars.as_slice()) {
                // The callee gets a copy of its own.
                (Some((size, align)), [from]) => {
                    let copy = self.buffer(size, align.max(16));
                    self.copy(&copy, from, &size.to_string());
                    flat.push(copy);
                }
                _ => flat.extend(scalars),
            }
        }
        let name = self.module.function(id);
        self.returned(instruction, &format!("{name}({})", flat.join(", ")))
    }

    /// Ends the process: what has no text is met only where it is executed. Functions with variable arguments are those that
    /// print what went wrong.
    fn unwritten(&mut self, instruction: &Instruction) -> Scalars {
        self.line("__builtin_trap();");
        let places = self.module.scalars(&instruction.ty)?;
        Ok(places.iter().map(|place| place.kind.zero()).collect())
    }

    fn indirect(&mut self, instruction: &Instruction, address: &Operand, arguments: &[Operand]) -> Scalars {
        let types = arguments.iter().map(|argument| self.type_of(argument)).collect::<Result<Vec<_>, _>>()?;
        let key = (types, instruction.ty.clone());
        let indirect = &mut self.module.indirect;
        let index = indirect.iter().position(|known| *known == key).unwrap_or_else(|| {
            indirect.push(key);
            indirect.len() - 1
        });
        let mut actual = vec![self.scalar(address)?];
        actual.extend(self.flattened(arguments)?);
        self.returned(instruction, &format!("i{index}({})", actual.join(", ")))
    }

    fn declared(&mut self, instruction: &Instruction, id: FunctionId, arguments: &[Operand]) -> Scalars {
        let program = self.module.program;
        let function = &program.functions[id.index()];
        if JUMPS.contains(&function.name.as_str()) {
            return Err(Reason::new(format!("a call of {}", function.name)));
        }
        let Some(known) = function.known else { return self.system(instruction, id, arguments) };
        match known {
            KnownFunction::Float(call) => self.library(instruction, (function, known), call, arguments),
            KnownFunction::LogGammaWithSign => self.log_gamma(instruction, id, arguments),
            KnownFunction::Complex => self.complex(instruction, &function.name, arguments),
            KnownFunction::Copy | KnownFunction::Fill => {
                let flat = self.flattened(arguments)?;
                let [to, what, length, ..] = flat.as_slice() else { return Err("a copy without its length".into()) };
                match known {
                    KnownFunction::Copy => self.copy(to, what, length),
                    _ => self.fill(to, what, length),
                }
                Ok(vec![to.clone()])
            }
            KnownFunction::Allocate(allocation) if allocation.is_zero => {
                let flat = self.flattened(arguments)?;
                let call = self.system(instruction, id, arguments)?;
                let Some(call) = call.first() else { return Ok(Vec::new()) };
                let memory = self.temporary("P", call);
                let size = flat.get(allocation.size).cloned().unwrap_or_else(|| "0".to_owned());
                let count =
                    allocation.count.and_then(|count| flat.get(count).cloned()).unwrap_or_else(|| "1".to_owned());
                self.line(&format!("if ({memory}) forget_bytes({memory}, (size_t){size} * (size_t){count});"));
                Ok(vec![memory])
            }
            KnownFunction::Reallocate { size, .. } => {
                let flat = self.flattened(arguments)?;
                let (Some(old), Some(size)) = (flat.first(), flat.get(size)) else {
                    return Err("a realloc without its size".into());
                };
                let old = self.temporary("P", old);
                let call = self.system(instruction, id, arguments)?;
                let Some(call) = call.first() else { return Ok(Vec::new()) };
                let memory = self.temporary("P", call);
                self.line(&format!("if ({memory} && {memory} != {old}) carry_bytes({memory}, {old}, (size_t){size});"));
                Ok(vec![memory])
            }
            KnownFunction::Environment { .. } => Err("the floating-point environment".into()),
            KnownFunction::Nothing => {
                let places = self.module.scalars(&instruction.ty)?;
                Ok(places.iter().map(|place| place.kind.zero()).collect())
            }
            _ => self.system(instruction, id, arguments),
        }
    }

    /// A function of the system, called as it is.
    pub(crate) fn system(&mut self, instruction: &Instruction, id: FunctionId, arguments: &[Operand]) -> Scalars {
        let program = self.module.program;
        let function = &program.functions[id.index()];
        if function.parameters.iter().any(|parameter| parameter.by_value.is_some()) {
            return Err(Reason::new(format!("a call of {} with a struct in memory", function.name)));
        }
        let types = arguments.iter().map(|argument| self.type_of(argument)).collect::<Result<Vec<_>, _>>()?;
        let mut variables = Vec::new();
        for argument in arguments {
            variables.push(self.operand(argument)?);
        }
        let fixed = function.is_variadic.then_some(function.parameters.len());
        let foreign = Foreign::of(&types, &instruction.ty, fixed)?;
        let name = self.module.external(&function.name, &foreign.result, &foreign.parameters);
        let call = format!("{name}({})", foreign.actual(&variables));
        let is_known = function.known.is_some();
        if instruction.result.is_none() || foreign.results.is_empty() {
            self.line(&format!("{call};"));
            return Ok(Vec::new());
        }
        if foreign.results.len() == 1 {
            return Ok(vec![taken(foreign.results[0].kind, &call, is_known)]);
        }
        let result = self.temporary(&foreign.result, &call);
        Ok(foreign.members(&result).iter().map(|(kind, member)| taken(*kind, member, is_known)).collect())
    }
}
