//! C's declarations of the structs of a signature.
//!
//! Structs are declared with members `m0`, `m1`, ... of the same types, so that they are passed as the source's own: the
//! calling convention classifies a struct by its members' types and offsets. Where members don't lie where C would put
//! them the struct is packed and padded by hand. Static assertions hold sizes and
//! offsets to the signature's.

use crate::{ParameterType, Pointee, ResultType, Signature, StructType};

/// The distinct structs of a signature, inner ones first; `struct labrys_sN` is the N-th.
#[derive(Clone, Debug, Default)]
pub struct CStructs<'a> {
    distinct: Vec<&'a StructType>,
}

impl<'a> CStructs<'a> {
    /// Those of a signature.
    pub fn of(signature: &'a Signature) -> CStructs<'a> {
        let mut structs = CStructs { distinct: Vec::new() };
        for parameter in &signature.parameters {
            match &parameter.ty {
                ParameterType::Value(pointee) | ParameterType::Pointer { pointee, .. } => structs.add(pointee),
            }
        }
        if let ResultType::Value(pointee) = &signature.result {
            structs.add(pointee);
        }
        structs
    }

    fn add(&mut self, pointee: &'a Pointee) {
        if let Pointee::Struct(of) = pointee {
            for field in &of.fields {
                self.add(&field.ty);
            }
            if !self.distinct.contains(&of) {
                self.distinct.push(of);
            }
        }
    }

    /// A type's name in C.
    pub fn name(&self, pointee: &Pointee) -> String {
        match pointee {
            Pointee::Scalar(scalar) => scalar.c_name().to_owned(),
            // Every struct of the signature was added.
            Pointee::Struct(of) => {
                format!("struct labrys_s{}", self.distinct.iter().position(|known| *known == of).unwrap_or_default())
            }
        }
    }

    /// The declarations.
    pub fn declare(&self) -> String {
        let mut text = String::new();
        for (index, of) in self.distinct.iter().enumerate() {
            let natural = of.is_natural();
            text.push_str(&format!("struct labrys_s{index} {{\n"));
            let mut end = 0;
            for (k, field) in of.fields.iter().enumerate() {
                if !natural && field.offset > end {
                    text.push_str(&format!("    char padding{k}[{}];\n", field.offset - end));
                }
                let array = if field.is_array { format!("[{}]", field.count) } else { String::new() };
                text.push_str(&format!("    {} m{k}{array};\n", self.name(&field.ty)));
                end = field.offset + field.ty.size() * field.count;
            }
            if !natural && of.size > end {
                text.push_str(&format!("    char padding[{}];\n", of.size - end));
            }
            let attribute =
                if natural { String::new() } else { format!(" __attribute__((packed, aligned({})))", of.align.max(1)) };
            text.push_str(&format!("}}{attribute};\n"));
            text.push_str(&format!("_Static_assert(sizeof(struct labrys_s{index}) == {}, \"layout\");\n", of.size));
            for (k, field) in of.fields.iter().enumerate() {
                let offset = field.offset;
                text.push_str(&format!(
                    "_Static_assert(__builtin_offsetof(struct labrys_s{index}, m{k}) == {offset}, \"layout\");\n"
                ));
            }
            text.push('\n');
        }
        text
    }
}
