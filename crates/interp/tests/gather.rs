//! Gathers and scatters: memory accesses through vectors of pointers, as AVX2 and AVX-512 code has them.

use labrys_float::Environment;
use labrys_interp::{Datum, Limits, interpret};
use labrys_program::Program;

#[test]
fn lanes_go_through_their_own_addresses() {
    let text = r#"
@table = constant [4 x double] [double 1.0, double 2.0, double 4.0, double 8.0]
declare <2 x double> @llvm.masked.gather.v2f64.v2p0(<2 x ptr>, i32, <2 x i1>, <2 x double>)
declare void @llvm.masked.scatter.v2f64.v2p0(<2 x double>, <2 x ptr>, i32, <2 x i1>)
define double @f() {
  %memory = alloca [4 x double]
  store [4 x double] zeroinitializer, ptr %memory
  %from = getelementptr double, ptr @table, <2 x i64> <i64 3, i64 1>
  %all = call <2 x double> @llvm.masked.gather.v2f64.v2p0(<2 x ptr> %from, i32 8, <2 x i1> splat (i1 true), <2 x double> zeroinitializer)
  %to = getelementptr double, ptr %memory, <2 x i64> <i64 0, i64 2>
  call void @llvm.masked.scatter.v2f64.v2p0(<2 x double> %all, <2 x ptr> %to, i32 8, <2 x i1> <i1 true, i1 false>)
  %a = load double, ptr %memory
  %second = getelementptr double, ptr %memory, i64 2
  %b = load double, ptr %second
  %masked = call <2 x double> @llvm.masked.gather.v2f64.v2p0(<2 x ptr> %from, i32 8, <2 x i1> <i1 false, i1 true>, <2 x double> splat (double 100.0))
  %c = extractelement <2 x double> %masked, i32 0
  %d = extractelement <2 x double> %masked, i32 1
  %ab = fadd double %a, %b
  %abc = fadd double %ab, %c
  %sum = fadd double %abc, %d
  ret double %sum
}"#;
    let program = Program::from_bytes(text.as_bytes(), "gather.ll").expect("valid IR");
    let function = program.function("f").expect("f");
    let done = interpret(&program, function, Vec::new(), &Environment::default(), &Limits::default());
    let result = done.result.expect("it returns");
    // 8 was scattered to the first place, the second was masked out; 100 passed through, 2 was gathered.
    match &result[0].datum {
        Datum::Float(value) => assert_eq!(value.to_f64(), Some(110.0)),
        other => panic!("{other:?}"),
    }
}
