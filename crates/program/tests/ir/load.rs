//! Instructions, attributes and locations of real compilers' IR.

use labrys_program::{
    Block, Callee, Constant, FloatBinary, FloatPredicate, Function, InstructionKind, IntBinary, Operand, Program,
    Terminator, Type,
};

use crate::build::{Source, function, kinds};

const TURBINE: &str = "double turbine1(double v, double w, double r) {
  return 3 + 2/(r*r) - 0.125*(3-2*v)*(w*w*r*r)/(1-v) - 4.5;
}";

/// Loops, casts, tables, libm, classification, structs by value: ordinary numerical C.
const NUMERICAL: &str = r#"
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
double _Complex quotient(double _Complex a, double _Complex b) { return a * b / (a - b); }
struct S { double a; int n; float v[3]; long double l; };
struct S big(struct S s) { s.a += s.v[1]; s.l *= 2; return s; }
double loop(const double* restrict x, const float* restrict y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * y[i] + fabs(x[i]) + floor(y[i]) + (double)(int)x[i];
  return s;
}
void saxpy(float a, float* x, float* y, int n) {
  for (int i = 0; i < n; i++) y[i] += a * x[i] > 3 ? x[i] : sqrtf(y[i]);
}
void from(const double* x, uint32_t* y, uint64_t* z, int8_t* w, int n) {
  for (int i = 0; i < n; i++) { y[i] = x[i]; z[i] = x[i]; w[i] = x[i]; }
}
void to(double* x, uint32_t* y, uint64_t* z, int8_t* w, int n) {
  for (int i = 0; i < n; i++) x[i] = y[i] + z[i] + w[i];
}
double choose(int k, double x) {
  switch (k) { case 0: return x; case 1: return x * x; case 2: return sin(x); case -3: return pow(x, 2.5);
               default: return fmod(x, 3); }
}
int classify(double x) { return isnan(x) + 2 * isinf(x) + 4 * signbit(x) + fpclassify(x); }
double bits(double x) { uint64_t u; memcpy(&u, &x, 8); u ^= 1; memcpy(&x, &u, 8); return x; }
typedef double v4 __attribute__((vector_size(32)));
v4 lanes(v4 a, v4 b) { return a * b + a; }
double product(double a[4][4], double b[4][4]) {
  double s = 0;
  for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) for (int k = 0; k < 4; k++) s += a[i][k] * b[k][j];
  return s;
}
double reduce(double* x, int n) {
  double m = x[0], p = 1;
  for (int i = 0; i < n; i++) m = fmax(m, x[i]);
  for (int i = 0; i < n; i++) p *= x[i];
  return m * p;
}
int count(double* x, int n) { int c = 0; for (int i = 0; i < n; i++) c += x[i] > 0; return c; }
double gather(double* x, int* at, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[at[i]]; return s; }
static const double table[] = {1.5, 2.5, 3.5};
double look(int i) { return table[i]; }
"#;

const FORTRAN: &str = "real(8) function foo(x, n, a)
  real(8) :: x, a(n)
  integer :: n, i
  foo = 0
  do i = 1, n
    foo = foo + a(i)*x**2 / (1.0d0 + exp(a(i)))
  end do
end function
complex function cc(z, s)
  complex z
  real s
  cc = z*z/s
end function
real(10) function q(x)
  real(10) x
  q = x*1.1_10 + 1e4000_10
end function
";

const RUST: &str = "#[unsafe(no_mangle)] pub extern \"C\" fn hyp(x: f64, y: f64) -> f64 { (x*x+y*y).sqrt() }
#[unsafe(no_mangle)] pub extern \"C\" fn step(x: f64) -> f64 { if x > 1.0 { x.ln().mul_add(2.0, x) } else { x.max(0.5) } }
#[unsafe(no_mangle)] pub extern \"C\" fn int(x: f32) -> i32 { x as i32 }
";

const CPP: &str = "#include <cmath>
#include <complex>
struct Shape { virtual double area() const = 0; };
struct Square : Shape { double s; Square(double s) : s(s) {} double area() const override { return s * s; } };
double area(const Shape& s) { return s.area(); }
double make(double x) { Square s(x); return area(s); }
template <class T> T cube(T x) { return x * x * x; }
double both(double x, float y) { return cube(x) + cube(y) + std::hypot(x, y); }
std::complex<double> product(std::complex<double> a, std::complex<double> b) { return a * b / (a + b); }
";

/// The blocks that calls which return can lead to: not landing pads.
fn reachable(function: &Function) -> Vec<&Block> {
    let mut seen = vec![false; function.blocks.len()];
    let mut open = if seen.is_empty() { vec![] } else { vec![0] };
    let mut found = Vec::new();
    while let Some(index) = open.pop() {
        if std::mem::replace(&mut seen[index], true) {
            continue;
        }
        let block = &function.blocks[index];
        found.push(block);
        match &block.terminator {
            Terminator::Branch(target) => open.push(target.index()),
            Terminator::CondBranch(_, then, other) => open.extend([then.index(), other.index()]),
            Terminator::Switch { cases, default, .. } => {
                open.extend(cases.iter().map(|(_, target)| target.index()));
                open.push(default.index());
            }
            Terminator::Return(_) | Terminator::Resume(_) | Terminator::Unreachable => {}
            Terminator::Unsupported(why) => panic!("{}: {why}", function.name),
        }
    }
    found
}

#[test]
fn ordinary_code_is_supported() {
    let builds = [
        ("a.c", NUMERICAL, vec!["-O0", "-O3 -ffast-math -march=x86-64-v3", "-O3 -march=x86-64-v4", "-O2"]),
        ("a.cpp", CPP, vec!["-O0", "-O3 -ffast-math -march=native"]),
        ("a.f90", FORTRAN, vec!["-O0", "-O3 -ffast-math -march=native"]),
        ("a.rs", RUST, vec!["-C opt-level=0", "-C opt-level=3 -C target-cpu=native"]),
    ];
    for (name, text, all_flags) in builds {
        let source = Source::new(name, text);
        for flags in all_flags {
            let program = source.program(flags);
            let mut located = 0;
            for function in &program.functions {
                for instruction in reachable(function).into_iter().flat_map(|block| &block.instructions) {
                    if let InstructionKind::Unsupported(why) = &instruction.kind {
                        panic!("{name} {flags}: {}: {why}", function.name);
                    }
                    located += u32::from(instruction.location.is_some());
                }
            }
            assert!(located > 5, "{name} {flags}: {located} instructions have locations");
            let text = program.display().to_string();
            assert!(!text.contains("unsupported:f") && !text.contains("unsupported:i"), "{name} {flags}: {text}");
        }
    }
}

#[test]
fn strict_code_has_the_sources_operations_and_columns() {
    let program = Source::new("turbine1.c", TURBINE).program("-O0");
    let turbine = function(&program, "turbine1");
    assert_eq!(turbine.source_name.as_deref(), Some("turbine1"));
    assert!(turbine.is_external && !turbine.is_variadic && !turbine.features.fma);
    assert_eq!(turbine.parameters.len(), 3);
    let divisions: Vec<_> = turbine.blocks[0]
        .instructions
        .iter()
        .filter(|it| matches!(it.kind, InstructionKind::FloatBinary(FloatBinary::Div, ..)))
        .filter_map(|it| program.locations.get(it.location?.index()))
        .map(|it| (program.files[it.file as usize].as_str(), it.line, it.column, it.inlined_at))
        .collect();
    // Whole paths, however clang splits them.
    assert!(divisions.iter().all(|(file, ..)| file.starts_with('/') && file.ends_with("/turbine1.c")), "{divisions:?}");
    let places: Vec<_> = divisions.iter().map(|(_, line, column, inlined)| (*line, *column, *inlined)).collect();
    assert_eq!(places, [(2, 15, None), (2, 47, None)]);
    assert!(turbine.blocks[0].instructions.iter().all(|it| it.fast_math == Default::default()));
}

/// Of several variables of one name the innermost can be named at a loop, of those that are declared later or inside none.
#[test]
fn loops_know_the_variables_that_can_be_named_there() {
    let text = "typedef const unsigned long size;
double f(int n, double x, float *p) {
  int i = 3;
  for (size i = 2; n > 0; n--) {
    int j = 5;
    while (j > i) j--;
    x += j;
  }
  long later = i;
  do x += 1; while (x < later);
  return x + *p;
}";
    let program = Source::new("f.c", text).program("-O0");
    let function = function(&program, "f");
    let place = |of: &labrys_program::SourceLoop| {
        let location = program.locations[of.location.index()];
        (location.line, location.column)
    };
    let variables = |of: &labrys_program::SourceLoop| -> Vec<String> {
        let text = |it: &labrys_program::SourceVariable| {
            let allocates = |of: &labrys_program::Instruction| {
                of.result == Some(it.memory) && matches!(of.kind, InstructionKind::Alloca(..))
            };
            assert!(function.blocks[0].instructions.iter().any(allocates), "{it:?}");
            format!("{} {}{}", it.ty, it.name, if it.is_declared_within { " within" } else { "" })
        };
        of.variables.iter().map(text).collect()
    };
    let found: Vec<_> = function.loops.iter().map(|of| (place(of), variables(of))).collect();
    let [((6, 5), inner), ((4, 3), outer)] = &found[..] else { panic!("{found:?}") };
    assert_eq!(outer[..], ["unsigned long i within", "int n", "double x"]);
    assert_eq!(inner[..], ["unsigned long i", "int j", "int n", "double x"]);
    assert!(Source::new("f.c", text).program("-O2").functions[0].loops.iter().all(|of| of.variables.is_empty()));
}

#[test]
fn fast_code_has_flags_and_features() {
    let source = Source::new("turbine1.c", TURBINE);
    let program = source.program("-O3 -ffast-math -march=x86-64-v3");
    let turbine = function(&program, "turbine1");
    assert!(turbine.features.fma && !turbine.features.flushes_denormals);
    let products = turbine.blocks[0]
        .instructions
        .iter()
        .filter(|it| matches!(it.kind, InstructionKind::FloatBinary(FloatBinary::Mul, ..)));
    for product in products {
        let flags = product.fast_math;
        assert!(flags.no_nans && flags.no_infinities && flags.no_signed_zeros && flags.allow_reciprocal);
        assert!(flags.allow_contract && flags.approximate_functions && flags.allow_reassociation);
    }
    let flushed = source.program("-O1 -fdenormal-fp-math=preserve-sign");
    assert!(function(&flushed, "turbine1").features.flushes_denormals);
}

#[test]
fn inlining_is_a_chain_of_locations() {
    let text = "static double half(double x) {\n  return x / 3;\n}\nstatic double twice(double x) {\n  return half(x) * 2;\n}\n\
                double outer(double x) {\n  return twice(x);\n}\n";
    let program = Source::new("a.c", text).program("-O2");
    let division = function(&program, "outer").blocks[0]
        .instructions
        .iter()
        .find(|it| matches!(it.kind, InstructionKind::FloatBinary(FloatBinary::Div, ..)))
        .expect("the division");
    let mut chain = Vec::new();
    let mut next = division.location;
    while let Some(location) = next.map(|id| program.locations[id.index()]) {
        let function = &program.source_functions[location.function.index()];
        chain.push((function.name.as_str(), location.line, location.column));
        next = location.inlined_at;
    }
    assert_eq!(chain, [("half", 2, 12), ("twice", 5, 10), ("outer", 8, 10)]);
}

/// Rust's `black_box` ended every path: it is assembly without instructions.
#[test]
fn assembly_without_instructions_changes_nothing() {
    let text = r#"
define double @f(ptr %p, double %x, i64 %n) {
  call void asm sideeffect "", "r,~{memory}"(ptr %p)
  call void asm "", "=*m,*m"(ptr elementtype(double) %p, ptr elementtype(double) %p)
  %same = call double asm "", "=x,0,~{dirflag}"(double %x)
  %second = call i64 asm " ", "=r,r,0"(i64 1, i64 %n)
  %any = call i64 asm "", "=r,r"(i64 %n)
  %two = call { i64, i64 } asm "", "=r,=r,0,1"(i64 %n, i64 %n)
  ret double %same
}"#;
    let program = Program::from_bytes(text.as_bytes(), "empty.ll").expect("valid IR");
    let f = function(&program, "f");
    let all = kinds(f);
    for nothing in &all[..2] {
        assert!(
            matches!(nothing, InstructionKind::Call(Callee::InlineAsm(_), given) if given.is_empty()),
            "{nothing:?}"
        );
    }
    let parameter = |index: usize| Operand::Value(f.parameters[index].value);
    assert!(matches!(all[2], InstructionKind::Freeze(of) if *of == parameter(1)), "{:?}", all[2]);
    assert!(matches!(all[3], InstructionKind::Freeze(of) if *of == parameter(2)), "{:?}", all[3]);
    // What is in another register nobody knows.
    for unknown in &all[4..6] {
        assert!(
            matches!(unknown, InstructionKind::Call(Callee::InlineAsm(_), given) if !given.is_empty()),
            "{unknown:?}"
        );
    }
}

#[test]
fn each_instruction_says_what_it_does() {
    let text = r#"
declare double @llvm.fma.f64(double, double, double)
declare double @sin(double)
declare i32 @__gxx_personality_v0(...)
define double @f(double %x, i64 %i, ptr %p, <2 x double> %v, ptr %g) personality ptr @__gxx_personality_v0 {
  %neg = fneg nnan double %x
  %une = fcmp une double %x, %neg
  %or = or disjoint i64 %i, 1
  %shl = shl i64 %i, 2
  %gep = getelementptr inbounds { i8, [4 x double] }, ptr %p, i64 %i, i32 1, i64 %or
  %old = load atomic double, ptr %gep seq_cst, align 8
  fence seq_cst
  store volatile double %old, ptr %p
  %shuffled = shufflevector <2 x double> %v, <2 x double> poison, <3 x i32> <i32 1, i32 poison, i32 0>
  %fma = call double @llvm.fma.f64(double %x, double %x, double %x)
  %fp = call double %g(double %fma)
  %asm = call i64 asm "nop", "=r"()
  %frozen = freeze double %fp
  %rmw = atomicrmw add ptr %p, i64 1 seq_cst
  %vgep = getelementptr double, ptr %p, <2 x i64> splat (i64 1)
  %thrown = invoke double @sin(double %frozen) to label %fine unwind label %pad
fine:
  %k = trunc nuw i64 %shl to i3
  switch i3 %k, label %end [ i3 -1, label %fine2 i3 0, label %end ]
fine2:
  unreachable
pad:
  %lp = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %lp
end:
  ret double %thrown
}"#;
    let program = Program::from_bytes(text.as_bytes(), "all.ll").expect("valid IR");
    let f = function(&program, "f");
    let all = kinds(f);
    let unordered = FloatPredicate { less: true, equal: false, greater: true, unordered: true };
    assert!(matches!(all[0], InstructionKind::FloatNegate(_)) && f.blocks[0].instructions[0].fast_math.no_nans);
    assert!(matches!(all[1], InstructionKind::FloatCompare(predicate, ..) if *predicate == unordered));
    assert!(matches!(all[2], InstructionKind::IntBinary { op: IntBinary::Or, may_poison: true, .. }));
    assert!(matches!(all[3], InstructionKind::IntBinary { op: IntBinary::Shl, may_poison: false, .. }));
    match all[4] {
        InstructionKind::PointerOffset { offset: 8, scaled, .. } => {
            assert_eq!(scaled.iter().map(|(_, scale)| *scale).collect::<Vec<_>>(), [40, 8]);
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(all[5], InstructionKind::Load { ordered: true, .. }));
    assert!(matches!(all[6], InstructionKind::Store { ordered: true, .. }));
    assert!(matches!(all[7], InstructionKind::ShuffleVector(_, _, mask) if *mask == [Some(1), None, Some(0)]));
    assert!(matches!(all[8], InstructionKind::Call(Callee::Intrinsic(called), _) if called.name() == "llvm.fma"));
    assert!(matches!(all[9], InstructionKind::Call(Callee::Indirect(Operand::Value(_)), _)));
    assert!(matches!(all[10], InstructionKind::Call(Callee::InlineAsm(text), _) if &**text == "nop"));
    assert!(matches!(all[11], InstructionKind::Freeze(_)));
    // On one thread an atomic sum is a read, a sum and a write.
    assert!(matches!(all[12], InstructionKind::Load { ordered: true, .. }));
    assert!(matches!(all[13], InstructionKind::IntBinary { op: IntBinary::Add, .. }));
    assert!(matches!(all[14], InstructionKind::Store { ordered: true, .. }));
    match all[15] {
        InstructionKind::PointerOffset { base: Operand::Value(_), offset: 0, scaled } => {
            assert!(matches!(scaled.as_slice(), [(Operand::Constant(Constant::Aggregate(..)), 8)]), "{scaled:?}");
        }
        other => panic!("{other:?}"),
    }
    match all[16] {
        InstructionKind::Call(Callee::Function(id), arguments) => {
            assert_eq!((program.functions[id.index()].name.as_str(), arguments.len()), ("sin", 1));
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(f.blocks[0].terminator, Terminator::Branch(target) if target.index() == 1));
    assert_eq!(f.blocks[0].unwind.map(|block| block.index()), Some(3));
    match &f.blocks[1].terminator {
        Terminator::Switch { cases, default, .. } => {
            let cases: Vec<_> = cases.iter().map(|(value, block)| (value.clone(), block.index())).collect();
            assert_eq!(cases, [(7u32.into(), 2), (0u32.into(), 4)]);
            assert_eq!(default.index(), 4);
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(f.blocks[2].terminator, Terminator::Unreachable));
    assert!(matches!(&f.blocks[3].terminator, Terminator::Resume(Operand::Value(_))));
    let landing = f.blocks[3].landing.as_ref().expect("a landing pad");
    assert!(!landing.clauses.is_empty(), "{landing:?}");
}

#[test]
fn layouts_are_the_targets() {
    let text = "#include <stdbool.h>\nstruct S { char c; double d; long double l; bool b; float f[3]; };\n\
                struct S global = { 1, 2, 3, 1, { 4, 5, 6 } };\n\
                struct __attribute__((packed)) T { char c; double d; } packed;\nstruct S* get(void) { return &global; }";
    let program = Source::new("a.c", text).program("-O1");
    let global = |name: &str| program.globals.iter().find(|it| it.name == name).expect("the global");
    let offsets = |name: &str| match &global(name).ty {
        Type::Struct(layout) => (layout.offsets.clone(), layout.size),
        other => panic!("{other:?}"),
    };
    assert_eq!(global("global").size, 48);
    let (found, size) = offsets("global");
    // clang may spell padding out as members of its own.
    assert!([0, 8, 16, 32, 36].iter().all(|offset| found.contains(offset)) && size == 48, "{found:?} {size}");
    assert_eq!(offsets("packed"), (vec![0, 1], 9));
    assert!(global("global").initializer.is_some() && !global("global").is_constant);
}

#[test]
fn sizes_in_arrays_are_llvms() {
    let types = [
        "i1",
        "i8",
        "i17",
        "i24",
        "i48",
        "i64",
        "i65",
        "i128",
        "i160",
        "i256",
        "half",
        "bfloat",
        "float",
        "double",
        "x86_fp80",
        "fp128",
        "ptr",
        "<8 x i1>",
        "<3 x i8>",
        "<3 x float>",
        "<3 x double>",
        "<2 x ptr>",
        "<2 x i24>",
        "[3 x x86_fp80]",
        "[2 x [3 x i16]]",
        "{ i8, double }",
        "<{ i8, double }>",
        "{ x86_fp80, i1 }",
        "[2 x { i8, i32 }]",
    ];
    let globals: String =
        types.iter().enumerate().map(|(index, ty)| format!("@g{index} = external global {ty}\n")).collect();
    // The data layout that clang gives x86-64.
    let layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";
    let text = format!("target datalayout = \"{layout}\"\n{globals}");
    let program = Program::from_bytes(text.as_bytes(), "globals.ll").expect("valid IR");
    assert_eq!(program.globals.len(), types.len());
    for (global, ty) in program.globals.iter().zip(types) {
        assert_eq!(global.ty.alloc_size(), global.size, "{ty}");
    }
}
