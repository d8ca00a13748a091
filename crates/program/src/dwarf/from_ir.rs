use labrys_float::Format;

use crate::{FloatType, Function, Parameter, ParameterType, Pointee, ResultType, ScalarType, Signature, Type};

/// The signature of a function without debug information, as far as its IR tells: scalars by value, which have the types of
/// the source there. `None` where there are pointers, structs or vectors: of these the IR does not say enough. Integers are taken
/// for signed.
pub(super) fn scalar_signature(function: &Function) -> Option<Signature> {
    let parameters = function.parameters.iter().enumerate().map(|(index, parameter)| {
        let is_number = parameter.name.is_empty() || parameter.name.starts_with(|c: char| c.is_ascii_digit());
        let name = if is_number { format!("arg{}", index + 1) } else { parameter.name.clone() };
        Some(Parameter { name, ty: ParameterType::Value(Pointee::Scalar(scalar(&parameter.ty)?)) })
    });
    let parameters: Vec<Parameter> = parameters.collect::<Option<_>>()?;
    let result = match &function.result {
        Type::Void => ResultType::Void,
        ty => ResultType::Value(Pointee::Scalar(scalar(ty)?)),
    };
    (!function.is_variadic).then(|| Signature {
        name: function.name.clone(),
        symbol: function.name.clone(),
        parameters,
        result,
    })
}

fn scalar(ty: &Type) -> Option<ScalarType> {
    match ty {
        Type::Float(Format::BINARY16) => Some(ScalarType::Float(FloatType::F16)),
        Type::Float(Format::BINARY32) => Some(ScalarType::Float(FloatType::F32)),
        Type::Float(Format::BINARY64) => Some(ScalarType::Float(FloatType::F64)),
        Type::Float(Format::X87) => Some(ScalarType::Float(FloatType::X87)),
        Type::Int(bits @ (8 | 16 | 32 | 64)) => Some(ScalarType::Int { bits: *bits, signed: true }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Program;

    #[test]
    fn scalars_are_told_by_the_ir_and_pointers_are_not() {
        let text = "
            define double @f(double %x, float %0, i32 %n) { ret double %x }
            define double @g(ptr %p) { ret double 1.0 }";
        let program = Program::from_bytes(text.as_bytes(), "test.ll").unwrap();
        let of = |name: &str| scalar_signature(&program.functions[program.function(name).unwrap().index()]);
        let names: Vec<String> = of("f").unwrap().parameters.into_iter().map(|parameter| parameter.name).collect();
        assert_eq!(names, ["x", "arg2", "n"]);
        assert!(of("g").is_none());
    }
}
