//! From the flat records of native runs to the report's values, and back for replay.

use labrys_program::{
    Access, InputLayout, Length, ParameterType, Pointee, ResultType, ScalarType, Signature, VariableType,
};

use crate::value::CHARACTER;
use crate::{ReportError, Value};

/// The value of `pointee` at `offset` of a record; `count` elements where it is an array.
fn read(name: Option<&str>, path: &str, pointee: &Pointee, count: Option<u64>, record: &[u8], offset: usize) -> Value {
    if let Some(count) = count {
        let size = pointee.size() as usize;
        let elements = (0..count as usize).map(|i| {
            let path = format!("{path}[{i}]");
            read(Some(&path), &path, pointee, None, record, offset + i * size)
        });
        let type_name = format!("{}[{count}]", type_name(pointee));
        return Value::aggregate(name.map(str::to_owned), type_name, elements.collect());
    }
    match pointee {
        Pointee::Scalar(scalar) => Value::scalar(name.map(str::to_owned), *scalar, scalar.read(record, offset)),
        Pointee::Struct(of) => {
            let members = of.fields.iter().map(|field| {
                let path = format!("{path}.{}", field.name);
                let count = field.is_array.then_some(field.count);
                read(Some(&path), &path, &field.ty, count, record, offset + field.offset as usize)
            });
            Value::aggregate(name.map(str::to_owned), type_name(pointee), members.collect())
        }
    }
}

/// What a variable holds whose bytes these are; zeros stand for what is missing.
///
/// ```
/// use labrys_program::{FloatType, Pointee, ScalarType, VariableType};
/// let element = Pointee::Scalar(ScalarType::Float(FloatType::F32));
/// let ty = VariableType { element, dimensions: vec![2], is_character: false };
/// let value = labrys_report::variable_value("x", &ty, &[0, 0, 0xc0, 0x3f]);
/// assert_eq!(value.decimal.as_deref(), Some("[1.5, 0]"));
/// ```
pub fn variable_value(name: &str, ty: &VariableType, bytes: &[u8]) -> Value {
    let mut value = dimension(name, ty, &ty.dimensions, bytes, 0);
    if ty.is_character {
        name_characters(&mut value);
    }
    value
}

/// The value at `offset` of an array with `dimensions`, or of its element where there is none left.
fn dimension(path: &str, ty: &VariableType, dimensions: &[u64], bytes: &[u8], offset: usize) -> Value {
    match dimensions {
        [] => read(Some(path), path, &ty.element, None, bytes, offset),
        [count] => read(Some(path), path, &ty.element, Some(*count), bytes, offset),
        [count, inner @ ..] => {
            let size = ty.element.size() * inner.iter().product::<u64>();
            let elements = (0..*count).map(|index| {
                dimension(&format!("{path}[{index}]"), ty, inner, bytes, offset + (index * size) as usize)
            });
            let elements: Vec<Value> = elements.collect();
            let type_name = array_type(*count, elements.first());
            Value::aggregate(Some(path.to_owned()), type_name, elements)
        }
    }
}

/// The type of an array of arrays in C's words: `double[2][3]`.
fn array_type(count: u64, element: Option<&Value>) -> String {
    let inner = element.map(|of| of.type_name.as_str()).unwrap_or_default();
    match inner.find('[') {
        Some(at) => format!("{}[{count}]{}", &inner[..at], &inner[at..]),
        None => format!("{inner}[{count}]"),
    }
}

/// Says of bytes that they are characters.
fn name_characters(value: &mut Value) {
    let signed = ScalarType::Int { bits: 8, signed: true }.name();
    value.type_name = value.type_name.replace(signed, CHARACTER);
    value.elements.iter_mut().flatten().for_each(name_characters);
}

/// A type in C's words.
pub(crate) fn type_name(pointee: &Pointee) -> String {
    match pointee {
        Pointee::Scalar(scalar) => scalar.name().to_owned(),
        Pointee::Struct(of) if of.name.is_empty() => "struct".to_owned(),
        Pointee::Struct(of) => of.name.clone(),
    }
}

/// How many elements memory behind a pointer is shown with; `None` for a single one.
fn elements(length: Length) -> Option<u64> {
    match length {
        Length::Fixed(1) => None,
        length => Some(length.capacity()),
    }
}

/// The inputs of a call, in call order, from its input record; parameters that are only written have none.
pub fn input_values(signature: &Signature, record: &[u8]) -> Vec<Value> {
    let layout = signature.input_layout();
    let at = signature.parameters.iter().zip(&layout.parameters);
    at.filter_map(|(parameter, offset)| {
        let name = parameter.name.as_str();
        let (pointee, count) = match &parameter.ty {
            ParameterType::Value(pointee) => (pointee, None),
            ParameterType::Pointer { pointee, length, .. } => (pointee, elements(*length)),
        };
        offset.map(|offset| read(Some(name), name, pointee, count, record, offset))
    })
    .collect()
}

/// The result and the memory outputs of a call, from its output record.
pub fn output_values(signature: &Signature, record: &[u8]) -> (Option<Value>, Vec<Value>) {
    let layout = signature.output_layout();
    let result = match (&signature.result, layout.result) {
        (ResultType::Value(pointee), Some(offset)) => Some(read(None, "result", pointee, None, record, offset)),
        _ => None,
    };
    let at = signature.parameters.iter().zip(&layout.parameters);
    let outputs = at.filter_map(|(parameter, offset)| match (&parameter.ty, offset) {
        (ParameterType::Pointer { pointee, length, access: Access::Out | Access::InOut }, Some(offset)) => {
            let name = parameter.name.as_str();
            Some(read(Some(name), name, pointee, elements(*length), record, *offset))
        }
        _ => None,
    });
    (result, outputs.collect())
}

/// The input record of a finding's inputs, which must be scalar for scalar those of the signature.
pub fn input_record(layout: &InputLayout, inputs: &[Value]) -> Result<Vec<u8>, ReportError> {
    let scalars: Vec<&Value> = inputs.iter().flat_map(Value::scalars).collect();
    let mut record = vec![0u8; layout.size];
    for (i, leaf) in layout.leaves.iter().enumerate() {
        let wrong = |why: String| ReportError::Value { name: leaf.path.clone(), why };
        let value = scalars.get(i).ok_or_else(|| {
            wrong(
                "the report has no value for it: the function takes another parameter since then; analyse it again"
                    .to_owned(),
            )
        })?;
        let named = value.name.as_deref().unwrap_or_default();
        if named != leaf.path || value.type_name != leaf.scalar.name() {
            let expected = leaf.scalar.name();
            return Err(wrong(format!("a {expected} is expected, the report has `{named}`, a {}", value.type_name)));
        }
        let bits = value.to_bits().ok_or_else(|| wrong("its `bits` are no hexadecimal number".to_owned()))?;
        leaf.write(&mut record, bits);
    }
    match scalars.get(layout.leaves.len()) {
        None => Ok(record),
        Some(extra) => Err(ReportError::Value {
            name: extra.name.clone().unwrap_or_default(),
            why: "the function has no such input".to_owned(),
        }),
    }
}

/// The type of a parameter in C's words, for [`crate::ParameterInfo`].
pub fn parameter_type(ty: &ParameterType) -> String {
    match ty {
        ParameterType::Value(pointee) => type_name(pointee),
        ParameterType::Pointer { pointee, length, access } => {
            let constant = if *access == Access::In { "const " } else { "" };
            match elements(*length) {
                None => format!("{constant}{} *", type_name(pointee)),
                Some(count) => format!("{constant}{}[{count}]", type_name(pointee)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use labrys_program::{FloatType, Parameter, StructField, StructType};

    use super::*;

    const DOUBLE: Pointee = Pointee::Scalar(ScalarType::Float(FloatType::F64));

    fn signature() -> Signature {
        let field = |name: &str, offset, count, is_array| StructField {
            name: name.to_owned(),
            offset,
            ty: DOUBLE,
            count,
            is_array,
        };
        let pair = Pointee::Struct(StructType {
            name: "pair".to_owned(),
            size: 24,
            align: 8,
            fields: vec![field("re", 0, 1, false), field("w", 8, 2, true)],
        });
        let parameter = |name: &str, ty| Parameter { name: name.to_owned(), ty };
        let pointer = |pointee, length, access| ParameterType::Pointer { pointee, length, access };
        Signature {
            name: "f".to_owned(),
            symbol: "f".to_owned(),
            parameters: vec![
                parameter("n", ParameterType::Value(Pointee::Scalar(ScalarType::Int { bits: 32, signed: true }))),
                parameter("x", pointer(DOUBLE, Length::Parameter { index: 0, max: 3, beyond: 0 }, Access::In)),
                parameter("p", ParameterType::Value(pair.clone())),
                parameter("o", pointer(pair, Length::Fixed(1), Access::Out)),
                parameter("q", pointer(DOUBLE, Length::Fixed(2), Access::InOut)),
            ],
            result: ResultType::Value(Pointee::Scalar(ScalarType::Float(FloatType::X87))),
        }
    }

    #[test]
    fn inputs_survive_a_round_trip() {
        let signature = signature();
        let layout = signature.input_layout();
        let mut record = vec![0u8; layout.size];
        for (i, leaf) in layout.leaves.iter().enumerate() {
            let bits = match leaf.scalar {
                ScalarType::Float(_) => f64::to_bits(1.5 * i as f64).into(),
                _ => u128::from(u32::MAX),
            };
            leaf.write(&mut record, bits);
        }
        let values = input_values(&signature, &record);
        let names: Vec<_> = values.iter().filter_map(|value| value.name.as_deref()).collect();
        assert_eq!(names, ["n", "x", "p", "q"]);
        assert_eq!(values[0].decimal.as_deref(), Some("-1"));
        assert_eq!(values[2].elements.as_ref().map(Vec::len), Some(2), "{:?}", values[2]);
        assert_eq!(values[1].type_name, "double[3]");
        assert_eq!(input_record(&layout, &values).expect("the same shape"), record);
        assert!(matches!(input_record(&layout, &values[1..]), Err(ReportError::Value { name, .. }) if name == "n"));
    }

    #[test]
    fn outputs_are_the_result_and_written_memory() {
        let signature = signature();
        let layout = signature.output_layout();
        let mut record = vec![0u8; layout.size];
        layout.leaves[0].write(&mut record, 0x3fff_8000_0000_0000_0000);
        let (result, outputs) = output_values(&signature, &record);
        assert_eq!(result.and_then(|value| value.decimal).as_deref(), Some("1"));
        let names: Vec<_> = outputs.iter().filter_map(|value| value.name.as_deref()).collect();
        assert_eq!(names, ["o", "q"]);
        let types: Vec<_> = signature.parameters.iter().map(|parameter| parameter_type(&parameter.ty)).collect();
        assert_eq!(types, ["int32_t", "const double[3]", "pair", "pair *", "double[2]"]);
    }
}
