//! The driver loop passes what the callee's own compiler expects, for every shape of signature: the callee folds each
//! argument into a checksum, and so does the test.

use labrys_float::Flags;
use labrys_native::Outcome;
use labrys_program::{
    Access, FloatType, Leaf, Length, Parameter, ParameterType, Pointee, ResultType, ScalarType, Signature, StructField,
    StructType,
};

use crate::fixture::{F64, Fixture};

pub const F32: ScalarType = ScalarType::Float(FloatType::F32);
const X87: ScalarType = ScalarType::Float(FloatType::X87);
const I64: ScalarType = ScalarType::Int { bits: 64, signed: true };
pub const U64: ScalarType = ScalarType::Int { bits: 64, signed: false };
const I32: ScalarType = ScalarType::Int { bits: 32, signed: true };

/// Folds `size` bytes into a checksum; the same in C and here.
const FOLD: &str = "#include <stdint.h>\n#include <stddef.h>\n\
    static uint64_t fold(uint64_t h, const void *at, size_t size) {\n  const unsigned char *b = at;\n  \
    for (size_t i = 0; i < size; i++) h = (h ^ b[i]) * 1099511628211u;\n  return h;\n}\n\
    #define FOLD(v) h = fold(h, &(v), sizeof(v))\n";

fn fold(mut hash: u64, bytes: &[u8]) -> u64 {
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(1_099_511_628_211);
    }
    hash
}

pub fn value(ty: Pointee) -> ParameterType {
    ParameterType::Value(ty)
}

pub fn pointer(pointee: ScalarType, length: Length, access: Access) -> ParameterType {
    ParameterType::Pointer { pointee: Pointee::Scalar(pointee), length, access }
}

pub fn signature(parameters: Vec<ParameterType>, result: ResultType) -> Signature {
    let named = |(i, ty)| Parameter { name: format!("p{i}"), ty };
    let parameters = parameters.into_iter().enumerate().map(named).collect();
    Signature { name: "f".to_owned(), symbol: "f".to_owned(), parameters, result }
}

/// A struct of scalars and structs laid out as C does.
pub fn structure(fields: &[(Pointee, Option<u64>)]) -> Pointee {
    let (mut members, mut offset, mut align) = (Vec::new(), 0_u64, 1);
    for (i, (ty, array)) in fields.iter().enumerate() {
        offset = offset.next_multiple_of(ty.align());
        align = align.max(ty.align());
        let count = array.unwrap_or(1);
        members.push(StructField { name: format!("m{i}"), offset, ty: ty.clone(), count, is_array: array.is_some() });
        offset += ty.size() * count;
    }
    let size = offset.next_multiple_of(align);
    Pointee::Struct(StructType { name: String::new(), size, align, fields: members })
}

fn scalar(ty: ScalarType) -> Pointee {
    Pointee::Scalar(ty)
}

/// Fills the leaf with a value of its own.
fn fill(leaf: &Leaf, index: usize, record: &mut [u8]) {
    let number = index as f64 * 1.25 + 3.5;
    let bits = match leaf.scalar {
        // Numbers from 1 on, each one's the next.
        ScalarType::Float(FloatType::F16) => 0x3c00 + index as u128,
        ScalarType::Float(FloatType::F32) => u128::from((number as f32).to_bits()),
        ScalarType::Float(FloatType::F64) => u128::from(number.to_bits()),
        ScalarType::Float(FloatType::X87) => (0x4000_u128 << 64) | (1 << 63) | (index as u128 + 1),
        ScalarType::Int { .. } => 0x8182_8384_8586_8788_u128 + 3 * index as u128,
        ScalarType::Bool => index as u128 & 1,
    };
    leaf.write(record, bits);
}

/// What one call made of filled inputs: the input and output records.
fn called(source: &str, signature: Signature, change: impl Fn(&mut [u8], &[Leaf])) -> (Fixture, Vec<u8>, Vec<u8>) {
    let fixture = Fixture::of_signature("clang-22", &format!("{FOLD}{source}"), signature, &["-O2"]);
    let mut record = vec![0; fixture.inputs.size];
    for (index, leaf) in fixture.inputs.leaves.iter().enumerate() {
        fill(leaf, index, &mut record);
    }
    change(&mut record, &fixture.inputs.leaves);
    // Three times, so that what a call leaves in memory or registers would show in the next.
    let inputs = vec![record.clone(); 3];
    let seen = fixture.worker().run(&inputs, Flags::NOTABLE).expect("the worker runs");
    assert_eq!(seen[0].outcome, Outcome::Returned);
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
    let output = seen[0].output.clone();
    (fixture, record, output)
}

/// The checksum of all input leaves' value bytes, in order.
fn checksum(fixture: &Fixture, record: &[u8]) -> u64 {
    let leaves = fixture.inputs.leaves.iter();
    leaves.fold(7, |hash, leaf| fold(hash, &record[leaf.offset..leaf.offset + leaf.scalar.value_bytes()]))
}

/// `f` returns the checksum of everything it is given.
fn check(declared: &str, body: &str, parameters: Vec<ParameterType>) {
    let source = format!("{declared}\n{{ uint64_t h = 7; {body} return h; }}\n");
    let (fixture, record, output) = called(&source, signature(parameters, ResultType::Value(scalar(U64))), |_, _| ());
    assert_eq!(fixture.outputs.leaves[0].read(&output) as u64, checksum(&fixture, &record), "{declared}");
}

#[test]
fn scalars_of_every_type() {
    let int = |bits, signed| ScalarType::Int { bits, signed };
    let types = [
        ("int8_t", int(8, true)),
        ("uint8_t", int(8, false)),
        ("int16_t", int(16, true)),
        ("uint16_t", int(16, false)),
        ("int32_t", int(32, true)),
        ("uint32_t", int(32, false)),
        ("int64_t", int(64, true)),
        ("uint64_t", int(64, false)),
        ("_Bool", ScalarType::Bool),
        ("float", F32),
        ("double", F64),
    ];
    let declared: Vec<String> = types.iter().enumerate().map(|(i, (name, _))| format!("{name} a{i}")).collect();
    let body: String = (0..types.len()).map(|i| format!("FOLD(a{i});")).collect();
    let parameters = types.iter().map(|(_, ty)| value(scalar(*ty))).collect();
    check(&format!("uint64_t f({})", declared.join(", ")), &body, parameters);
}

#[test]
fn extended_precision_amid_others() {
    let parameters = vec![value(scalar(F64)), value(scalar(X87)), value(scalar(I32)), value(scalar(X87))];
    check(
        "uint64_t f(double a, long double b, int c, long double d)",
        "FOLD(a); h = fold(h, &b, 10); FOLD(c); h = fold(h, &d, 10);",
        parameters,
    );
}

#[test]
fn arguments_beyond_the_registers() {
    let names: Vec<String> = (0..12).map(|i| format!("double d{i}, float e{i}, long i{i}")).collect();
    let body: String = (0..12).map(|i| format!("FOLD(d{i}); FOLD(e{i}); FOLD(i{i});")).collect();
    let one = [value(scalar(F64)), value(scalar(F32)), value(scalar(I64))];
    let parameters = (0..12).flat_map(|_| one.clone()).collect();
    check(&format!("uint64_t f({})", names.join(", ")), &body, parameters);
}

#[test]
fn structs_by_value() {
    let pair = structure(&[(scalar(F32), None), (scalar(F32), None)]);
    let mixed = structure(&[(scalar(F64), None), (scalar(I64), None)]);
    let large = structure(&[(scalar(F64), Some(3))]);
    let nested = structure(&[(pair.clone(), Some(2)), (scalar(I32), None), (mixed.clone(), None)]);
    let declared = "struct pair { float a, b; }; struct mixed { double a; long b; }; struct large { double a[3]; };\n\
        struct nested { struct pair p[2]; int i; struct mixed m; };\n\
        uint64_t f(struct pair a, struct mixed b, struct large c, struct nested d, double e)";
    let body = "FOLD(a); FOLD(b); FOLD(c); FOLD(d.p); FOLD(d.i); FOLD(d.m); FOLD(e);";
    check(declared, body, vec![value(pair), value(mixed), value(large), value(nested), value(scalar(F64))]);
}

#[test]
fn structs_as_results() {
    let pair = structure(&[(scalar(F32), None), (scalar(F32), None)]);
    let cases = [
        ("struct s { float a, b; }", pair.clone()),
        ("struct s { double a; long b; }", structure(&[(scalar(F64), None), (scalar(I64), None)])),
        ("struct s { double a[3]; }", structure(&[(scalar(F64), Some(3))])),
        (
            "struct p { float a, b; }; struct s { struct p a[2]; int b; }",
            structure(&[(pair, Some(2)), (scalar(I32), None)]),
        ),
    ];
    for (declared, ty) in cases {
        let source = format!("{declared};\nstruct s f(struct s x) {{ return x; }}\n");
        let of = signature(vec![value(ty.clone())], ResultType::Value(ty));
        let (fixture, record, output) = called(&source, of, |_, _| ());
        for (given, returned) in fixture.inputs.leaves.iter().zip(&fixture.outputs.leaves) {
            assert_eq!(given.read(&record), returned.read(&output), "{declared}: {}", given.path);
        }
    }
}

#[test]
fn scalar_results_of_every_type() {
    let half = ScalarType::Float(FloatType::F16);
    for (name, ty) in [
        ("_Float16", half),
        ("float", F32),
        ("double", F64),
        ("long double", X87),
        ("_Bool", ScalarType::Bool),
        ("int", I32),
    ] {
        let of = signature(vec![value(scalar(ty))], ResultType::Value(scalar(ty)));
        let (fixture, record, output) = called(&format!("{name} f({name} x) {{ return x; }}\n"), of, |_, _| ());
        assert_eq!(fixture.inputs.leaves[0].read(&record), fixture.outputs.leaves[0].read(&output), "{name}");
        assert!(output[ty.value_bytes()..].iter().all(|byte| *byte == 0), "{name}: padding");
    }
}

#[test]
fn memory_in_out_and_both_with_a_length() {
    let (max, used) = (6_u64, 4_usize);
    let length = Length::Parameter { index: 0, max, beyond: 0 };
    let parameters = vec![
        value(scalar(I32)),
        pointer(F64, length, Access::In),
        pointer(F32, length, Access::Out),
        pointer(F64, length, Access::InOut),
    ];
    let source = "void f(int n, double *in, float *out, double *both) {\n  \
        for (int i = 0; i < n; i++) { out[i] += in[i]; both[i] += 2 * in[i]; in[i] = -1; }\n}\n";
    let (fixture, record, output) = called(source, signature(parameters, ResultType::Void), |record, leaves| {
        leaves[0].write(record, used as u128);
    });
    let input = |i: usize| f64::from_bits(fixture.inputs.leaves[1 + i].read(&record) as u64);
    let both = |i: usize| f64::from_bits(fixture.inputs.leaves[1 + max as usize + i].read(&record) as u64);
    for i in 0..max as usize {
        let inside = i < used;
        let out = f32::from_bits(fixture.outputs.leaves[i].read(&output) as u32);
        assert_eq!(out, if inside { input(i) as f32 } else { 0.0 });
        let changed = f64::from_bits(fixture.outputs.leaves[max as usize + i].read(&output) as u64);
        assert_eq!(changed, both(i) + if inside { 2.0 * input(i) } else { 0.0 });
    }
}

#[test]
fn scalars_behind_pointers_as_fortran_passes_them() {
    let one = |ty, access| pointer(ty, Length::Fixed(1), access);
    let parameters = vec![one(F64, Access::In), one(I32, Access::In), one(F32, Access::InOut), one(U64, Access::Out)];
    let source = "double f(double *x, int *n, float *y, uint64_t *h) {\n  \
        uint64_t g = fold(fold(fold(7, x, 8), n, 4), y, 4);\n  *h = g; *y += 1; return *x * 2;\n}\n";
    let (fixture, record, output) = called(source, signature(parameters, ResultType::Value(scalar(F64))), |_, _| ());
    let (given, left) = (&fixture.inputs.leaves, &fixture.outputs.leaves);
    assert_eq!(f64::from_bits(left[0].read(&output) as u64), 2.0 * f64::from_bits(given[0].read(&record) as u64));
    assert_eq!(f32::from_bits(left[1].read(&output) as u32), f32::from_bits(given[2].read(&record) as u32) + 1.0);
    assert_eq!(left[2].read(&output) as u64, checksum(&fixture, &record));
}
