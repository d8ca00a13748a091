//! Files that are not programs get a typed error; nothing ends the process.

use std::path::Path;

use labrys_program::{LoadError, Program};

use crate::build::Source;

#[test]
fn what_is_wrong_is_said() {
    let load = |bytes: &[u8]| Program::from_bytes(bytes, "x.ll").expect_err("not a program");
    assert!(matches!(load(b""), LoadError::Empty { .. }));
    assert!(matches!(load(b" \n\t"), LoadError::Empty { .. }));
    let text = load(b"hello").to_string();
    assert!(
        text.starts_with("x.ll is not LLVM IR that LLVM 22 can read: x.ll:1:1: error: expected top-level"),
        "{text}"
    );
    assert!(matches!(load(b"define double @f() { ret i32 0 }"), LoadError::Malformed { .. }));
    // It parses, but a use comes before its definition.
    let invalid = load(b"define i32 @f() { %b = add i32 %a, 1 %a = add i32 1, 1 ret i32 %b }");
    assert!(matches!(invalid, LoadError::Invalid { .. }), "{invalid}");
    let small = load(b"target datalayout = \"e-p:32:32\"\ntarget triple = \"i386-linux\"\ndeclare void @f()");
    assert!(small.to_string().contains("i386-linux"), "{small}");
    let big = load(b"target datalayout = \"E-p:64:64\"\ndeclare void @f()");
    assert!(matches!(big, LoadError::Target { .. }), "{big}");
    assert!(matches!(load(b"BC\xC0\xDE"), LoadError::Malformed { .. }));
    assert!(matches!(load(b"BC\xC0\xDE garbage that is no bitcode at all"), LoadError::Malformed { .. }));
    let missing = Program::from_ir_file(Path::new("/nowhere/a.bc")).expect_err("no such file");
    assert!(missing.to_string().starts_with("cannot read /nowhere/a.bc: No such file"), "{missing}");
}

#[test]
fn a_source_is_not_bitcode() {
    let source = Source::new("a.c", "double f(double x) { return x; }");
    let error = Program::from_bitcode_file(&source.path("a.c")).expect_err("C is not bitcode");
    assert!(matches!(error, LoadError::NotBitcode { .. }), "{error}");
}

#[test]
fn truncated_bitcode_is_an_error_at_every_length() {
    let source = Source::new("a.c", "double f(double x, int n) { while (n--) x = x * 1.5 + 1 / x; return x; }");
    let bytes = std::fs::read(source.bitcode("-O2")).expect("bitcode");
    assert!(Program::from_bytes(&bytes, "whole").is_ok());
    let step = (bytes.len() / 300).max(1);
    for length in (0..bytes.len() - 4).step_by(step) {
        let loaded = Program::from_bytes(&bytes[..length], "part");
        // The symbol and string tables stand last; without them LLVM may still read the module's blocks.
        if length < bytes.len() / 2 {
            assert!(loaded.is_err(), "{length} of {} bytes", bytes.len());
        }
    }
}

#[test]
fn flipped_bits_end_in_an_error_or_a_program() {
    let source = Source::new("a.c", "double f(double x, int n) { while (n--) x = x * 1.5 + 1 / x; return x; }");
    let bytes = std::fs::read(source.bitcode("-O0")).expect("bitcode");
    let damaged = source.path("damaged.bc");
    let mut state = 1u64;
    let mut refused = 0;
    for _ in 0..40 {
        // Knuth's linear congruential generator: the same positions in every run.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut copy = bytes.clone();
        copy[(state >> 33) as usize % bytes.len()] ^= 1 << (state >> 20 & 7);
        std::fs::write(&damaged, copy).expect("the copy is written");
        refused += u32::from(Program::from_ir_file(&damaged).is_err());
    }
    assert!(refused > 5, "{refused} of 40 refused");
}
