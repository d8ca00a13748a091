//! Structs by value, which the IR takes apart.

use labrys_program::{
    Parameter, ParameterType, Pointee, ResultType, ScalarType, Signature, StructField, StructType, map_parameters,
};
use labrys_symex::leaf_variable;
use labrys_term::{Op, Store, TermId};

use crate::support::{DOUBLE, FLOAT, Subject, compile_text, run};

/// A struct of `names.len()` scalars of one type.
fn structure(scalar: ScalarType, names: &[&str]) -> Pointee {
    let size = scalar.size();
    let field = |(i, name): (usize, &&str)| StructField {
        name: (*name).to_owned(),
        offset: i as u64 * size,
        ty: Pointee::Scalar(scalar),
        count: 1,
        is_array: false,
    };
    let fields = names.iter().enumerate().map(field).collect();
    Pointee::Struct(StructType { name: "s".to_owned(), size: size * names.len() as u64, align: size, fields })
}

/// Explores `s f(s a)` and returns the variables and the result's terms.
fn explored(scalar: ScalarType, names: &[&str], text: &str, flags: &[&str]) -> (Store, Vec<TermId>, Vec<TermId>) {
    let ty = structure(scalar, names);
    let signature = Signature {
        name: "f".to_owned(),
        symbol: "f".to_owned(),
        parameters: vec![Parameter { name: "a".to_owned(), ty: ParameterType::Value(ty.clone()) }],
        result: ResultType::Value(ty),
    };
    let program = compile_text(text, flags);
    let function = program.function("f").unwrap();
    let binding = map_parameters(&signature, &program, function).unwrap();
    let leaves = signature.input_layout().leaves;
    let mut store = Store::new();
    let found = run(&Subject { program, function, binding, signature }, &mut store);
    assert!(found.is_complete(), "{:?}", found.stops());
    let variables = leaves.iter().map(|leaf| leaf_variable(&mut store, leaf)).collect();
    let result = found.paths[0].result.clone().unwrap();
    (store, variables, result)
}

#[test]
fn members_reach_their_operations_whole() {
    let pair = "typedef struct { double x, y; } s; s f(s a) { s r = { a.y, a.x + a.y }; return r; }";
    let singles = "typedef struct { float x, y; } s; s f(s a) { s r = { a.y, a.x + a.y }; return r; }";
    let triple = "typedef struct { double x, y, z; } s; s f(s a) { s r = { a.y, a.x + a.y, a.z }; return r; }";
    for flags in [["-O0"], ["-O2"]] {
        for (scalar, names, text) in
            [(DOUBLE, &["x", "y"][..], pair), (FLOAT, &["x", "y"], singles), (DOUBLE, &["x", "y", "z"], triple)]
        {
            let (store, variables, result) = explored(scalar, names, text, &flags);
            assert_eq!(result[0], variables[1], "{text} {flags:?}");
            let sum = store.node(result[1]);
            assert_eq!(sum.op, Op::FpAdd, "{text} {flags:?}");
            assert!(sum.args.contains(&variables[0]) && sum.args.contains(&variables[1]), "{text} {flags:?}");
            assert_eq!(result.get(2), variables.get(2), "{text} {flags:?}");
        }
    }
}
