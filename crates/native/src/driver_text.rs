//! The driver loop's C text for a signature.

use std::fmt::Write as _;

use labrys_program::{CStructs, FloatType, ParameterType, Pointee, ResultType, ScalarType, Signature, StructField};

use crate::shared::{BLOCK, OUTPUT_HEADER, PANICKED, TIMED_CALLS, X87_BROKEN, strides};

/// The parts that do not depend on the signature.
const PROLOGUE: &str = include_str!("driver_prologue.c");

/// The loops around one call, which do not depend on it either.
const LOOPS: &str = include_str!("driver_loops.c");

/// Bytes between two memory parameters, so that short overruns do not reach a neighbour.
const GAP: u64 = 64;

/// Bytes of the largest value that is passed in registers.
const IN_REGISTERS: u64 = 16;

/// The parts of the loop's body.
struct Body<'a> {
    structs: CStructs<'a>,
    /// Types of the parameters.
    declared: Vec<String>,
    /// Copies from the input record into memory blocks.
    copies: String,
    /// Loads of the values.
    loads: String,
    /// Statements that set all bits of floats that may be passed in vector registers.
    marks: String,
    arguments: Vec<String>,
    /// Copies of outputs into the output record.
    stores: String,
    /// Size of all memory blocks in bytes.
    blocks: u64,
}

/// The C text of the loop.
pub fn generate(signature: &Signature) -> String {
    let mut body = Body {
        structs: CStructs::of(signature),
        declared: Vec::new(),
        copies: String::new(),
        loads: String::new(),
        marks: String::new(),
        arguments: Vec::new(),
        stores: String::new(),
        blocks: 0,
    };
    let inputs = signature.input_layout();
    let outputs = signature.output_layout();
    let mut result_type = "void".to_owned();
    let mut assignment = "";
    // An x87 result is moved out of its register before anything looks at the x87 state.
    let mut settle = "";
    if let ResultType::Value(pointee) = &signature.result {
        result_type = body.structs.name(pointee);
        assignment = "result = ";
        if has_x87(pointee) {
            settle = "    __asm__ volatile(\"\" : \"+m\"(result) :: \"memory\");\n";
        }
        body.stores.push_str(&store(pointee, 1, "out", "&result"));
    }
    for (i, parameter) in signature.parameters.iter().enumerate() {
        body.add(i, &parameter.ty, inputs.parameters[i], outputs.parameters[i]);
    }
    let Body { structs, declared, copies, loads, marks, arguments, stores, blocks } = body;
    let result = if assignment.is_empty() { String::new() } else { format!("{result_type} result;") };
    let declared = if declared.is_empty() { "void".to_owned() } else { declared.join(", ") };
    let arguments = arguments.join(", ");
    let definitions = structs.declare();
    let (input_stride, output_stride) = strides(inputs.size, outputs.size);
    format!(
        "{PROLOGUE}
{definitions}
typedef {result_type} (*labrys_function)({declared});

/* One call, from its input record to its outputs. */
static inline __attribute__((always_inline)) void labrys_call(void *target, const byte *in, byte *out, int is_timed) {{
    static byte blocks[{blocks} + {GAP}] __attribute__((aligned(64)));
    (void)in; (void)out; (void)blocks;
{copies}    if (!is_timed) CLEAR_VECTORS();
{loads}    {result}
    {assignment}((labrys_function)target)({arguments});
{settle}{stores}}}

/* Sets all bits of the floats that may be in registers. */
static inline void labrys_mark(byte *in) {{
    (void)in;
{marks}}}

enum {{ INPUT_STRIDE = {input_stride}, OUTPUT_STRIDE = {output_stride}, OUTPUT_HEADER = {OUTPUT_HEADER}, BLOCK = {BLOCK}, X87_BROKEN = {X87_BROKEN}, TIMED_CALLS = {TIMED_CALLS} }};
#define PANICKED {PANICKED}u

{LOOPS}"
    )
}

impl Body<'_> {
    fn add(&mut self, i: usize, ty: &ParameterType, input: Option<usize>, output: Option<usize>) {
        match ty {
            ParameterType::Value(pointee) => {
                let (ty, at) = (self.structs.name(pointee), input.unwrap_or(0));
                if pointee.size() <= IN_REGISTERS {
                    self.mark(pointee, at as u64);
                }
                let _ = writeln!(self.loads, "    {ty} a{i}; memcpy(&a{i}, in + {at}, sizeof a{i});");
                self.arguments.push(format!("a{i}"));
                self.declared.push(ty);
            }
            ParameterType::Pointer { pointee, length, .. } => {
                let ty = self.structs.name(pointee);
                let count = length.capacity();
                let bytes = pointee.size() * count;
                let block = format!("(blocks + {})", self.blocks);
                self.blocks += (bytes + GAP).next_multiple_of(64);
                let _ = match input {
                    Some(at) => writeln!(self.copies, "    memcpy({block}, in + {at}, {bytes});"),
                    None => writeln!(self.copies, "    memset({block}, 0, {bytes});"),
                };
                if let Some(at) = output {
                    self.stores.push_str(&store(pointee, count, &format!("(out + {at})"), &block));
                }
                self.arguments.push(format!("({ty} *){block}"));
                self.declared.push(format!("{ty} *"));
            }
        }
    }
}

impl Body<'_> {
    /// Marks the floats of a value parameter. An x87 value is in no vector register, and an integer in none that holds floats.
    fn mark(&mut self, pointee: &Pointee, at: u64) {
        match pointee {
            Pointee::Scalar(ScalarType::Float(FloatType::F16 | FloatType::F32 | FloatType::F64)) => {
                let _ = writeln!(self.marks, "    memset(in + {at}, 0xff, {});", pointee.size());
            }
            Pointee::Scalar(_) => {}
            Pointee::Struct(of) => {
                for StructField { offset, ty, count, .. } in &of.fields {
                    for element in 0..*count {
                        self.mark(ty, at + offset + element * ty.size());
                    }
                }
            }
        }
    }
}

/// The statements that copy `count` elements; only values where the type has padding, whose bytes are anything.
fn store(pointee: &Pointee, count: u64, to: &str, from: &str) -> String {
    let size = pointee.size();
    if !has_padding(pointee) {
        return format!("    memcpy({to}, {from}, {});\n", size * count);
    }
    let mut pieces = Vec::new();
    value_pieces(pointee, 0, &mut pieces);
    let mut text = format!(
        "    for (size_t e = 0; e < {count}; e++) {{\n        \
         byte *t = (byte *){to} + e * {size}; const byte *f = (const byte *){from} + e * {size};\n"
    );
    for (offset, bytes) in pieces {
        let _ = writeln!(text, "        memcpy(t + {offset}, f + {offset}, {bytes});");
    }
    text.push_str("    }\n");
    text
}

/// Offsets and sizes of the scalars of one element, runs without padding joined.
fn value_pieces(pointee: &Pointee, at: u64, pieces: &mut Vec<(u64, u64)>) {
    match pointee {
        Pointee::Scalar(scalar) => {
            let bytes = scalar.value_bytes() as u64;
            match pieces.last_mut() {
                Some((offset, size)) if *offset + *size == at => *size += bytes,
                _ => pieces.push((at, bytes)),
            }
        }
        Pointee::Struct(of) => {
            for StructField { offset, ty, count, .. } in &of.fields {
                for element in 0..*count {
                    value_pieces(ty, at + offset + element * ty.size(), pieces);
                }
            }
        }
    }
}

/// Whether some bytes of an element belong to no scalar.
fn has_padding(pointee: &Pointee) -> bool {
    let mut pieces = Vec::new();
    value_pieces(pointee, 0, &mut pieces);
    pieces != [(0, pointee.size())]
}

fn has_x87(pointee: &Pointee) -> bool {
    match pointee {
        Pointee::Scalar(scalar) => *scalar == ScalarType::Float(FloatType::X87),
        Pointee::Struct(of) => of.fields.iter().any(|field| has_x87(&field.ty)),
    }
}

#[cfg(test)]
mod tests {
    use labrys_program::StructType;

    use super::*;

    fn field(name: &str, offset: u64, ty: Pointee, count: u64) -> StructField {
        StructField { name: name.to_owned(), offset, ty, count, is_array: count > 1 }
    }

    #[test]
    fn only_values_are_copied_out_of_padded_structs() {
        let f32_ = Pointee::Scalar(ScalarType::Float(FloatType::F32));
        let f64_ = Pointee::Scalar(ScalarType::Float(FloatType::F64));
        let fields = vec![field("a", 0, f32_.clone(), 1), field("b", 8, f64_, 2), field("c", 24, f32_, 1)];
        let padded = Pointee::Struct(StructType { name: String::new(), size: 32, align: 8, fields });
        let mut pieces = Vec::new();
        value_pieces(&padded, 0, &mut pieces);
        assert_eq!(pieces, [(0, 4), (8, 20)]);
        assert!(has_padding(&padded));
        assert!(has_padding(&Pointee::Scalar(ScalarType::Float(FloatType::X87))));
        assert!(!has_padding(&Pointee::Scalar(ScalarType::Bool)));
    }

    #[test]
    fn packed_structs_are_recognised() {
        let f64_ = Pointee::Scalar(ScalarType::Float(FloatType::F64));
        let byte = Pointee::Scalar(ScalarType::Int { bits: 8, signed: false });
        let fields = vec![field("a", 0, byte, 1), field("b", 1, f64_, 1)];
        let packed = StructType { name: String::new(), size: 9, align: 1, fields };
        assert!(!packed.is_natural());
    }
}
