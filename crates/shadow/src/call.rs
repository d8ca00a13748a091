//! Calls: of the program's functions, of functions that are only declared, through pointers.
//!
//! A function of the program is called with numbers and their shadows. One of the system is called with the own values, and what
//! it returns is its own shadow, which is marked where it is a float of a function that nothing is known of. A call
//! through a pointer goes to a function of the text that compares the address with those that the program takes.

use labrys_program::{Callee, FunctionId, Instruction, KnownFunction, Operand, Type};

use crate::error::Reason;
use crate::function::Writer;
use crate::kind::{Kind, Own, Place};
use crate::module::Module;

/// Functions that return more than once, or elsewhere.
const JUMPS: [&str; 8] =
    ["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "vfork", "getcontext", "__builtin_setjmp", "swapcontext"];

impl Writer<'_, '_> {
    /// A call.
    pub(crate) fn call(
        &mut self,
        instruction: &Instruction,
        callee: &Callee,
        arguments: &[Operand],
    ) -> Result<Vec<String>, Reason> {
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
    fn returned(&mut self, instruction: &Instruction, call: &str) -> Result<Vec<String>, Reason> {
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
    fn flattened(&mut self, arguments: &[Operand]) -> Result<Vec<String>, Reason> {
        let mut flat = Vec::new();
        for argument in arguments {
            flat.extend(self.operand(argument)?);
        }
        Ok(flat)
    }

    fn defined(
        &mut self,
        instruction: &Instruction,
        id: FunctionId,
        arguments: &[Operand],
    ) -> Result<Vec<String>, Reason> {
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
    fn unwritten(&mut self, instruction: &Instruction) -> Result<Vec<String>, Reason> {
        self.line("__builtin_trap();");
        let places = self.module.scalars(&instruction.ty)?;
        Ok(places.iter().map(|place| place.kind.zero()).collect())
    }

    fn indirect(
        &mut self,
        instruction: &Instruction,
        address: &Operand,
        arguments: &[Operand],
    ) -> Result<Vec<String>, Reason> {
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

    fn declared(
        &mut self,
        instruction: &Instruction,
        id: FunctionId,
        arguments: &[Operand],
    ) -> Result<Vec<String>, Reason> {
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
                let count = allocation.count.and_then(|count| flat.get(count).cloned()).unwrap_or_else(|| "1".to_owned());
                self.line(&format!("if ({memory}) forget_bytes({memory}, (size_t){size} * (size_t){count});"));
                Ok(vec![memory])
            }
            KnownFunction::Reallocate { size } => {
                let flat = self.flattened(arguments)?;
                let (Some(old), Some(size)) = (flat.first(), flat.get(size)) else { return Err("a realloc without its size".into()) };
                let old = self.temporary("P", old);
                let call = self.system(instruction, id, arguments)?;
                let Some(call) = call.first() else { return Ok(Vec::new()) };
                let memory = self.temporary("P", call);
                self.line(&format!("if ({memory} && {memory} != {old}) carry_bytes({memory}, {old}, (size_t){size});"));
                Ok(vec![memory])
            }
            KnownFunction::Environment => Err("the floating-point environment".into()),
            KnownFunction::Nothing => {
                let places = self.module.scalars(&instruction.ty)?;
                Ok(places.iter().map(|place| place.kind.zero()).collect())
            }
            _ => self.system(instruction, id, arguments),
        }
    }

    /// A function of the system, called as it is.
    pub(crate) fn system(
        &mut self,
        instruction: &Instruction,
        id: FunctionId,
        arguments: &[Operand],
    ) -> Result<Vec<String>, Reason> {
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

/// A value that code without shadows made.
pub(crate) fn taken(kind: Kind, value: &str, is_known: bool) -> String {
    match kind {
        Kind::Float(own) if is_known => format!("{}({value})", own.function("exact")),
        Kind::Float(own) => format!("{}({value})", own.function("foreign")),
        Kind::Int(bits) => format!("(u{bits})({value})"),
        Kind::Pointer => value.to_owned(),
    }
}

/// How a function without shadows is called: C's types for those of the IR, where calling conventions make them the same.
pub(crate) struct Foreign {
    pub(crate) result: String,
    pub(crate) parameters: String,
    /// The scalars of the result.
    pub(crate) results: Vec<Place>,
    is_vector: bool,
    /// Kinds of each argument's scalars, and its C type where it is a vector.
    arguments: Vec<(Vec<Kind>, Option<String>)>,
}

impl Foreign {
    pub(crate) fn of(types: &[Type], result: &Type, fixed: Option<usize>) -> Result<Foreign, Reason> {
        let mut arguments = Vec::new();
        let mut formal: Vec<String> = Vec::new();
        for (index, ty) in types.iter().enumerate() {
            let kinds: Vec<Kind> = crate::kind::scalars(ty)?.iter().map(|place| place.kind).collect();
            let vector = vector_type(ty)?;
            if fixed.is_none_or(|fixed| index < fixed) {
                match &vector {
                    Some(vector) => formal.push(vector.clone()),
                    None => {
                        for kind in &kinds {
                            formal.push(kind.c_abi()?.to_owned());
                        }
                    }
                }
            }
            arguments.push((kinds, vector));
        }
        if fixed.is_some() {
            formal.push("...".to_owned());
        }
        let parameters = if formal.is_empty() { "void".to_owned() } else { formal.join(", ") };
        let results = crate::kind::scalars(result)?;
        let vector = vector_type(result)?;
        let is_vector = vector.is_some();
        let text = match (vector, results.as_slice()) {
            (Some(vector), _) => vector,
            (None, []) => "void".to_owned(),
            (None, [place]) => place.kind.c_abi()?.to_owned(),
            (None, [a, b]) if [a, b].iter().all(|place| is_word(place.kind)) => {
                // A struct without a tag would be another type in each declaration.
                format!("struct S_{}_{}", short(a.kind), short(b.kind))
            }
            _ => return Err("a call with a struct as its result".into()),
        };
        Ok(Foreign { result: text, parameters, results, is_vector, arguments })
    }

    /// The arguments as the function takes them.
    pub(crate) fn actual(&self, variables: &[Vec<String>]) -> String {
        let mut actual = Vec::new();
        for ((kinds, vector), scalars) in self.arguments.iter().zip(variables) {
            let values: Vec<String> = kinds.iter().zip(scalars).map(|(kind, scalar)| kind.to_abi(scalar)).collect();
            match vector {
                Some(vector) => actual.push(format!("({vector}){{ {} }}", values.join(", "))),
                // Variable arguments have no type that would convert them.
                None => actual.extend(kinds.iter().zip(values).map(|(kind, value)| match kind {
                    Kind::Int(_) => format!("({}){value}", kind.c_abi().unwrap_or("uint64_t")),
                    _ => value,
                })),
            }
        }
        actual.join(", ")
    }

    /// The scalars of a result in a variable.
    pub(crate) fn members(&self, variable: &str) -> Vec<(Kind, String)> {
        let name = |i: usize| if self.is_vector { format!("{variable}[{i}]") } else { format!("{variable}.m{i}") };
        self.results.iter().enumerate().map(|(i, place)| (place.kind, name(i))).collect()
    }
}

/// The C type of vectors that travel in one register.
fn vector_type(ty: &Type) -> Result<Option<String>, Reason> {
    let Type::Vector(element, count) = ty else { return Ok(None) };
    match (Kind::of(element)?, count) {
        (Kind::Float(Own::Single), 2) => Ok(Some("V2F".to_owned())),
        (Kind::Float(Own::Double), 2) => Ok(Some("V2D".to_owned())),
        _ => Err("a call with a vector".into()),
    }
}

/// Whether a member of a struct of two travels in a register of its own.
fn is_word(kind: Kind) -> bool {
    matches!(kind, Kind::Float(Own::Double) | Kind::Int(64) | Kind::Pointer)
}

fn short(kind: Kind) -> &'static str {
    match kind {
        Kind::Float(_) => "d",
        Kind::Int(_) => "l",
        Kind::Pointer => "p",
    }
}

/// The types of results of two members and of vectors.
pub(crate) fn foreign_types() -> String {
    let types = [("double", "d"), ("uint64_t", "l"), ("P", "p")];
    let mut text = String::from(
        "typedef float V2F __attribute__((vector_size(8)));\ntypedef double V2D __attribute__((vector_size(16)));\n",
    );
    for (first, a) in types {
        for (second, b) in types {
            text.push_str(&format!("struct S_{a}_{b} {{ {first} m0; {second} m1; }};\n"));
        }
    }
    text
}

impl Module<'_> {
    /// The bodies of indirect calls and of the entries of functions whose addresses are taken.
    pub(crate) fn dispatches(&mut self) -> Result<(String, String), Reason> {
        let (mut heads, mut bodies) = (String::new(), String::new());
        for index in 0..self.indirect.len() {
            let (types, result) = self.indirect[index].clone();
            let (head, body) = self.dispatch(index, &types, &result)?;
            heads.push_str(&format!("{head};\n"));
            bodies.push_str(&body);
        }
        Ok((heads, bodies))
    }

    fn dispatch(&mut self, index: usize, types: &[Type], result: &Type) -> Result<(String, String), Reason> {
        let returned = self.result_type(result)?;
        let (mut formal, mut variables, mut all) = (vec!["P target".to_owned()], Vec::new(), Vec::new());
        for (position, ty) in types.iter().enumerate() {
            let places = self.scalars(ty)?;
            let names: Vec<String> = (0..places.len()).map(|i| format!("a{position}_{i}")).collect();
            formal.extend(places.iter().zip(&names).map(|(place, name)| format!("{} {name}", place.kind.c_type())));
            all.extend(names.clone());
            variables.push(names);
        }
        let head = format!("static {returned} i{index}({})", formal.join(", "));
        let mut body = format!("{head}\n{{\n");
        let program = self.program;
        let targets = labrys_program::indirect_targets(program, types, result, &self.taken);
        let arrow = if returned == "void" { "" } else { "return " };
        for id in targets {
            let function = &program.functions[id.index()];
            if function.blocks.is_empty() || function.is_variadic {
                continue;
            }
            let call = format!("f{}({})", id.0, all.join(", "));
            let end = if returned == "void" { " return;" } else { "" };
            body.push_str(&format!("if (target == (P)t{}) {{ {arrow}{call};{end} }}\n", id.0));
        }
        match Foreign::of(types, result, None) {
            Ok(foreign) => {
                let call = format!(
                    "(({} (*)({}))target)({})",
                    foreign.result,
                    foreign.parameters,
                    foreign.actual(&variables)
                );
                body.push_str(&foreign_return(&foreign, &returned, &call));
            }
            Err(_) => body.push_str("__builtin_trap();\n"),
        }
        body.push_str("}\n");
        Ok((head, body))
    }

    /// Declarations and definitions of what addresses of functions point to.
    pub(crate) fn entries(&mut self) -> Result<(String, String), Reason> {
        let (mut heads, mut bodies) = (String::new(), String::new());
        let program = self.program;
        for id in self.taken.clone() {
            let function = &program.functions[id.index()];
            if function.blocks.is_empty() {
                heads.push_str(&format!("extern char t{}[] __asm__({:?});\n", id.0, function.name));
                continue;
            }
            let types: Vec<Type> = function.parameters.iter().map(|parameter| parameter.ty.clone()).collect();
            let by_value = function.is_variadic || function.parameters.iter().any(|parameter| parameter.by_value.is_some());
            let foreign = Foreign::of(&types, &function.result, None).ok().filter(|_| !by_value);
            let Some(foreign) = foreign.filter(|foreign| foreign.results.len() < 2) else {
                // Only the text itself can call it.
                heads.push_str(&format!("static void t{}(void);\n", id.0));
                bodies.push_str(&format!("static void t{}(void) {{ __builtin_trap(); }}\n", id.0));
                continue;
            };
            let (head, body) = entry(id, &foreign);
            heads.push_str(&format!("{head};\n"));
            bodies.push_str(&body);
        }
        Ok((heads, bodies))
    }
}

/// The end of an indirect call that goes to code without shadows.
fn foreign_return(foreign: &Foreign, returned: &str, call: &str) -> String {
    match foreign.results.as_slice() {
        [] => format!("{call};\n"),
        [place] => format!("return {};\n", taken(place.kind, call, false)),
        _ => {
            let members: Vec<String> =
                foreign.members("result").iter().map(|(kind, member)| taken(*kind, member, false)).collect();
            format!("{} result = {call};\nreturn ({returned}){{ {} }};\n", foreign.result, members.join(", "))
        }
    }
}

/// A function that takes own values and calls one that takes shadows.
fn entry(id: FunctionId, foreign: &Foreign) -> (String, String) {
    let mut formal = Vec::new();
    let mut actual = Vec::new();
    for (position, (kinds, vector)) in foreign.arguments.iter().enumerate() {
        if let Some(vector) = vector {
            formal.push(format!("{vector} a{position}"));
            actual.extend((0..kinds.len()).map(|i| taken(kinds[i], &format!("a{position}[{i}]"), true)));
            continue;
        }
        for (i, kind) in kinds.iter().enumerate() {
            formal.push(format!("{} a{position}_{i}", kind.c_abi().unwrap_or("P")));
            actual.push(taken(*kind, &format!("a{position}_{i}"), true));
        }
    }
    let formal = if formal.is_empty() { "void".to_owned() } else { formal.join(", ") };
    let head = format!("static {} t{}({formal})", foreign.result, id.0);
    let call = format!("f{}({})", id.0, actual.join(", "));
    let body = match foreign.results.first() {
        None => format!("{call};"),
        Some(place) => match place.kind {
            Kind::Float(_) => format!("return {call}.v;"),
            _ => format!("return {call};"),
        },
    };
    (head.clone(), format!("{head} {{ {body} }}\n"))
}
