//! What tests of calls with records share.

use labrys_program::{FloatType, Parameter, ParameterType, Pointee, ResultType, ScalarType, Signature};

/// `double f(double x)`.
pub fn of_one_double() -> Signature {
    let double = Pointee::Scalar(ScalarType::Float(FloatType::F64));
    Signature {
        name: "f".to_owned(),
        symbol: "f".to_owned(),
        parameters: vec![Parameter { name: "x".to_owned(), ty: ParameterType::Value(double.clone()) }],
        result: ResultType::Value(double),
    }
}
