//! The lines from which a call comes to operations of others.

mod common;

use labrys_float::{Environment, Flags, Float};
use labrys_interp::{Limits, RecordCall, Scalar, Soft, interpret};
use labrys_program::{LocationId, Program};

use common::of_one_double;

/// `f` calls `power` at 2:10 and at once at 2:20, and has `power` inlined at 3:5; `power` stands in a file of others.
const IR: &str = r#"
define double @power(double %x) !dbg !20 {
  %r = fmul double %x, %x, !dbg !22
  ret double %r, !dbg !22
}
define double @f(double %x) !dbg !10 {
  %a = call double @power(double %x), !dbg !12
  %b = call double @power(double %a), !dbg !13
  %c = fmul double %b, %b, !dbg !23
  %d = fadd double %c, %a, !dbg !14
  ret double %d, !dbg !14
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/home/user")
!2 = !DIFile(filename: "/usr/include/power.h", directory: "")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !{null})
!10 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!12 = !DILocation(line: 2, column: 10, scope: !10)
!13 = !DILocation(line: 2, column: 20, scope: !10)
!14 = !DILocation(line: 4, column: 3, scope: !10)
!15 = distinct !DILocation(line: 3, column: 5, scope: !10)
!20 = distinct !DISubprogram(name: "power", scope: !2, file: !2, line: 7, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!22 = !DILocation(line: 8, column: 9, scope: !20)
!23 = !DILocation(line: 8, column: 9, scope: !20, inlinedAt: !15)
"#;

#[test]
fn calls_and_inlined_calls_are_told_with_what_they_raised() {
    let program = Program::from_bytes(IR.as_bytes(), "f.ll").unwrap();
    let function = program.function("f").unwrap();
    let signature = of_one_double();
    let binding = labrys_program::map_parameters(&signature, &program, function).unwrap();
    let call = RecordCall { program: &program, function, binding: &binding, signature: &signature, init: None };
    let at = |id: LocationId| program.locations[id.index()];
    let is_own = |id: LocationId| program.files[at(id).file as usize].ends_with("f.c");
    let reached = |x: f64, line: u32| -> Vec<(u32, u32, Flags)> {
        let domain = Soft::new(Environment::default());
        let is_sought = |id: LocationId| at(id).line == line;
        let found = call.reached(domain, &x.to_le_bytes(), &Limits::default(), &is_sought, &is_own);
        found.iter().map(|of| (at(of.from).line, at(of.from).column, of.raised & Flags::NOTABLE)).collect()
    };
    let none = Flags::empty();
    assert_eq!(reached(2.0, 8), [(2, 10, none), (2, 20, none), (3, 5, none)]);
    assert_eq!(reached(1e50, 8), [(2, 10, none), (2, 20, none), (3, 5, Flags::OVERFLOW)]);
    assert_eq!(reached(1e200, 8), [(2, 10, Flags::OVERFLOW), (2, 20, none), (3, 5, none)]);
    assert_eq!(reached(2.0, 4), [(4, 3, none)], "an operation of its own");
    assert_eq!(reached(2.0, 9), []);
}

/// An operation of the C library's bitcode, which has no places, was told to be at the call behind the one that it is in, where the two are
/// neighbours.
#[test]
fn what_a_library_computes_is_at_its_call() {
    let plain = IR.replace("@power(double %x) !dbg !20 {", "@power(double %x) \"labrys-library\" {");
    let plain = plain.replace("%x, %x, !dbg !22", "%x, %x").replace("ret double %r, !dbg !22", "ret double %r");
    let program = Program::from_bytes(plain.as_bytes(), "f.ll").unwrap();
    let x = Scalar::float(Float::from_f64(1e200));
    let function = program.function("f").unwrap();
    let run = interpret(&program, function, vec![[x].into()], &Environment::default(), &Limits::default());
    let at = run.events[0].location.map(|id| program.locations[id.index()].column);
    assert_eq!((run.events[0].flags & Flags::NOTABLE, at), (Flags::OVERFLOW, Some(10)));
}
