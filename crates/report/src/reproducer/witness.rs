//! The C function that calls the code under test on the witness.

use labrys_float::{Float, Format};
use labrys_program::{Access, CStructs, FloatType, Length, ParameterType, Pointee, ResultType, ScalarType, Signature};

use super::commands::harmless;

/// A scalar's literal, exact: hexadecimal floats, NaNs with their payloads.
pub(crate) fn literal(scalar: ScalarType, bits: u128) -> String {
    match scalar {
        ScalarType::Float(float) => float_literal(float, bits),
        ScalarType::Int { bits: width, signed: true } => {
            let shift = 128 - width;
            let value = ((bits << shift) as i128) >> shift;
            // The most negative number has no literal of its own type.
            if value == i128::from(i64::MIN) { "INT64_MIN".to_owned() } else { value.to_string() }
        }
        ScalarType::Int { .. } | ScalarType::Bool => format!("{bits}u"),
    }
}

fn float_literal(float: FloatType, bits: u128) -> String {
    let value = Float::from_bits(float.format(), bits);
    let suffix = match float {
        FloatType::F16 => "f16",
        FloatType::F32 => "f",
        FloatType::F64 => "",
        FloatType::X87 => "l",
    };
    let sign = if value.is_negative() { "-" } else { "" };
    if value.is_nan() {
        // The fraction without the bit that makes a NaN quiet.
        let payload_bits = match value.format() {
            Format::BINARY16 => 9,
            Format::BINARY32 => 22,
            Format::BINARY64 => 51,
            _ => 62,
        };
        let payload = bits & ((1 << payload_bits) - 1);
        let signaling = if value.is_signaling_nan() { "s" } else { "" };
        return format!("{sign}__builtin_nan{signaling}{suffix}(\"{payload:#x}\")");
    }
    if value.is_infinite() {
        return format!("{sign}__builtin_inf{suffix}()");
    }
    format!("{}{suffix}", value.to_hex())
}

/// The initialiser of a value of a record.
fn initialiser(pointee: &Pointee, count: Option<u64>, record: &[u8], offset: usize) -> String {
    if let Some(count) = count {
        let size = pointee.size() as usize;
        let elements: Vec<String> =
            (0..count as usize).map(|i| initialiser(pointee, None, record, offset + i * size)).collect();
        return format!("{{{}}}", elements.join(", "));
    }
    match pointee {
        Pointee::Scalar(scalar) => literal(*scalar, scalar.read(record, offset)),
        Pointee::Struct(of) => {
            let members = of.fields.iter().enumerate().map(|(k, field)| {
                let count = field.is_array.then_some(field.count);
                format!(".m{k} = {}", initialiser(&field.ty, count, record, offset + field.offset as usize))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
    }
}

/// How many elements memory has; `None` for a single one.
fn elements(length: Length) -> Option<u64> {
    match length {
        Length::Fixed(1) => None,
        length => Some(length.capacity()),
    }
}

/// `static void call(void *symbol, unsigned char *record, int *flags)`: the call on the witness `input`, with its outputs
/// where the output record has them.
pub(super) fn call(signature: &Signature, structs: &CStructs<'_>, input: &[u8]) -> String {
    let (inputs, outputs) = (signature.input_layout(), signature.output_layout());
    let (mut variables, mut types, mut arguments, mut stores) = (String::new(), Vec::new(), Vec::new(), String::new());
    for (i, parameter) in signature.parameters.iter().enumerate() {
        let (pointee, count, access) = match &parameter.ty {
            ParameterType::Value(pointee) => (pointee, None, None),
            ParameterType::Pointer { pointee, length, access } => (pointee, elements(*length), Some(*access)),
        };
        let name = structs.name(pointee);
        let array = count.map(|count| format!("[{}]", count.max(1))).unwrap_or_default();
        let value = match inputs.parameters[i].filter(|_| count != Some(0)) {
            Some(offset) => initialiser(pointee, count, input, offset),
            None => "{0}".to_owned(),
        };
        let comment = harmless(&parameter.name);
        variables.push_str(&format!("    {name} a{i}{array} = {value}; /* {comment} */\n"));
        match access {
            None => {
                types.push(name);
                arguments.push(format!("a{i}"));
            }
            Some(access) => {
                types.push(format!("{name} *"));
                arguments.push(if count.is_some() { format!("a{i}") } else { format!("&a{i}") });
                if let (Access::Out | Access::InOut, Some(offset)) = (access, outputs.parameters[i])
                    && count != Some(0)
                {
                    stores.push_str(&format!("    memcpy(record + {offset}, &a{i}, sizeof a{i});\n"));
                }
            }
        }
    }
    let types = if types.is_empty() { "void".to_owned() } else { types.join(", ") };
    let (result_type, result) = match &signature.result {
        ResultType::Void => ("void".to_owned(), String::new()),
        ResultType::Value(pointee) => {
            let name = structs.name(pointee);
            stores.push_str("    memcpy(record, &result, sizeof result);\n");
            (name.clone(), format!("{name} result = "))
        }
    };
    format!(
        "static void call(void *symbol, unsigned char *record, int *flags) {{\n\
         {variables}    {result_type} (*function)({types}) = ({result_type} (*)({types}))symbol;\n    \
         (void)record;\n    \
         feclearexcept(FE_ALL_EXCEPT);\n    \
         {result}function({});\n    \
         *flags = fetestexcept(FE_ALL_EXCEPT);\n\
         {stores}}}\n",
        arguments.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_exact() {
        let double = |value: f64| literal(ScalarType::Float(FloatType::F64), value.to_bits().into());
        assert_eq!([double(0.1), double(-0.0), double(5e-324)], ["0x1.999999999999ap-4", "-0x0p+0", "0x1p-1074"]);
        assert_eq!(double(f64::NEG_INFINITY), "-__builtin_inf()");
        assert_eq!(literal(ScalarType::Float(FloatType::F16), 0x3c00), "0x1p+0f16");
        assert_eq!(literal(ScalarType::Float(FloatType::F32), 0xffc0_0003), "-__builtin_nanf(\"0x3\")");
        assert_eq!(literal(ScalarType::Float(FloatType::X87), 0x3fff_8000_0000_0000_0000), "0x1p+0l");
        let int = |bits, signed, value| literal(ScalarType::Int { bits, signed }, value);
        assert_eq!(int(64, true, 1 << 63), "INT64_MIN");
        assert_eq!([int(8, true, 0xff), int(8, false, 0xff)], ["-1", "255u"]);
    }
}
