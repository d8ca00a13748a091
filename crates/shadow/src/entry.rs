//! The function that workers call: the original's C signature and, behind it, the block of doubles.
//!
//! Arguments go into the IR's parameters, and the IR's result into the source's, through images in memory, as the
//! binding says ([`labrys_program::IrPart`]); compilers see through them. Arguments and memory that the caller gives
//! are exact: no shadow of an earlier call is left for them.

use std::fmt::Write as _;

use labrys_program::{
    Access, FloatType, FunctionId, IrBinding, IrParameter, IrPart, IrResult, Leaf, Length, Parameter, ParameterType,
    Pointee, ResultType, ScalarType, Signature, Type,
};

use crate::error::{Reason, Scalars};
use crate::kind::{Kind, Own, scalars};
use crate::module::Module;
use crate::shadow::{HEADER, PARAMETER, SYMBOL, block_element};
use crate::source_type::SourceTypes;

/// The original's float outputs.
pub(crate) fn outputs(signature: &Signature) -> Vec<Leaf> {
    let is_float = |leaf: &Leaf| matches!(leaf.scalar, ScalarType::Float(_));
    signature.output_layout().leaves.into_iter().filter(is_float).collect()
}

/// The signature of the shadow.
pub(crate) fn extended(signature: &Signature, outputs: usize) -> Signature {
    let mut extended = signature.clone();
    extended.symbol = SYMBOL.to_owned();
    let length = Length::Fixed((HEADER + 2 * outputs) as u64);
    let ty = ParameterType::Pointer { pointee: block_element(), length, access: Access::Out };
    extended.parameters.push(Parameter { name: PARAMETER.to_owned(), ty });
    extended
}

/// Writes the entry.
struct Entry<'e, 'm, 'p> {
    module: &'m mut Module<'p>,
    signature: &'e Signature,
    types: SourceTypes,
    body: String,
}

/// The text of the entry for a function.
pub(crate) fn text(
    module: &mut Module<'_>,
    function: FunctionId,
    binding: &IrBinding,
    signature: &Signature,
) -> Result<String, Reason> {
    let program = module.program;
    let definition = program.functions.get(function.index()).ok_or("no such function")?;
    if binding.parameters.len() != definition.parameters.len() {
        return Err("a binding for another number of parameters".into());
    }
    let name = module.function(function);
    let result_type = module.result_type(&definition.result)?;
    let mut entry = Entry { module, signature, types: SourceTypes::default(), body: String::new() };
    let mut formal = Vec::new();
    for (index, parameter) in signature.parameters.iter().enumerate() {
        formal.push(match &parameter.ty {
            ParameterType::Value(pointee) => format!("{} a{index}", entry.types.name(pointee)),
            ParameterType::Pointer { pointee, .. } => format!("{} *a{index}", entry.types.name(pointee)),
        });
    }
    formal.push("double *block".to_owned());
    let returned = match &signature.result {
        ResultType::Void => "void".to_owned(),
        ResultType::Value(pointee) => entry.types.name(pointee),
    };
    entry.line("begin_call();");
    if returned != "void" {
        entry.line(&format!("{returned} result = {{0}};"));
    }
    let mut actual = Vec::new();
    for (index, (how, parameter)) in binding.parameters.iter().zip(&definition.parameters).enumerate() {
        actual.extend(entry.argument(index, how, &parameter.ty)?);
    }
    let call = format!("{name}({})", actual.join(", "));
    entry.line(&if result_type == "void" { format!("{call};") } else { format!("{result_type} value = {call};") });
    entry.result(&binding.result, &definition.result)?;
    entry.header();
    if returned != "void" {
        entry.line("return result;");
    }
    let head = format!("{returned} {SYMBOL}({})", formal.join(", "));
    Ok(format!("{}__attribute__((visibility(\"default\"))) {head}\n{{\n{}}}\n", entry.types.definitions, entry.body))
}

impl Entry<'_, '_, '_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "    {text}");
    }

    /// The scalars of one parameter of the IR.
    fn argument(&mut self, index: usize, how: &IrParameter, ty: &Type) -> Scalars {
        match how {
            IrParameter::PointerTo { parameter } => Ok(vec![format!("(P)a{parameter}")]),
            // The entry's own copy of a struct is the callee's to change.
            IrParameter::ByValue { parameter } => Ok(vec![format!("(P)&a{parameter}")]),
            IrParameter::StructReturn => Ok(vec!["(P)&result".to_owned()]),
            IrParameter::Leaves(parts) => {
                let image = format!("image{index}");
                self.image(&image, ty);
                let inputs = self.signature.input_layout();
                for part in parts {
                    let leaf = inputs.leaves.iter().find(|leaf| leaf.offset == part.offset);
                    let parameter = leaf.and_then(|leaf| leaf.parameter).ok_or("a binding beyond its record")?;
                    let base = inputs.parameters.get(parameter).copied().flatten().unwrap_or(0);
                    let (to, from) = (place(part)?, part.offset - base);
                    let bytes = part.bytes;
                    self.line(&format!("__builtin_memcpy({image} + {to}, (char *)&a{parameter} + {from}, {bytes});"));
                }
                let places = self.module.scalars(ty)?;
                Ok(places
                    .iter()
                    .map(|place| {
                        let address = format!("({image} + {})", place.offset);
                        match place.kind {
                            Kind::Float(own) => format!("{}({address})", own.function("load_constant")),
                            kind => crate::cast::load_word(&address, kind),
                        }
                    })
                    .collect())
            }
        }
    }

    fn image(&mut self, name: &str, ty: &Type) {
        let size = ty.alloc_size().max(16);
        self.line(&format!("char {name}[{size}] __attribute__((aligned(16))) = {{0}};"));
    }

    /// Stores the result and all shadows of outputs.
    fn result(&mut self, how: &IrResult, ty: &Type) -> Result<(), Reason> {
        let outputs = self.signature.output_layout();
        let mut next = HEADER;
        if let ResultType::Value(pointee) = &self.signature.result {
            match how {
                IrResult::Void => {}
                IrResult::StructReturn => self.memory("(char *)&result", pointee, 1, &mut next)?,
                IrResult::Leaves(parts) => {
                    let leaves: Vec<&Leaf> = outputs.leaves.iter().filter(|leaf| leaf.parameter.is_none()).collect();
                    self.returned(parts, ty, &leaves, &mut next)?;
                }
            }
        }
        for (index, parameter) in self.signature.parameters.iter().enumerate() {
            if let ParameterType::Pointer { pointee, length, access: Access::Out | Access::InOut } = &parameter.ty {
                self.memory(&format!("(char *)a{index}"), pointee, length.capacity(), &mut next)?;
            }
        }
        Ok(())
    }

    /// A result that the IR returns as a value.
    fn returned(&mut self, parts: &[IrPart], ty: &Type, leaves: &[&Leaf], next: &mut usize) -> Result<(), Reason> {
        let places = scalars(ty)?;
        let variable = |i: usize| if places.len() == 1 { "value".to_owned() } else { format!("value.r{i}") };
        self.image("returned", ty);
        for (i, place) in places.iter().enumerate() {
            let text = crate::cast::store_own(&format!("(returned + {})", place.offset), *place, &variable(i));
            self.line(&text);
        }
        for part in parts {
            let (from, to) = (place(part)?, part.offset);
            let bytes = part.bytes;
            self.line(&format!("__builtin_memcpy((char *)&result + {to}, returned + {from}, {bytes});"));
            let Some(leaf) = leaves.iter().find(|leaf| leaf.offset == part.offset) else { continue };
            let ScalarType::Float(float) = leaf.scalar else { continue };
            let own = own_of(float)?;
            let scalar = places.iter().position(|place| place.offset == part.bit / 8 && place.kind == Kind::Float(own));
            let shadow = match scalar {
                Some(i) => variable(i),
                // A float that travels as an integer's bits.
                None => {
                    format!("{}({}((char *)&result + {to}).v)", own.function("foreign"), own.function("load_constant"))
                }
            };
            self.line(&format!("block[{}] = {shadow}.h; block[{}] = {shadow}.l;", *next, *next + 1));
            *next += 2;
        }
        Ok(())
    }

    /// Shadows of the floats in memory.
    fn memory(&mut self, address: &str, pointee: &Pointee, count: u64, next: &mut usize) -> Result<(), Reason> {
        let mut floats = Vec::new();
        floats_of(pointee, 0, &mut floats);
        if floats.is_empty() {
            return Ok(());
        }
        let first = *next;
        let each = 2 * floats.len();
        self.line(&format!("for (size_t e = 0; e < {count}; e++) {{"));
        for (position, (offset, float)) in floats.iter().enumerate() {
            let own = own_of(*float)?;
            let place = format!("{first} + {each} * e + {}", 2 * position);
            let size = pointee.size();
            self.line(&format!(
                "{} number{position} = {}({address} + {size} * e + {offset});",
                own.number(),
                own.function("load")
            ));
            self.line(&format!("block[{place}] = number{position}.h; block[{place} + 1] = number{position}.l;"));
        }
        self.line("}");
        *next += each * count as usize;
        Ok(())
    }

    fn header(&mut self) {
        self.line("block[0] = (double)state.marks; block[1] = state.cancelled; block[2] = (double)state.cancelled_at;");
        self.line("block[3] = (double)state.absorbed; block[4] = (double)state.parted_at;");
        // 52 bits, which a double holds whatever they are.
        self.line("block[5] = (double)(state.course >> 12);");
    }
}

fn place(part: &IrPart) -> Result<u64, Reason> {
    if part.bit.is_multiple_of(8) { Ok(part.bit / 8) } else { Err("a binding between bytes".into()) }
}

fn own_of(float: FloatType) -> Result<Own, Reason> {
    Own::of_source(float).ok_or_else(|| "outputs of type _Float16".into())
}

/// The floats of one element and their offsets.
fn floats_of(pointee: &Pointee, at: u64, floats: &mut Vec<(u64, FloatType)>) {
    match pointee {
        Pointee::Scalar(ScalarType::Float(float)) => floats.push((at, *float)),
        Pointee::Scalar(_) => {}
        Pointee::Struct(of) => {
            for field in &of.fields {
                for element in 0..field.count {
                    floats_of(&field.ty, at + field.offset + element * field.ty.size(), floats);
                }
            }
        }
    }
}
