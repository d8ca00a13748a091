//! The list of a program's sites against the sites that executions name.

use labrys_symex::{LibraryOperator, Options, Site, SiteOperator, static_sites};
use labrys_term::Store;

use crate::support::{DOUBLE, FLOAT, INT, compile_text, run, run_with, subject, value};

const CODE: &str = "#include <math.h>
static double helper(double x) { return log(x) / 3; }
static double unused(double x) { return x * 5; }
double (*pointer)(double) = helper;
double f(double x, double y, float s, int n) {
    float t = (float)(x * y);
    double r = sqrt(fabs(t)) + fmod(x, y) - floor(s) + fdim(x, y) + ldexp(x, n) + scalbn(y, 3);
    int e; r += frexp(x, &e) + rint(y) + fma(x, y, 1) + fmaxf(s, 2) + n + (unsigned)x + lround(y) + e;
    return x < y ? pointer(r) : (double)tanf(s);
}";

fn check(flags: &[&str]) -> Vec<Site> {
    let parameters = vec![value("x", DOUBLE), value("y", DOUBLE), value("s", FLOAT), value("n", INT)];
    let subject = subject(compile_text(CODE, flags), "f", parameters, DOUBLE);
    let sites = static_sites(&subject.program, subject.function);
    let mut store = Store::new();
    let found = run(&subject, &mut store);
    assert!(found.is_complete(), "{:?}", found.stops());
    for execution in &found.executions {
        assert!(sites.contains(&execution.site), "{flags:?} {:?}", execution.site);
    }
    for site in &sites {
        // Both branches are taken, and so every site is executed.
        assert!(found.executions.iter().any(|execution| execution.site == *site), "{flags:?} {site:?}");
    }
    sites
}

#[test]
fn every_site_is_listed_as_executions_name_it() {
    let sites = check(&["-O0"]);
    let names: Vec<String> = sites.iter().map(|site| site.operator.to_string()).collect();
    for name in ["log", "fdiv", "fsqrt", "frem", "ldexp", "fsub", "tan", "fma", "fround", "fconvert", "fcmp", "fmax"] {
        assert!(names.iter().any(|known| known == name), "{name} in {names:?}");
    }
    // What nobody calls, even through a pointer, is not.
    assert_eq!(sites.iter().filter(|site| site.function == "unused").count(), 0);
    assert!(sites.iter().any(|site| site.function == "helper"));
}

#[test]
fn vector_lanes_and_intrinsics_are_listed() {
    check(&["-O2", "-fno-math-errno"]);
    check(&["-O3", "-march=haswell", "-fno-math-errno"]);
}

#[test]
fn pairs_that_no_operand_can_raise_are_not_possible() {
    use labrys_elementary::Function;
    use labrys_float::{Flags, Format};
    let library = |function| SiteOperator::Library(LibraryOperator::Elementary(function)).possible();
    assert!(!SiteOperator::Add.possible().contains(Flags::UNDERFLOW));
    assert_eq!(library(Function::Exp), Flags::OVERFLOW | Flags::UNDERFLOW);
    assert_eq!(library(Function::Pow), Flags::NOTABLE);
    let convert = |bits, to| SiteOperator::IntToFloat { bits, signed: true, to }.possible();
    assert_eq!(convert(64, Format::BINARY64), Flags::empty());
    assert_eq!(convert(32, Format::BINARY16), Flags::OVERFLOW);
    assert_eq!(convert(16, Format::BINARY16), Flags::empty());
}

#[test]
fn what_runs_before_changes_memory_and_is_no_execution() {
    let text = "static double factor = 2; void prepare(void) { factor = factor / 0.5; }
                double f(double x) { return factor == 4 ? x : x / x; }";
    let subject = subject(compile_text(text, &["-O0"]), "f", vec![value("x", DOUBLE)], DOUBLE);
    let mut store = Store::new();
    let options = Options { init: subject.program.function("prepare"), ..Options::default() };
    let found = run_with(&subject, &mut store, &options);
    assert_eq!(found.paths.len(), 1);
    let names: Vec<String> = found.executions.iter().map(|execution| execution.site.operator.to_string()).collect();
    assert_eq!(names, ["fcmp"]);
}

/// Only names were looked at: somebody's own function that is called fabs was silent, sprintf and lgamma_r were each known in one
/// of the lists alone.
#[test]
fn calls_of_libraries_are_sites_of_what_they_raise() {
    use labrys_float::Flags;
    let text = "
        declare i32 @sprintf(ptr, ptr, ...)
        declare i32 @__signbit(double)
        declare double @modf(double, ptr)
        declare double @lgamma_r(double, ptr)
        declare float @scalbnf(float, i32)
        declare double @__powidf2(double, i32)
        declare double @fabs(i64, double)
        declare double @sqrt(double)
        declare double @rand_between(double)
        declare { double, double } @__muldc3(double, double, double, double)
        define void @f(double %x, float %y, ptr %p) {
            %a = call i32 (ptr, ptr, ...) @sprintf(ptr %p, ptr %p, double %x)
            %b = call i32 @__signbit(double %x)
            %c = call double @modf(double %x, ptr %p)
            %d = call double @lgamma_r(double %x, ptr %p)
            %e = call float @scalbnf(float %y, i32 %a)
            %g = call double @__powidf2(double %x, i32 %a)
            %h = call double @fabs(i64 1, double %x)
            %i = call double @sqrt(double %x)
            %j = call double @rand_between(double %x)
            %k = call { double, double } @__muldc3(double %x, double %x, double %x, double %x)
            ret void
        }";
    let program = labrys_program::Program::from_bytes(text.as_bytes(), "test.ll").unwrap();
    let sites = static_sites(&program, program.function("f").unwrap());
    let found: Vec<(String, Flags)> =
        sites.iter().map(|site| (site.operator.to_string(), site.operator.possible())).collect();
    let expected = [
        ("lgamma", Flags::DIVBYZERO | Flags::OVERFLOW),
        ("ldexp", Flags::OVERFLOW | Flags::UNDERFLOW),
        ("powi", Flags::NOTABLE - Flags::INVALID),
        ("fabs", Flags::NOTABLE),
        ("fsqrt", Flags::INVALID),
        ("rand_between", Flags::NOTABLE),
        ("__muldc3", Flags::NOTABLE),
    ];
    assert_eq!(found, expected.map(|(name, flags)| (name.to_owned(), flags)));
}

/// Reports and observations name a function's operator alike.
#[test]
fn operators_of_calls_are_those_of_sites() {
    use labrys_program::{FloatCall, KnownFunction};
    for name in ["sqrt", "fma", "fmod", "remainder", "fmin", "fmaximum", "fdim", "rint", "ldexp", "exp", "__powidf2"] {
        let Some(KnownFunction::Float(call)) = KnownFunction::named(name) else { panic!("{name}") };
        let operands = match call {
            FloatCall::Scale | FloatCall::IntegerPower => "double, i32".to_owned(),
            _ => vec!["double"; call.arity()].join(", "),
        };
        let arguments = operands.replace("double", "double %x").replace("i32", "i32 3");
        let text = format!(
            "declare double @{name}({operands})\ndefine double @f(double %x) {{ %r = call double @{name}({arguments}) ret double %r }}"
        );
        let program = labrys_program::Program::from_bytes(text.as_bytes(), "test.ll").unwrap();
        let sites = static_sites(&program, program.function("f").unwrap());
        assert_eq!(sites.len(), 1, "{name}");
        assert_eq!(sites[0].operator.to_string(), call.operator(), "{name}");
    }
}

fn sites_of(text: &str) -> Vec<String> {
    let program = labrys_program::Program::from_bytes(text.as_bytes(), "test.ll").unwrap();
    let sites = static_sites(&program, program.function("f").unwrap());
    sites.iter().map(|site| site.operator.to_string()).collect()
}

/// Assembly, the processor's own operations and instructions without a word had no site, so that functions of nothing else were
/// "proved".
#[test]
fn what_is_not_understood_may_raise_anything() {
    let text = "
        declare i32 @llvm.x86.sse2.cvtsd2si(<2 x double>)
        declare i32 @llvm.x86.sse2.movmsk.pd(<2 x double>)
        declare <4 x float> @llvm.x86.sse.rcp.ss(<4 x float>)
        declare <16 x i8> @llvm.x86.ssse3.pshuf.b.128(<16 x i8>, <16 x i8>)
        declare i32 @feraiseexcept(i32)
        declare i32 @fetestexcept(i32)
        define void @f(<2 x double> %v, <4 x float> %w, <16 x i8> %b, ptr %p, ptr %l) {
            %a = call i32 @llvm.x86.sse2.cvtsd2si(<2 x double> %v)
            %c = call i32 @llvm.x86.sse2.movmsk.pd(<2 x double> %v)
            %d = call <4 x float> @llvm.x86.sse.rcp.ss(<4 x float> %w)
            %e = call <16 x i8> @llvm.x86.ssse3.pshuf.b.128(<16 x i8> %b, <16 x i8> %b)
            call void asm sideeffect \"\", \"r,~{memory}\"(ptr %p)
            %g = call double asm \"divsd $1, $0\", \"=x,x,0\"(double 1.0, double 2.0)
            %h = call i32 @feraiseexcept(i32 4)
            %i = call i32 @fetestexcept(i32 4)
            %j = va_arg ptr %l, double
            %k = va_arg ptr %l, i32
            ret void
        }";
    assert_eq!(sites_of(text), ["x86.sse2.cvtsd2si", "asm", "feraiseexcept", "va_arg"]);
}

/// dgemv_ takes addresses only, and raises what it likes.
#[test]
fn unknown_functions_compute_with_what_addresses_lead_to() {
    let text = "
        @message = private constant [4 x i8] c\"bad\\00\"
        @table = global [2 x double] zeroinitializer
        declare void @dgemv_(ptr, ptr)
        declare void @complain(ptr, i32)
        declare void @tick()
        declare void @each(ptr, ptr)
        declare ptr @strchr(ptr, i32)
        define double @half(double %x) { %r = fdiv double %x, 2.0 ret double %r }
        define void @f(ptr %a) {
            %n = alloca i32
            %m = alloca [2 x double]
            call void @dgemv_(ptr %n, ptr %a)
            call void @dgemv_(ptr %n, ptr %m)
            call void @dgemv_(ptr %n, ptr @table)
            call void @dgemv_(ptr %n, ptr null)
            call void @complain(ptr @message, i32 3)
            call void @tick()
            call void @each(ptr %n, ptr @half)
            %p = call ptr @strchr(ptr %a, i32 3)
            ret void
        }";
    assert_eq!(sites_of(text), ["dgemv_", "dgemv_", "dgemv_", "fdiv"]);
    let program = labrys_program::Program::from_bytes(text.as_bytes(), "test.ll").unwrap();
    let silent = labrys_symex::taken_as_silent(&program, &[program.function("f").unwrap()]);
    assert_eq!(silent.into_iter().collect::<Vec<_>>(), ["complain", "dgemv_", "each", "tick"]);
}

#[test]
fn computed_calls_may_leave_a_program_that_others_give_addresses() {
    let call = "define double @f(ptr %p) { %g = load ptr, ptr %p %r = call double %g(double 1.0) ret double %r }";
    assert_eq!(sites_of(call), [""; 0]);
    assert_eq!(sites_of(&format!("declare ptr @dlsym(ptr, ptr)\n{call}")), ["call"]);
    assert_eq!(sites_of(&format!("@hook = external global ptr\n{call}")), ["call"]);
}

/// Blocks to which no terminator leads: landing pads, and all behind a terminator that is not understood.
#[test]
fn what_thrown_exceptions_and_jumping_assembly_lead_to_is_listed() {
    let thrown = "
        declare void @may_throw(i32)
        declare i32 @__gxx_personality_v0(...)
        define double @f(double %x) personality ptr @__gxx_personality_v0 {
            invoke void @may_throw(i32 1) to label %ok unwind label %pad
        ok: ret double 1.0
        pad:
            %e = landingpad { ptr, i32 } catch ptr null
            %r = fdiv double 1.0, %x
            ret double %r
        }";
    assert_eq!(sites_of(thrown), ["fdiv"]);
    let jumping = "
        define double @f(double %x) {
            callbr void asm sideeffect \"jmp ${0:l}\", \"!i\"() to label %on [label %other]
        on: ret double 1.0
        other:
            %r = fdiv double 1.0, %x
            ret double %r
        }";
    assert_eq!(sites_of(jumping), ["asm", "fdiv"]);
}
