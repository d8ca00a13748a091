//! Inputs as the report shows them.

use std::collections::{BTreeMap, HashMap};

use labrys_executor::AnyArguments;
use labrys_float::Format;
use labrys_program::{FloatType, InputType, Pointee, ScalarType, Type, VariableType};
use labrys_report::{Value, variable_value};
use labrys_testcase::{InputObject, Nondet, STANDARD_INPUT, ScalarKind, TestInput};

/// What a proof takes for granted of arguments that may be any.
pub(crate) fn of_arguments(any: AnyArguments) -> Option<String> {
    let AnyArguments { least, most, length } = any;
    (most > 0).then(|| {
        format!(
            "{least} to {most} arguments may be any, of at most {length} bytes; what lies behind an argument's end is not told from it"
        )
    })
}

/// The same of standard input.
pub(crate) fn of_standard_input(most: u64) -> Option<String> {
    (most > 0).then(|| {
        format!("standard input has at most {most} bytes, which may be any and are there from the beginning, and is then at its end")
    })
}

/// The objects of an input in their order: by the type that the function asked for, or that of the variable which the program makes
/// one; bytes where none is known. A name that comes again gets a number.
pub fn values(input: &TestInput, types: &BTreeMap<String, InputType>) -> Vec<Value> {
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for object in input.asked_for() {
        *uses.entry(&object.name).or_default() += 1;
    }
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut values = Vec::with_capacity(input.objects.len());
    if let Some(bytes) = input.standard_input() {
        values.extend(array(STANDARD_INPUT, "uint8_t", bytes.chunks(1), |name, byte| Some(of_byte(name, byte))));
    }
    for InputObject { name, bytes } in input.asked_for() {
        let number = seen.entry(name).or_default();
        *number += 1;
        let shown = if uses[name.as_str()] > 1 { format!("{name}#{number}") } else { name.clone() };
        values.push(value(&shown, bytes, Nondet::named(name), types.get(name)));
    }
    values
}

fn value(name: &str, bytes: &[u8], nondet: Option<&Nondet>, ty: Option<&InputType>) -> Value {
    let scalar = nondet.and_then(|nondet| scalar_of(nondet.kind, bytes.len()));
    if let Some(scalar) = scalar {
        let is_character = nondet.is_some_and(|nondet| nondet.c_type == "char");
        let ty = VariableType { element: Pointee::Scalar(scalar), dimensions: Vec::new(), is_character };
        return variable_value(name, &ty, bytes);
    }
    let size = bytes.len() as u64;
    if let Some(ty) = ty.and_then(|ty| of_size(ty.variable.as_ref()?, size)) {
        return variable_value(name, &ty, bytes);
    }
    let ty = ty.map(|ty| &ty.ty).filter(|ty| ty.alloc_size() == size);
    if let Some(value) = ty.and_then(|ty| of_type(name, ty, bytes)) {
        return value;
    }
    // The bytes of an integer are easier to read as one.
    match scalar_of(ScalarKind::Unsigned, bytes.len()) {
        Some(scalar) => of_scalar(name, scalar, bytes),
        None => array(name, "uint8_t", bytes.chunks(1), |name, byte| Some(of_byte(name, byte))).unwrap_or_default(),
    }
}

/// The type of a variable of which so many bytes are an input; where it is an array, that can be its first elements.
fn of_size(ty: &VariableType, size: u64) -> Option<VariableType> {
    let element = ty.element.size().max(1);
    match ty.dimensions[..] {
        _ if ty.size() == size => Some(ty.clone()),
        [most] if size.is_multiple_of(element) && (1..most).contains(&(size / element)) => {
            Some(VariableType { dimensions: vec![size / element], ..ty.clone() })
        }
        _ => None,
    }
}

fn of_byte(name: &str, bytes: &[u8]) -> Value {
    of_scalar(name, ScalarType::Int { bits: 8, signed: false }, bytes)
}

/// A scalar of the report's, if there is one of this size.
fn scalar_of(kind: ScalarKind, size: usize) -> Option<ScalarType> {
    let bits = u32::try_from(8 * size).ok()?;
    let is_integer = matches!(size, 1 | 2 | 4 | 8);
    match kind {
        ScalarKind::Bool if size == 1 => Some(ScalarType::Bool),
        ScalarKind::Signed if is_integer => Some(ScalarType::Int { bits, signed: true }),
        ScalarKind::Unsigned | ScalarKind::Pointer if is_integer => Some(ScalarType::Int { bits, signed: false }),
        ScalarKind::Float => match size {
            4 => Some(ScalarType::Float(FloatType::F32)),
            8 => Some(ScalarType::Float(FloatType::F64)),
            10 | 16 => Some(ScalarType::Float(FloatType::X87)),
            _ => None,
        },
        _ => None,
    }
}

fn of_scalar(name: &str, scalar: ScalarType, bytes: &[u8]) -> Value {
    let mut wide = [0; 16];
    let count = bytes.len().min(16);
    wide[..count].copy_from_slice(&bytes[..count]);
    Value::scalar(Some(name.to_owned()), scalar, u128::from_le_bytes(wide))
}

/// A value of a type of the IR, which does not say whether integers are signed.
fn of_type(name: &str, ty: &Type, bytes: &[u8]) -> Option<Value> {
    match ty {
        Type::Int(bits) if bits.is_multiple_of(8) => {
            scalar_of(ScalarKind::Signed, bytes.len()).map(|scalar| of_scalar(name, scalar, bytes))
        }
        Type::Float(format) if *format != Format::BINARY128 => {
            scalar_of(ScalarKind::Float, bytes.len()).map(|scalar| of_scalar(name, scalar, bytes))
        }
        Type::Array(element, count) if *count > 0 => {
            let size = usize::try_from(element.alloc_size()).ok().filter(|size| *size > 0)?;
            array(name, "array", bytes.chunks(size), |name, bytes| of_type(name, element, bytes))
        }
        _ => None,
    }
}

/// An array of equal parts.
fn array<'b>(
    name: &str,
    word: &str,
    parts: impl Iterator<Item = &'b [u8]>,
    of: impl Fn(&str, &'b [u8]) -> Option<Value>,
) -> Option<Value> {
    let parts = parts.enumerate().map(|(index, bytes)| of(&format!("{name}[{index}]"), bytes));
    let elements: Vec<Value> = parts.collect::<Option<_>>()?;
    let word = elements.first().map_or(word.to_owned(), |element| element.type_name.clone());
    let type_name = format!("{word}[{}]", elements.len());
    Some(Value::aggregate(Some(name.to_owned()), type_name, elements))
}
