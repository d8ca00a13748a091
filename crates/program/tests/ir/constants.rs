//! Constants are read bit by bit.

use labrys_float::Format;
use labrys_program::{Constant, Operand, Program, Terminator, Type};
use num_bigint::BigUint;

/// The constant that a function of this type and body returns.
fn returned(ty: &str, constant: &str) -> Constant {
    let text = format!(
        "@g = global [4 x {{ i8, double }}] zeroinitializer\n@a = alias i8, getelementptr (i8, ptr @g, i64 16)\n\
         declare void @h()\ndefine {ty} @f() {{ ret {ty} {constant} }}"
    );
    let program = Program::from_bytes(text.as_bytes(), "constant.ll").expect("valid IR");
    let function = &program.functions[program.function("f").expect("f").index()];
    match &function.blocks[0].terminator {
        Terminator::Return(Some(Operand::Constant(constant))) => constant.clone(),
        other => panic!("{other:?}"),
    }
}

fn float_bits(ty: &str, constant: &str) -> (Format, BigUint) {
    match returned(ty, constant) {
        Constant::Float(value) => (value.format(), value.bits().clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_float_format_keeps_its_bits() {
    let hex = |text: &str| BigUint::parse_bytes(text.as_bytes(), 16).expect("hexadecimal");
    let cases = [
        ("half", "0xH3C01", Format::BINARY16, "3c01"),
        ("bfloat", "0xR3F81", Format::BFLOAT16, "3f81"),
        ("float", "0x36A0000000000000", Format::BINARY32, "1"),
        ("double", "0x0000000000000001", Format::BINARY64, "1"),
        ("double", "0x8000000000000000", Format::BINARY64, "8000000000000000"),
        // A signalling NaN with a payload: a reader that goes through a double's value would quieten it.
        ("double", "0x7FF0000000000123", Format::BINARY64, "7ff0000000000123"),
        ("float", "0x7FF0000020000000", Format::BINARY32, "7f800001"),
        // The last bit of an x87 or quad significand is lost in a double.
        ("x86_fp80", "0xK3FFF8000000000000001", Format::X87, "3fff8000000000000001"),
        ("x86_fp80", "0xK7FFEFFFFFFFFFFFFFFFF", Format::X87, "7ffeffffffffffffffff"),
        ("fp128", "0xL00000000000000013FFF000000000000", Format::BINARY128, "3fff0000000000000000000000000001"),
    ];
    for (ty, constant, format, bits) in cases {
        assert_eq!(float_bits(ty, constant), (format, hex(bits)), "{ty} {constant}");
    }
}

#[test]
fn integers_of_any_width_are_unsigned_values() {
    let value = |ty: &str, constant: &str| match returned(ty, constant) {
        Constant::Int { bits, value } => (bits, value),
        other => panic!("{other:?}"),
    };
    assert_eq!(value("i1", "true"), (1, 1u32.into()));
    assert_eq!(value("i8", "-1"), (8, 255u32.into()));
    assert_eq!(value("i64", "-1"), (64, u64::MAX.into()));
    assert_eq!(value("i128", "-1"), (128, u128::MAX.into()));
    assert_eq!(value("i128", "170141183460469231731687303715884105727"), (128, (u128::MAX >> 1).into()));
    assert_eq!(value("i256", "-1"), (256, (BigUint::from(1u32) << 256u32) - 1u32));
    assert_eq!(value("i65", "18446744073709551616"), (65, BigUint::from(1u32) << 64u32));
}

#[test]
fn aggregates_keep_their_elements() {
    let elements = |ty: &str, constant: &str| match returned(ty, constant) {
        Constant::Aggregate(_, elements) => elements,
        other => panic!("{other:?}"),
    };
    let int = |bits, value: u32| Constant::Int { bits, value: value.into() };
    assert_eq!(elements("[3 x i16]", "[i16 1, i16 2, i16 3]"), [int(16, 1), int(16, 2), int(16, 3)]);
    assert_eq!(elements("[2 x i8]", "c\"ab\""), [int(8, 97), int(8, 98)]);
    assert_eq!(elements("<2 x i32>", "splat (i32 7)"), [int(32, 7), int(32, 7)]);
    assert_eq!(elements("<2 x i1>", "<i1 true, i1 poison>"), [int(1, 1), Constant::Poison(Type::Int(1))]);
    assert_eq!(elements("{ ptr, i32 }", "{ ptr null, i32 undef }"), [Constant::Null, Constant::Undef(Type::Int(32))]);
    assert!(matches!(returned("<4 x double>", "zeroinitializer"), Constant::Zero(Type::Vector(_, 4))));
    assert!(matches!(returned("[2 x float]", "poison"), Constant::Poison(Type::Array(_, 2))));
}

#[test]
fn addresses_are_globals_and_byte_offsets() {
    let offset = |constant: &str| match returned("ptr", constant) {
        Constant::Global(global, offset) => (global.index(), offset),
        other => panic!("{other:?}"),
    };
    assert_eq!(offset("@g"), (0, 0));
    assert_eq!(offset("getelementptr ([4 x { i8, double }], ptr @g, i64 0, i64 2, i32 1)"), (0, 40));
    assert_eq!(offset("getelementptr (i8, ptr getelementptr (double, ptr @g, i64 3), i64 -5)"), (0, 19));
    assert_eq!(offset("@a"), (0, 16));
    assert!(matches!(returned("ptr", "@h"), Constant::Function(_)));
    let as_integer = returned("i64", "ptrtoint (ptr getelementptr (i8, ptr @g, i64 3) to i64)");
    assert!(matches!(as_integer, Constant::GlobalAddress(global, 3) if global.index() == 0), "{as_integer:?}");
    match returned("i32", "ptrtoint (ptr @g to i32)") {
        Constant::Unsupported(Type::Int(32), text) => assert!(text.contains("ptrtoint"), "{text}"),
        other => panic!("{other:?}"),
    }
}
