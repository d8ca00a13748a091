//! The `main` that asks for a function's arguments, calls it, and says what it computed.

use std::fmt::Write as _;
use std::path::Path;

use labrys_fuzz::InputClass;
use labrys_program::{
    CStructs, InputLayout, Language, Leaf, Length, OutputLayout, ParameterType, ResultType, ScalarType, Signature,
};
use labrys_testcase::{InputObject, TestInput};

use crate::inputs::domain::Domain;

/// How the harness calls the function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target<'a> {
    /// By its symbol, which another file defines.
    Symbol,
    /// By its name in a file that is included: others do not see it.
    Included(&'a Path),
}

/// Memory with as many elements as a parameter says, and `beyond` more.
struct Sized {
    pointer: usize,
    length: usize,
    /// The largest length.
    max: u64,
    beyond: u64,
}

/// The macro that sets the program's own `main` aside.
pub(crate) const ASIDE: &str = "labrys_unused_main";

/// A function's harness.
pub(crate) struct Harness<'a> {
    pub(crate) signature: &'a Signature,
    pub(crate) domain: &'a Domain,
    pub(crate) class: InputClass,
    pub(crate) target: Target<'a>,
    /// What memory is aligned to, in bytes. AddressSanitizer puts nothing around globals that are aligned to more than 32.
    pub(crate) alignment: u32,
    /// Pointer parameters that may be null, ascending.
    pub(crate) nullable: &'a [usize],
    /// Whether memory whose length a parameter says ends where that says, so that an access behind it is an error. It takes a path for each length.
    pub(crate) ends_at_length: bool,
}

impl Harness<'_> {
    /// The C text, whose entry is called `main`. It needs no headers, so that it can follow any file.
    pub(crate) fn text(&self, main: &str, language: Language) -> String {
        let structs = CStructs::of(self.signature);
        let mut text = String::new();
        if let Target::Included(file) = self.target {
            // A path in quotation marks ends at the next one.
            let _ = writeln!(text, "#define main {ASIDE}\n#include \"{}\"", file.display());
        }
        text.push_str("#undef main\n#include <stddef.h>\n#include <stdint.h>\n");
        if language == Language::Cpp {
            text.push_str("#define _Bool bool\n#define _Static_assert static_assert\nextern \"C\" {\n");
        }
        text.push_str("void klee_make_symbolic(void *address, size_t size, const char *name);\n");
        text.push_str("void klee_assume(uintptr_t condition);\n");
        text.push_str(
            "void labrys_output(const char *name, const void *address, size_t size, size_t count, size_t stride, int kind);\n",
        );
        text.push_str(&structs.declare());
        let types: Vec<String> = self.signature.parameters.iter().map(|of| parameter_type(&structs, &of.ty)).collect();
        let result = match &self.signature.result {
            ResultType::Void => "void".to_owned(),
            ResultType::Value(pointee) => structs.name(pointee),
        };
        let declared = if types.is_empty() { "void".to_owned() } else { types.join(", ") };
        let callee = match self.target {
            Target::Symbol => {
                let symbol = self.signature.symbol.replace(['"', '\\', '\n'], "");
                let _ = writeln!(text, "extern {result} labrys_target({declared}) __asm__(\"{symbol}\");");
                "labrys_target".to_owned()
            }
            Target::Included(_) => format!("(({result} (*)({declared})){})", self.signature.symbol),
        };
        if language == Language::Cpp {
            text.push_str("}\n");
        }
        let _ = writeln!(
            text,
            "int {main}(int argument_count, char **arguments) {{\n    (void)argument_count, (void)arguments;"
        );
        self.inputs(&mut text, &structs);
        let sized = self.sized();
        self.memory_that_ends(&mut text, &sized, &types);
        let argument = |index: usize| {
            let value = match sized.iter().find(|of| of.pointer == index || of.length == index) {
                Some(of) if of.pointer == index => format!("e{index}"),
                // What it points to is that number.
                Some(_) if self.is_pointer(index) => format!("p{index}"),
                Some(_) => format!("({})l{index}", types[index]),
                None => format!("p{index}"),
            };
            if self.nullable.contains(&index) { format!("n{index} ? 0 : {value}") } else { value }
        };
        let arguments: Vec<String> = (0..types.len()).map(argument).collect();
        let call = format!("{callee}({})", arguments.join(", "));
        match &self.signature.result {
            ResultType::Void => {
                let _ = writeln!(text, "    {call};");
            }
            ResultType::Value(_) => {
                let _ = writeln!(text, "    {result} result = {call};");
            }
        }
        for of in &sized {
            let _ = writeln!(text, "    __builtin_memcpy(p{0}, e{0}, s{0});", of.pointer);
        }
        outputs(&mut text, &self.domain.outputs);
        text.push_str("    return 0;\n}\n");
        text
    }

    /// Memory that ends where a parameter says.
    fn sized(&self) -> Vec<Sized> {
        let parameters = self.signature.parameters.iter().enumerate();
        let sized = parameters.filter_map(|(pointer, parameter)| match parameter.ty {
            ParameterType::Pointer { length: Length::Parameter { index, max, beyond }, .. } if self.ends_at_length => {
                Some(Sized { pointer, length: index, max, beyond })
            }
            _ => None,
        });
        sized.collect()
    }

    /// Whether a parameter points to what it says: Fortran's arguments do.
    fn is_pointer(&self, index: usize) -> bool {
        self.signature.parameters.get(index).is_some_and(|of| matches!(of.ty, ParameterType::Pointer { .. }))
    }

    /// A parameter that says a length, as a number.
    fn length(&self, index: usize) -> String {
        if self.is_pointer(index) { format!("p{index}[0]") } else { format!("p{index}") }
    }

    /// Moves what is asked for into such memory. The lengths are counted up to, so that each is a known number on its path.
    fn memory_that_ends(&self, text: &mut String, sized: &[Sized], types: &[String]) {
        let mut counted = Vec::new();
        for Sized { pointer, length, max, beyond } in sized {
            if !counted.contains(length) {
                counted.push(*length);
                let said = self.length(*length);
                let _ = writeln!(
                    text,
                    "    long long l{length} = 0;\n    while (l{length} < {max} && l{length} != {said}) ++l{length};"
                );
            }
            let _ = writeln!(
                text,
                "    size_t s{pointer} = ((size_t)l{length} + {beyond}) * sizeof p{pointer}[0];\n    {ty} e{pointer} = ({ty})\
                 __builtin_alloca_with_align(s{pointer}, {bits});\n    __builtin_memcpy(e{pointer}, p{pointer}, s{pointer});",
                ty = types[*pointer],
                bits = self.alignment * 8
            );
        }
    }

    /// Declares the arguments, asks for them, and assumes what holds of inputs.
    fn inputs(&self, text: &mut String, structs: &CStructs<'_>) {
        let layout = &self.domain.inputs;
        for (index, parameter) in self.signature.parameters.iter().enumerate() {
            let _ = match &parameter.ty {
                ParameterType::Value(pointee) => writeln!(text, "    {} p{index};", structs.name(pointee)),
                ParameterType::Pointer { pointee, length, .. } => writeln!(
                    text,
                    "    static {} p{index}[{}] __attribute__((aligned({})));",
                    structs.name(pointee),
                    length.capacity().max(1),
                    self.alignment
                ),
            };
            if layout.parameters[index].is_some() {
                let name: String = parameter.name.chars().filter(|c| !matches!(c, '"' | '\\' | '\n')).collect();
                let address = if matches!(parameter.ty, ParameterType::Value(_)) { "&" } else { "" };
                let _ = writeln!(text, "    klee_make_symbolic({address}p{index}, sizeof p{index}, \"{name}\");");
            }
        }
        for index in self.nullable {
            let name = null_name(&self.signature.parameters[*index].name);
            let _ = writeln!(
                text,
                "    unsigned char n{index};\n    klee_make_symbolic(&n{index}, 1, \"{name}\");\n    klee_assume(n{index} <= 1);"
            );
        }
        for leaf in &layout.leaves {
            if leaf.scalar == ScalarType::Bool {
                let _ = writeln!(text, "    klee_assume(*(unsigned char *){} <= 1);", address(layout, leaf));
            }
            if matches!(leaf.scalar, ScalarType::Float(_)) && self.class == InputClass::Finite {
                let value = value(layout, leaf);
                let _ = writeln!(text, "    klee_assume({value} - {value} == 0);");
            }
        }
        for parameter in &self.signature.parameters {
            let ParameterType::Pointer { length: Length::Parameter { index, max, .. }, .. } = parameter.ty else {
                continue;
            };
            let said = self.length(index);
            let _ = writeln!(text, "    klee_assume(({said} >= 0) & ({said} <= {max}));");
        }
        for assumption in &self.domain.assumptions {
            let text_of =
                assumption.c_text(&|leaf| layout.leaves.get(leaf).map_or_else(String::new, |leaf| value(layout, leaf)));
            let _ = writeln!(text, "    klee_assume({text_of});");
        }
    }

    /// The input that a record of the search is.
    pub(crate) fn input(&self, record: &[u8]) -> TestInput {
        let mut objects = Vec::new();
        for (parameter, at) in self.signature.parameters.iter().zip(&self.domain.inputs.parameters) {
            let Some(at) = *at else { continue };
            let size = match &parameter.ty {
                ParameterType::Value(pointee) => pointee.size(),
                ParameterType::Pointer { pointee, length, .. } => pointee.size() * length.capacity().max(1),
            };
            let mut bytes = record.get(at..).unwrap_or_default().to_vec();
            bytes.resize(usize::try_from(size).unwrap_or(0), 0);
            objects.push(InputObject { name: parameter.name.clone(), bytes });
        }
        for index in self.nullable {
            objects.push(InputObject { name: null_name(&self.signature.parameters[*index].name), bytes: vec![0] });
        }
        TestInput { arguments: Vec::new(), objects }
    }

    /// The parameters that are null in an input, ascending.
    pub(crate) fn nulls(&self, input: &TestInput) -> Vec<usize> {
        let asked = self.domain.inputs.parameters.iter().flatten().count();
        let flags = input.objects.iter().skip(asked);
        let set = self.nullable.iter().zip(flags).filter(|(_, flag)| flag.bytes.first().is_some_and(|bit| *bit != 0));
        set.map(|(index, _)| *index).collect()
    }

    /// The record that an input is: as reports show inputs.
    pub(crate) fn record(&self, input: &TestInput) -> Vec<u8> {
        let mut record = vec![0; self.domain.inputs.size];
        let places = self.domain.inputs.parameters.iter().flatten();
        for (object, at) in input.objects.iter().zip(places) {
            if let Some(target) = record.get_mut(*at..) {
                let count = object.bytes.len().min(target.len());
                target[..count].copy_from_slice(&object.bytes[..count]);
            }
        }
        record
    }
}

/// What the input is called that says whether a parameter is null.
fn null_name(parameter: &str) -> String {
    let name: String = parameter.chars().filter(|c| !matches!(c, '"' | '\\' | '\n')).collect();
    format!("{name} is null")
}

fn parameter_type(structs: &CStructs<'_>, ty: &ParameterType) -> String {
    match ty {
        ParameterType::Value(pointee) => structs.name(pointee),
        ParameterType::Pointer { pointee, .. } => format!("{} *", structs.name(pointee)),
    }
}

/// The address of an input.
fn address(layout: &InputLayout, leaf: &Leaf) -> String {
    let index = leaf.parameter.unwrap_or(0);
    let start = layout.parameters.get(index).copied().flatten().unwrap_or(0);
    format!("((char *)&p{index} + {})", leaf.offset - start)
}

fn value(layout: &InputLayout, leaf: &Leaf) -> String {
    format!("*({} *){}", leaf.scalar.c_name(), address(layout, leaf))
}

/// Says what was computed: the result, and memory that is not only read.
fn outputs(text: &mut String, layout: &OutputLayout) {
    let mut rest = layout.leaves.as_slice();
    while let Some(first) = rest.first() {
        let (base, start, name) = match first.parameter {
            None => ("&result".to_owned(), layout.result.unwrap_or(0), "result"),
            Some(index) => {
                let start = layout.parameters.get(index).copied().flatten().unwrap_or(0);
                (format!("p{index}"), start, first.path.as_str())
            }
        };
        // Elements of an array that follow each other are told together.
        let stride = first.scalar.size() as usize;
        let is_next = |(at, leaf): (usize, &Leaf)| {
            leaf.parameter == first.parameter
                && leaf.scalar == first.scalar
                && leaf.offset == first.offset + at * stride
                && leaf.path.strip_suffix(']').is_some()
        };
        let count = rest.iter().enumerate().take_while(|(at, leaf)| *at == 0 || is_next((*at, leaf))).count();
        let name = if count > 1 { name.strip_suffix("[0]").unwrap_or(name) } else { name };
        let name: String = name.chars().filter(|c| !matches!(c, '"' | '\\' | '\n')).collect();
        let kind = if matches!(first.scalar, ScalarType::Float(_)) { 'f' } else { 'i' };
        let _ = writeln!(
            text,
            "    labrys_output(\"{name}\", (char *){base} + {}, {}, {count}, {stride}, '{kind}');",
            first.offset - start,
            first.scalar.value_bytes()
        );
        rest = &rest[count..];
    }
}
