//! Signatures against the parameters that real front ends make of them.

use labrys_program::{
    Access, BindingError, FloatType, IrBinding, IrParameter, IrPart, IrResult, Length, Parameter, ParameterType,
    Pointee, Program, ResultType, ScalarType, Signature, StructField, StructType, map_parameters,
};

use crate::build::Source;

const F32: ScalarType = ScalarType::Float(FloatType::F32);
const F64: ScalarType = ScalarType::Float(FloatType::F64);
const X87: ScalarType = ScalarType::Float(FloatType::X87);
const CHAR: ScalarType = ScalarType::Int { bits: 8, signed: true };
const INT: ScalarType = ScalarType::Int { bits: 32, signed: true };
const LONG: ScalarType = ScalarType::Int { bits: 64, signed: true };

/// A struct as C lays it out.
fn structure(scalars: &[ScalarType]) -> Pointee {
    let (mut size, mut align) = (0u64, 1);
    let mut fields = Vec::new();
    for (index, scalar) in scalars.iter().enumerate() {
        align = align.max(scalar.size());
        let offset = size.next_multiple_of(scalar.size());
        size = offset + scalar.size();
        let ty = Pointee::Scalar(*scalar);
        fields.push(StructField { name: format!("m{index}"), offset, ty, count: 1, is_array: false });
    }
    Pointee::Struct(StructType { name: "S".to_owned(), size: size.next_multiple_of(align), align, fields })
}

fn value(scalar: ScalarType) -> ParameterType {
    ParameterType::Value(Pointee::Scalar(scalar))
}

fn pointer(scalar: ScalarType, length: Length, access: Access) -> ParameterType {
    ParameterType::Pointer { pointee: Pointee::Scalar(scalar), length, access }
}

fn signature(symbol: &str, parameters: &[ParameterType], result: ResultType) -> Signature {
    let parameter = |(index, ty): (usize, &ParameterType)| Parameter { name: format!("p{index}"), ty: ty.clone() };
    let parameters = parameters.iter().enumerate().map(parameter).collect();
    Signature { name: symbol.to_owned(), symbol: symbol.to_owned(), parameters, result }
}

fn bind(program: &Program, signature: &Signature) -> Result<IrBinding, BindingError> {
    let function = program.function(&signature.symbol).unwrap_or_else(|| panic!("{} exists", signature.symbol));
    map_parameters(signature, program, function)
}

const fn part(bit: u64, offset: usize, bytes: usize) -> IrPart {
    IrPart { bit, offset, bytes }
}

fn leaves(parts: &[IrPart]) -> IrParameter {
    IrParameter::Leaves(parts.to_vec())
}

const LEVELS: [&str; 2] = ["-O0", "-O3 -ffast-math -march=native"];

#[test]
fn scalars_are_themselves() {
    let source = Source::new(
        "a.c",
        "#include <stdbool.h>\n#include <stdint.h>\n\
         bool f(float a, double b, long double c, int8_t d, uint16_t e, int32_t g, uint64_t h, bool i) {\n\
         return a + b + c + d + e + g + h > i; }\n\
         long double g(double* x, int n) { return x[n]; }\nvoid h(double x, double* y) { *y = x; }",
    );
    let small = |bits, signed| value(ScalarType::Int { bits, signed });
    let all = [
        value(F32),
        value(F64),
        value(X87),
        small(8, true),
        small(16, false),
        value(INT),
        small(64, false),
        value(ScalarType::Bool),
    ];
    let f = signature("f", &all, ResultType::Value(Pointee::Scalar(ScalarType::Bool)));
    let array = pointer(F64, Length::Parameter { index: 1, max: 8, beyond: 0 }, Access::In);
    let g = signature("g", &[array, value(INT)], ResultType::Value(Pointee::Scalar(X87)));
    let h = signature("h", &[value(F64), pointer(F64, Length::Fixed(1), Access::Out)], ResultType::Void);
    for flags in LEVELS {
        let program = source.program(flags);
        let binding = bind(&program, &f).expect("f binds");
        let bytes = [4, 8, 10, 1, 2, 4, 8, 1];
        let expected: Vec<_> = (0..8).map(|index| leaves(&[part(0, 16 * index, bytes[index])])).collect();
        assert_eq!(binding, IrBinding { parameters: expected, result: IrResult::Leaves(vec![part(0, 0, 1)]) });
        let binding = bind(&program, &g).expect("g binds");
        // The array takes 64 bytes of the input record.
        assert_eq!(binding.parameters, [IrParameter::PointerTo { parameter: 0 }, leaves(&[part(0, 64, 4)])]);
        assert_eq!(binding.result, IrResult::Leaves(vec![part(0, 0, 10)]));
        let binding = bind(&program, &h).expect("h binds");
        assert_eq!(binding.parameters, [leaves(&[part(0, 0, 8)]), IrParameter::PointerTo { parameter: 1 }]);
        assert_eq!(binding.result, IrResult::Void);
    }
}

/// A function that takes a double, then the struct, and returns the struct: what carries the struct each way.
fn identity(program: &Program, symbol: &str, scalars: &[ScalarType]) -> (Vec<IrParameter>, IrResult) {
    let of = structure(scalars);
    let f = signature(symbol, &[value(F64), ParameterType::Value(of.clone())], ResultType::Value(of));
    let binding = bind(program, &f).unwrap_or_else(|error| panic!("{symbol}: {error}"));
    let mut parameters = binding.parameters;
    if binding.result == IrResult::StructReturn {
        assert_eq!(parameters.remove(0), IrParameter::StructReturn, "{symbol}");
    }
    assert_eq!(parameters.remove(0), leaves(&[part(0, 0, 8)]), "{symbol}");
    (parameters, binding.result)
}

/// The members in C, the same as scalars, and the parts that each parameter carries.
type Case = (&'static str, &'static [ScalarType], &'static [&'static [IrPart]]);

#[test]
fn structs_of_up_to_16_bytes_travel_by_eightbytes() {
    // The struct stands at byte 16 of the input record and at byte 0 of the output record.
    const CASES: [Case; 9] = [
        ("double a, b;", &[F64, F64], &[&[part(0, 16, 8)], &[part(0, 24, 8)]]),
        ("float a, b;", &[F32, F32], &[&[part(0, 16, 4), part(32, 20, 4)]]),
        ("float a, b, c;", &[F32, F32, F32], &[&[part(0, 16, 4), part(32, 20, 4)], &[part(0, 24, 4)]]),
        ("double a; long b;", &[F64, LONG], &[&[part(0, 16, 8)], &[part(0, 24, 8)]]),
        ("int a, b; float c;", &[INT, INT, F32], &[&[part(0, 16, 4), part(32, 20, 4)], &[part(0, 24, 4)]]),
        ("float a; int b; double c;", &[F32, INT, F64], &[&[part(0, 16, 4), part(32, 20, 4)], &[part(0, 24, 8)]]),
        ("char a; double b;", &[CHAR, F64], &[&[part(0, 16, 1)], &[part(0, 24, 8)]]),
        ("float a; double b;", &[F32, F64], &[&[part(0, 16, 4)], &[part(0, 24, 8)]]),
        ("double a; char b, c;", &[F64, CHAR, CHAR], &[&[part(0, 16, 8)], &[part(0, 24, 1), part(8, 25, 1)]]),
    ];
    let text: String = CASES
        .iter()
        .enumerate()
        .map(|(index, (fields, ..))| format!("struct S{index} {{ {fields} }}; struct S{index} f{index}(double x, struct S{index} s) {{ return s; }}\n"))
        .collect();
    let source = Source::new("a.c", &text);
    for flags in LEVELS {
        let program = source.program(flags);
        for (index, (fields, scalars, expected)) in CASES.iter().enumerate() {
            let (parameters, result) = identity(&program, &format!("f{index}"), scalars);
            let expected: Vec<_> = expected.iter().map(|parts| leaves(parts)).collect();
            assert_eq!(parameters, expected, "{fields} {flags}");
            // The result is one value with the same bytes.
            let IrResult::Leaves(parts) = result else { panic!("{fields}: {result:?}") };
            let Pointee::Struct(of) = structure(scalars) else { panic!("a struct") };
            let whole: Vec<_> =
                of.fields.iter().map(|it| part(8 * it.offset, it.offset as usize, it.ty.size() as usize)).collect();
            assert_eq!(parts, whole, "{fields} {flags}");
        }
    }
}

#[test]
fn larger_structs_and_those_without_registers_are_copies_in_memory() {
    let text = "struct A { double a, b, c; }; struct A f0(double x, struct A s) { return s; }
        struct B { long double a; }; struct B f1(double x, struct B s) { return s; }
        struct C { double a, b; };
        double f2(double a, double b, double c, double d, double e, double f, double g, struct C s) { return g + s.b; }";
    let source = Source::new("a.c", text);
    let copy = |parameter| IrParameter::ByValue { parameter };
    for flags in LEVELS {
        let program = source.program(flags);
        let in_memory = (vec![copy(1)], IrResult::StructReturn);
        assert_eq!(identity(&program, "f0", &[F64, F64, F64]), in_memory, "{flags}");
        // A lone long double comes back in an x87 register.
        let (parameters, result) = identity(&program, "f1", &[X87]);
        assert_eq!((parameters, result), (vec![copy(1)], IrResult::Leaves(vec![part(0, 0, 10)])), "{flags}");
        // One vector register is left, the struct would need two.
        let mut parameters = vec![value(F64); 7];
        parameters.push(ParameterType::Value(structure(&[F64, F64])));
        let f2 = signature("f2", &parameters, ResultType::Value(Pointee::Scalar(F64)));
        assert_eq!(bind(&program, &f2).expect("f2 binds").parameters[7], copy(7), "{flags}");
    }
}

#[test]
fn every_struct_of_c_is_carried_whole() {
    // All structs of one to four members out of five types, by clang: every scalar is carried exactly once, no two
    // share bits, and what comes in comes out.
    let types = [("double", F64), ("float", F32), ("int", INT), ("char", CHAR), ("long", LONG)];
    let mut structs: Vec<Vec<usize>> = vec![vec![]];
    let mut last = structs.clone();
    for _ in 0..4 {
        last = last.iter().flat_map(|prefix| (0..5).map(move |next| [prefix.as_slice(), &[next]].concat())).collect();
        structs.extend(last.iter().cloned());
    }
    let structs = &structs[1..];
    let mut text = String::new();
    for (index, members) in structs.iter().enumerate() {
        let fields: String =
            members.iter().enumerate().map(|(field, &ty)| format!("{} m{field}; ", types[ty].0)).collect();
        text += &format!(
            "struct S{index} {{ {fields}}}; struct S{index} f{index}(double x, struct S{index} s) {{ return s; }}\n"
        );
    }
    let program = Source::new("a.c", &text).program("-O1");
    for (index, members) in structs.iter().enumerate() {
        let scalars: Vec<_> = members.iter().map(|&ty| types[ty].1).collect();
        let (parameters, result) = identity(&program, &format!("f{index}"), &scalars);
        let Pointee::Struct(of) = structure(&scalars) else { panic!("a struct") };
        if of.size > 16 {
            assert_eq!((parameters, result), (vec![IrParameter::ByValue { parameter: 1 }], IrResult::StructReturn));
            continue;
        }
        let mut carried = Vec::new();
        for parameter in &parameters {
            let IrParameter::Leaves(parts) = parameter else { panic!("{scalars:?}: {parameter:?}") };
            for pair in parts.windows(2) {
                assert!(pair[0].bit + 8 * pair[0].bytes as u64 <= pair[1].bit, "{scalars:?}: {parts:?}");
                assert_eq!((pair[1].bit - pair[0].bit) / 8, (pair[1].offset - pair[0].offset) as u64, "{scalars:?}");
            }
            carried.extend(parts.iter().map(|it| (it.offset as u64 - 16, it.bytes as u64)));
        }
        let fields: Vec<_> = of.fields.iter().map(|it| (it.offset, it.ty.size())).collect();
        assert_eq!(carried, fields, "{scalars:?}");
        let IrResult::Leaves(parts) = result else { panic!("{scalars:?}: {result:?}") };
        assert_eq!(parts.iter().map(|it| (it.bit / 8, it.bytes as u64)).collect::<Vec<_>>(), fields, "{scalars:?}");
    }
}

#[test]
fn references_and_classes_of_cpp() {
    let source = Source::new(
        "a.cpp",
        "struct P { double x, y; P(const P&); P(double, double); };
         double f(P p, const double& k) { return p.x * k; }
         P g(double x) { return P(x, x); }
         struct E {}; double h(E, double x) { return x; }
         struct D { virtual double get() const { return x; } double x; }; double (D::*get)() const = &D::get;",
    );
    let pair = structure(&[F64, F64]);
    let reference = pointer(F64, Length::Fixed(1), Access::In);
    let double = ResultType::Value(Pointee::Scalar(F64));
    let f = signature("_Z1f1PRKd", &[ParameterType::Value(pair.clone()), reference], double.clone());
    let g = signature("_Z1gd", &[value(F64)], ResultType::Value(pair));
    let h = signature("_Z1h1Ed", &[ParameterType::Value(structure(&[])), value(F64)], double);
    for flags in LEVELS {
        let program = source.program(flags);
        // A class with a copy constructor of its own is passed by the address of a copy, and returned in memory.
        let expected = [IrParameter::ByValue { parameter: 0 }, IrParameter::PointerTo { parameter: 1 }];
        assert_eq!(bind(&program, &f).expect("f binds").parameters, expected);
        let binding = bind(&program, &g).expect("g binds");
        assert_eq!(binding.parameters, [IrParameter::StructReturn, leaves(&[part(0, 0, 8)])]);
        assert_eq!(binding.result, IrResult::StructReturn);
        assert_eq!(bind(&program, &h).expect("h binds").parameters.len(), 1, "{flags}: an empty class is not passed");
    }
}

#[test]
fn fortran_passes_addresses_and_returns_complex_numbers_as_c_does() {
    let source = Source::new(
        "a.f90",
        "real(8) function area(r, n, a)\n real(8) :: r, a(n)\n integer :: n\n area = r*a(n)\nend function\n\
         complex function half(z)\n complex :: z\n half = z/2\nend function\n\
         real(4) function plus(x) bind(c)\n real(4), value :: x\n plus = x + 1\nend function\n\
         subroutine scale(x, y)\n real(10) :: x, y\n y = x*2\nend subroutine\n",
    );
    let one = |scalar, access| pointer(scalar, Length::Fixed(1), access);
    let array = pointer(F64, Length::Parameter { index: 1, max: 4, beyond: 0 }, Access::In);
    let double = ResultType::Value(Pointee::Scalar(F64));
    let area = signature("area_", &[one(F64, Access::In), one(INT, Access::In), array], double);
    let complex = structure(&[F32, F32]);
    let by_address = |pointee| ParameterType::Pointer { pointee, length: Length::Fixed(1), access: Access::In };
    let half = signature("half_", &[by_address(complex.clone())], ResultType::Value(complex));
    let plus = signature("plus", &[value(F32)], ResultType::Value(Pointee::Scalar(F32)));
    let scale = signature("scale_", &[one(X87, Access::In), one(X87, Access::Out)], ResultType::Void);
    for flags in LEVELS {
        let program = source.program(flags);
        let to = |parameter| IrParameter::PointerTo { parameter };
        assert_eq!(bind(&program, &area).expect("area binds").parameters, [to(0), to(1), to(2)]);
        let result = bind(&program, &half).expect("half binds").result;
        assert_eq!(result, IrResult::Leaves(vec![part(0, 0, 4), part(32, 4, 4)]));
        assert_eq!(bind(&program, &plus).expect("plus binds").parameters, [leaves(&[part(0, 0, 4)])]);
        assert_eq!(bind(&program, &scale).expect("scale binds").result, IrResult::Void);
    }
}

#[test]
fn rust_passes_aggregates_and_pairs() {
    let source = Source::new(
        "a.rs",
        "#[repr(C)] pub struct P { a: f64, b: f32 }
         #[repr(C)] pub struct Q { a: f32, b: f32 }
         #[repr(C)] pub struct R { a: f64, b: f64, c: f64 }
         #[unsafe(no_mangle)] pub extern \"C\" fn f(x: f64, p: P) -> P { P { a: p.a + x, b: p.b } }
         #[unsafe(no_mangle)] pub extern \"C\" fn g(x: f64, q: Q) -> Q { Q { a: q.a + x as f32, b: q.b } }
         #[unsafe(no_mangle)] pub fn h(x: f64, q: Q) -> Q { Q { a: q.a + x as f32, b: q.b } }
         #[unsafe(no_mangle)] pub fn i(x: f64, r: R) -> R { R { a: r.a + x, b: r.b, c: r.c } }
         #[unsafe(no_mangle)] pub extern \"C\" fn j(x: bool) -> bool { !x }",
    );
    for flags in ["-C opt-level=0", "-C opt-level=3 -C target-cpu=native"] {
        let program = source.program(flags);
        let carried = |symbol: &str, scalars: &[ScalarType]| {
            let (parameters, result) = identity(&program, symbol, scalars);
            let mut all = Vec::new();
            for parameter in parameters {
                match parameter {
                    IrParameter::Leaves(parts) => all.extend(parts.iter().map(|it| (it.offset - 16, it.bytes))),
                    other => panic!("{symbol} {flags}: {other:?}"),
                }
            }
            let IrResult::Leaves(parts) = result else { panic!("{symbol} {flags}: {result:?}") };
            assert_eq!(parts.iter().map(|it| (it.offset, it.bytes)).collect::<Vec<_>>(), all, "{symbol} {flags}");
            all
        };
        assert_eq!(carried("f", &[F64, F32]), [(0, 8), (8, 4)]);
        assert_eq!(carried("g", &[F32, F32]), [(0, 4), (4, 4)]);
        assert_eq!(carried("h", &[F32, F32]), [(0, 4), (4, 4)]);
        let in_memory = (vec![IrParameter::ByValue { parameter: 1 }], IrResult::StructReturn);
        assert_eq!(identity(&program, "i", &[F64, F64, F64]), in_memory, "{flags}");
        let boolean = ResultType::Value(Pointee::Scalar(ScalarType::Bool));
        let j = signature("j", &[value(ScalarType::Bool)], boolean);
        assert_eq!(bind(&program, &j).expect("j binds").result, IrResult::Leaves(vec![part(0, 0, 1)]));
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let text = "define double @f(double %x, ptr %y, <2 x float> %z) { ret double %x }\n\
                define void @s(ptr sret(double) %r) { ret void }";
    let program = Program::from_bytes(text.as_bytes(), "a.ll").expect("valid IR");
    let double = ResultType::Value(Pointee::Scalar(F64));
    let memory = pointer(F64, Length::Fixed(1), Access::In);
    let says = |parameters: &[ParameterType], result: &ResultType| {
        bind(&program, &signature("f", parameters, result.clone())).expect_err("it does not fit").to_string()
    };
    let pair = ParameterType::Value(structure(&[F32, F32]));
    let all = [value(F64), memory.clone(), pair.clone()];
    assert!(bind(&program, &signature("f", &all, double.clone())).is_ok());
    assert_eq!(says(&all[..2], &double), "the IR of f has a further parameter, number 2 of type <2 x f32>");
    assert_eq!(says(&[&all[..], &[value(F64)]].concat(), &double), "f has no parameter in its IR for \"p3\"");
    assert_eq!(
        says(&[value(F32), memory.clone(), pair.clone()], &double),
        "\"p0\" of f is float in the source and f64 in the IR"
    );
    assert_eq!(says(&[memory, value(F64), pair], &double), "\"p0\" of f is a pointer in the source and f64 in the IR");
    // Half a double is not in a pair of floats.
    let straddling = ParameterType::Value(structure(&[F32, F64]));
    assert!(says(&[all[0].clone(), all[1].clone(), straddling], &double).starts_with("f has no parameter"));
    let single = ResultType::Value(Pointee::Scalar(F32));
    assert_eq!(says(&all, &single), "the result of f is float in the source and f64 in the IR");
    let no_result = bind(&program, &signature("s", &[], ResultType::Void)).expect_err("it has a result");
    assert!(matches!(no_result, BindingError::Result { .. }), "{no_result}");
}
