//! C types of the source's parameters: what calling conventions see of them.

use std::fmt::Write as _;

use labrys_program::{Pointee, StructType};

/// The structs declared so far.
#[derive(Default)]
pub(crate) struct SourceTypes {
    pub(crate) definitions: String,
    structs: Vec<StructType>,
}

impl SourceTypes {
    /// The C name of a type, declared if it is a new struct. One whose members C would lay out otherwise is packed, with
    /// its padding as members.
    pub(crate) fn name(&mut self, pointee: &Pointee) -> String {
        let of = match pointee {
            Pointee::Scalar(scalar) => return scalar.c_name().to_owned(),
            Pointee::Struct(of) => of,
        };
        if let Some(index) = self.structs.iter().position(|known| known == of) {
            return format!("struct source{index}");
        }
        let is_packed = !of.is_natural();
        let (mut members, mut end) = (String::new(), 0);
        for (position, field) in of.fields.iter().enumerate() {
            if is_packed && field.offset > end {
                let _ = write!(members, " char gap{position}[{}];", field.offset - end);
            }
            let ty = self.name(&field.ty);
            let count = if field.is_array { format!("[{}]", field.count) } else { String::new() };
            let _ = write!(members, " {ty} member{position}{count};");
            end = field.offset + field.ty.size() * field.count;
        }
        if is_packed && of.size > end {
            let _ = write!(members, " char rest[{}];", of.size - end);
        }
        let attribute =
            if is_packed { format!(" __attribute__((packed, aligned({})))", of.align) } else { String::new() };
        let index = self.structs.len();
        self.structs.push(of.clone());
        let _ = writeln!(self.definitions, "struct source{index} {{{members} }}{attribute};");
        let _ = writeln!(self.definitions, "_Static_assert(sizeof(struct source{index}) == {}, \"layout\");", of.size);
        format!("struct source{index}")
    }
}
