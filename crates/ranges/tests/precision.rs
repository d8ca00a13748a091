//! What range analysis must exclude, and must not.

use labrys_float::{Flags, Float};
use labrys_program::{LengthOptions, Program, map_parameters, parse_signature};
use labrys_ranges::{RangeOptions, Ranges, analyse, any_input};
use labrys_solver::domain::{Domain, FloatDomain};

const MATH: &str = "declare double @llvm.fabs.f64(double)\ndeclare double @llvm.sqrt.f64(double)\n\
    declare double @exp(double)\ndeclare double @log(double)\n";

fn ranges_in(ir: &str, prototype: &str, inputs: &dyn Fn(&labrys_program::Leaf) -> Domain) -> Ranges {
    let signature = parse_signature(prototype, &LengthOptions::default()).unwrap();
    let program = Program::from_bytes_promoted(format!("{MATH}{ir}").as_bytes(), "f.ll").unwrap();
    let function = program.function(&signature.symbol).unwrap();
    let binding = map_parameters(&signature, &program, function).unwrap();
    let ranges = analyse(&program, function, &binding, &signature, inputs, &RangeOptions::default());
    assert_eq!(ranges.incomplete, None);
    ranges
}

fn ranges(ir: &str, prototype: &str) -> Ranges {
    ranges_in(ir, prototype, &any_input)
}

/// Every finite double.
fn finite(_: &labrys_program::Leaf) -> Domain {
    let greatest = Float::from_f64(f64::MAX);
    Domain::Float(FloatDomain::between(&greatest.neg(), &greatest))
}

/// What all sites together may raise.
fn all(ranges: &Ranges) -> Flags {
    ranges.sites.iter().fold(Flags::empty(), |all, range| all | range.may_raise)
}

/// What the sites of an operator may raise.
fn of(ranges: &Ranges, operator: &str) -> Flags {
    let sites = ranges.sites.iter().filter(|range| range.site.operator.to_string() == operator);
    sites.fold(Flags::empty(), |all, range| all | range.may_raise)
}

const TWO: &str = "double f(double x, double y)";

#[test]
fn plain_averages_overflow_or_underflow_and_no_more() {
    let sum =
        "define double @f(double %x, double %y) { %s = fadd double %x, %y %r = fdiv double %s, 2.0 ret double %r }";
    assert_eq!(all(&ranges_in(sum, TWO, &finite)), Flags::OVERFLOW | Flags::UNDERFLOW);
    let halves = "define double @f(double %x, double %y) { %a = fdiv double %x, 2.0 %b = fdiv double %y, 2.0
        %r = fadd double %a, %b ret double %r }";
    assert_eq!(all(&ranges_in(halves, TWO, &finite)), Flags::UNDERFLOW);
    let from_x = "define double @f(double %x, double %y) { %d = fsub double %y, %x %h = fdiv double %d, 2.0
        %r = fadd double %x, %h ret double %r }";
    let found = ranges_in(from_x, TWO, &finite);
    assert_eq!(of(&found, "fsub"), Flags::OVERFLOW);
    assert_eq!(of(&found, "fdiv"), Flags::UNDERFLOW);
}

/// `extern double table[];` declares nothing of its length: reading it once ended all runs, and everything was proved.
#[test]
fn a_table_that_is_defined_elsewhere_holds_anything() {
    let ir = "@table = external global [0 x double]
        define double @f(double %x, i64 %i) { %at = getelementptr double, ptr @table, i64 %i
        %y = load double, ptr %at %r = fdiv double %x, %y ret double %r }";
    let expected = Flags::DIVBYZERO | Flags::OVERFLOW | Flags::UNDERFLOW | Flags::INVALID;
    assert_eq!(all(&ranges(ir, "double f(double x, long i)")), expected);
    assert_eq!(
        all(&ranges(&ir.replace("external global", "external constant"), "double f(double x, long i)")),
        expected
    );
}

/// flang's descriptors of arrays begin as constants with members that are not defined: ranges gave up there.
#[test]
fn members_that_are_not_defined_are_any_value() {
    let ir = "define double @f(double %x, double %y) {
        %d = alloca { double, [2 x double], i64 }
        %p = insertvalue { double, [2 x double], i64 } { double undef, [2 x double] undef, i64 7 }, double 2.0, 0
        store { double, [2 x double], i64 } %p, ptr %d
        %at = getelementptr i8, ptr %d, i64 INDEX
        %z = load double, ptr %at
        %r = fdiv double %x, %z ret double %r }";
    // What was put in is known, what was not may be zero.
    assert!(!all(&ranges(&ir.replace("INDEX", "0"), TWO)).intersects(Flags::DIVBYZERO | Flags::INVALID));
    assert!(all(&ranges(&ir.replace("INDEX", "8"), TWO)).contains(Flags::DIVBYZERO | Flags::INVALID));
}

#[test]
fn the_average_guarded_by_signs_only_underflows() {
    let ir = "define double @f(double %x, double %y) {
        entry: %a = fcmp olt double %x, 0.0
               %b = fcmp olt double %y, 0.0
               %opposite = xor i1 %a, %b
               br i1 %opposite, label %sum, label %same
        sum:   %s = fadd double %x, %y
               %r = fdiv double %s, 2.0
               ret double %r
        same:  %c = fcmp olt double %x, %y
               br i1 %c, label %up, label %down
        up:    %d = fsub double %y, %x
               %h = fdiv double %d, 2.0
               %q = fadd double %x, %h
               ret double %q
        down:  %e = fsub double %x, %y
               %g = fdiv double %e, 2.0
               %p = fadd double %y, %g
               ret double %p }";
    let found = ranges_in(ir, TWO, &finite);
    assert_eq!(all(&found), Flags::UNDERFLOW, "{found:?}");
    assert_eq!(of(&found, "fdiv"), Flags::UNDERFLOW);
    assert!(found.sites.iter().all(|range| range.is_reached));
}

#[test]
fn equal_operands_are_known_to_be_equal() {
    let ir = "define double @f(double %x, double %y) { %s = fmul double %x, %x %d = fsub double %x, %x
        %a = fadd double %s, 1.0 %q = fdiv double %y, %a ret double %q }";
    let found = ranges(ir, TWO);
    assert!(!of(&found, "fdiv").contains(Flags::DIVBYZERO), "x² + 1 is no zero");
    assert!(!of(&found, "fmul").contains(Flags::INVALID), "0 · ∞ is no square");
    assert_eq!(of(&found, "fsub"), Flags::INVALID, "∞ − ∞");
}

#[test]
fn what_is_compared_is_known_in_the_branch() {
    // if (fabs(x) < 1e-5) 1/(x + 2) else if (x != y) 1/(x - y)
    let ir = "define double @f(double %x, double %y) {
        entry: %m = call double @llvm.fabs.f64(double %x)
               %c = fcmp olt double %m, 1.0e-5
               br i1 %c, label %small, label %large
        small: %a = fadd double %x, 2.0
               %r = fdiv double 1.0, %a
               ret double %r
        large: %e = fcmp une double %x, %y
               br i1 %e, label %apart, label %done
        apart: %d = fsub double %x, %y
               %q = fdiv double 1.0, %d
               ret double %q
        done:  ret double 0.0 }";
    let found = ranges(ir, TWO);
    assert!(!all(&found).contains(Flags::DIVBYZERO), "{found:?}");
    let quotients: Vec<Flags> = found
        .sites
        .iter()
        .filter(|range| range.site.operator.to_string() == "fdiv")
        .map(|range| range.may_raise)
        .collect();
    // Neighbours are 2^−69 apart at least, since |x| ≥ 1e-5; 1/Ω is subnormal.
    assert_eq!(quotients, [Flags::empty(), Flags::UNDERFLOW]);
}

#[test]
fn library_functions_keep_to_their_images() {
    let ir = "define double @f(double %x, double %y) {
        entry: %c = fcmp ogt double %x, 0.0
               br i1 %c, label %yes, label %no
        yes:   %l = call double @log(double %x)
               %r = call double @llvm.sqrt.f64(double %x)
               %s = fdiv double %l, %r
               ret double %s
        no:    %e = call double @exp(double %x)
               %d = fadd double %e, 1.0
               %q = fdiv double 1.0, %d
               ret double %q }";
    let found = ranges(ir, TWO);
    assert_eq!(of(&found, "log"), Flags::empty());
    assert_eq!(of(&found, "fsqrt"), Flags::empty());
    assert_eq!(of(&found, "exp"), Flags::UNDERFLOW);
    assert!(!of(&found, "fdiv").contains(Flags::DIVBYZERO));
}

/// A Chebyshev series in [−1, 1] by Clenshaw's rule, its coefficients in a table behind a struct.
#[test]
fn a_chebyshev_loop_over_a_table_neither_overflows_nor_is_invalid() {
    let ir = "%series = type { ptr, i32 }
        @c = constant [6 x double] [double 1.25, double -0.5, double 0.25, double -0.0625, double 0.03125, double 1.0e-3]
        @s = constant %series { ptr @c, i32 5 }
        define internal double @eval(ptr %series, double %x) {
        entry: %pp = getelementptr %series, ptr %series, i32 0, i32 0
               %p = load ptr, ptr %pp
               %np = getelementptr %series, ptr %series, i32 0, i32 1
               %n = load i32, ptr %np
               %x2 = fmul double 2.0, %x
               br label %head
        head:  %j = phi i32 [ %n, %entry ], [ %k, %body ]
               %d = phi double [ 0.0, %entry ], [ %next, %body ]
               %dd = phi double [ 0.0, %entry ], [ %d, %body ]
               %more = icmp sge i32 %j, 1
               br i1 %more, label %body, label %done
        body:  %i = sext i32 %j to i64
               %at = getelementptr double, ptr %p, i64 %i
               %cj = load double, ptr %at
               %m = fmul double %x2, %d
               %t = fsub double %m, %dd
               %next = fadd double %t, %cj
               %k = add nsw i32 %j, -1
               br label %head
        done:  %y = fmul double %x, %d
               %z = fsub double %y, %dd
               ret double %z }
        define double @f(double %x) {
        entry: %m = call double @llvm.fabs.f64(double %x)
               %c = fcmp ole double %m, 1.0
               br i1 %c, label %yes, label %no
        yes:   %r = call double @eval(ptr @s, double %x)
               ret double %r
        no:    ret double 0.0 }";
    let found = ranges(ir, "double f(double x)");
    assert_eq!(all(&found), Flags::UNDERFLOW, "{found:?}");
    assert_eq!(of(&found, "fadd") | of(&found, "fsub"), Flags::empty());
}

/// for (k = 1; k < 100000; k++) { t *= x/k; s += t; if (t < 1e-17) break; } with 0 ≤ x ≤ 1.
#[test]
fn a_convergent_loop_without_a_decided_end_is_stable() {
    let ir = "define double @f(double %x) {
        entry: %a = fcmp oge double %x, 0.0
               %b = fcmp ole double %x, 1.0
               %in = and i1 %a, %b
               br i1 %in, label %head, label %out
        head:  %k = phi i32 [ 1, %entry ], [ %k1, %body ]
               %t = phi double [ 1.0, %entry ], [ %t1, %body ]
               %s = phi double [ 1.0, %entry ], [ %s1, %body ]
               %more = icmp slt i32 %k, 100000
               br i1 %more, label %body, label %done
        body:  %kf = sitofp i32 %k to double
               %q = fdiv double %x, %kf
               %t1 = fmul double %t, %q
               %s1 = fadd double %s, %t1
               %k1 = add nsw i32 %k, 1
               %small = fcmp olt double %t1, 1.0e-17
               br i1 %small, label %done, label %head
        done:  %r = phi double [ %s, %head ], [ %s1, %body ]
               ret double %r
        out:   ret double 0.0 }";
    let found = ranges(ir, "double f(double x)");
    assert!(!all(&found).intersects(Flags::INVALID | Flags::DIVBYZERO), "{found:?}");
    assert_eq!(of(&found, "fdiv"), Flags::empty(), "where x is tiny the loop ends before it is halved");
}

#[test]
fn code_that_no_input_reaches_is_not_reached() {
    let ir = "define double @f(double %x) {
        entry: %s = fmul double %x, %x
               %c = fcmp olt double %s, 0.0
               br i1 %c, label %never, label %always
        never: %q = fdiv double 1.0, 0.0
               ret double %q
        always: ret double %s }";
    let found = ranges(ir, "double f(double x)");
    let quotient = found.sites.iter().find(|range| range.site.operator.to_string() == "fdiv").unwrap();
    assert!(!quotient.is_reached && quotient.may_raise.is_empty());
}

#[test]
fn what_cannot_be_analysed_may_do_anything() {
    let ir = "declare double @mystery(double)
        define internal double @g(double %x) { %y = call double @mystery(double %x) %z = fadd double %y, 1.0 ret double %z }
        define double @f(double %x) { %y = call double @g(double %x) %z = fsub double %x, 1.0 ret double %z }";
    let found = ranges(ir, "double f(double x)");
    let sum = found.sites.iter().find(|range| range.site.operator.to_string() == "fadd").unwrap();
    assert_eq!(sum.may_raise, sum.site.operator.possible());
    assert_eq!(of(&found, "fsub"), Flags::empty());
    assert_eq!(found.opaque[0].0, "g");
    let alone = "declare double @mystery(double)
        define double @f(double %x) { %y = call double @mystery(double %x) %z = fsub double %x, 1.0 ret double %z }";
    let program = Program::from_bytes(alone.as_bytes(), "f.ll").unwrap();
    let signature = parse_signature("double f(double x)", &LengthOptions::default()).unwrap();
    let function = program.function("f").unwrap();
    let binding = map_parameters(&signature, &program, function).unwrap();
    let found = analyse(&program, function, &binding, &signature, &any_input, &RangeOptions::default());
    assert!(found.incomplete.is_some_and(|why| why.contains("mystery")));
}

#[test]
fn what_a_callee_with_a_loop_finds_out_is_known_to_its_caller() {
    let ir = "define i32 @callee(double %x, ptr %r) {
        entry: %bad = fcmp ult double %x, 1.0
               br i1 %bad, label %error, label %loop
        error: store double 0x7FF8000000000000, ptr %r
               ret i32 1
        loop:  %i = phi i32 [0, %entry], [%j, %loop]
               %j = add i32 %i, 1
               %more = icmp slt i32 %j, 10
               br i1 %more, label %loop, label %done
        done:  %s = call double @llvm.sqrt.f64(double %x)
               store double %s, ptr %r
               ret i32 0 }
        define double @f(double %x, double %y) {
        entry: %r = alloca double
               %status = call i32 @callee(double %x, ptr %r)
               %again = call i32 @callee(double %y, ptr %r)
               %failed = or i32 %status, %again
               %is = icmp ne i32 %failed, 0
               br i1 %is, label %error, label %done
        error: ret double 0.0
        done:  %v = load double, ptr %r
               %q = fdiv double %x, %v
               %p = fdiv double 1.0, %y
               ret double %p }";
    let found = ranges_in(ir, TWO, &finite);
    // 1/y is subnormal for the greatest y; no division is by zero.
    assert_eq!(all(&found), Flags::UNDERFLOW, "{found:?}");
    assert!(found.opaque.is_empty());
}

#[test]
fn what_a_function_raises_in_calls_of_itself_it_raises_for_some_arguments() {
    let ir = "define double @f(double %x, double %y) {
        entry: %large = fcmp ogt double %x, 16.0
               br i1 %large, label %more, label %done
        more:  %h = call double @llvm.sqrt.f64(double %x)
               %v = call double @f(double %h, double %y)
               ret double %v
        done:  %a = call double @llvm.fabs.f64(double %y)
               %b = fadd double %a, 1.0
               %q = fdiv double 1.0, %b
               ret double %q }";
    let found = ranges(ir, TWO);
    assert_eq!(of(&found, "fdiv"), Flags::UNDERFLOW);
    assert_eq!(all(&found), Flags::UNDERFLOW, "{found:?}");
    // Calls by way of a function that may do anything are no others.
    let by_way = ir.replace("%v = call double @f(", "%v = call double @way(")
        + "define double @way(double %x, double %y) {
               call void asm sideeffect \"nop\", \"\"()
               %v = call double @f(double %x, double %y)
               %r = fdiv double %v, %y
               ret double %r }";
    let around = ranges(&by_way, TWO);
    let possible = Flags::DIVBYZERO | Flags::INVALID | Flags::OVERFLOW | Flags::UNDERFLOW;
    let division = |function: &str| {
        let mut sites = around.sites.iter();
        let found = sites.find(|range| range.site.function == function && range.site.operator.to_string() == "fdiv");
        found.map(|range| range.may_raise)
    };
    assert_eq!((division("f"), division("way")), (Some(Flags::UNDERFLOW), Some(possible)));
    // For some arguments only: calls of itself may have others, and nothing is known of deep ones.
    let below =
        |_: &labrys_program::Leaf| Domain::Float(FloatDomain::between(&Float::from_f64(1e9), &Float::from_f64(1e300)));
    assert!(of(&ranges_in(ir, TWO, &below), "fdiv").contains(Flags::UNDERFLOW));
}

/// A function that nothing is known of, such as qsort, may call every function whose address is taken.
#[test]
fn unknown_functions_call_back() {
    let ir = "declare void @apply(ptr)
        define internal double @quotient(double %a, double %b) { %q = fdiv double %a, %b ret double %q }
        define internal void @sort() { call void @apply(ptr @quotient) ret void }
        define double @f(double %x, double %y) { %q = call double @quotient(double 1.0, double 2.0)
            call void @sort() ret double %q }";
    let found = ranges(ir, TWO);
    assert_eq!(of(&found, "fdiv"), Flags::NOTABLE);
    let known = ir.replace("@apply", "@puts").replace("declare void @puts", "declare i32 @puts");
    assert_eq!(of(&ranges(&known.replace("call void @puts", "call i32 @puts"), TWO), "fdiv"), Flags::empty());
}

/// Handlers of exceptions were code that no input reaches, whatever the calls do that throw.
#[test]
fn what_throws_reaches_its_handlers() {
    let program = |end: &str| {
        format!(
            "declare void @unknown(i32)
            declare i32 @__gxx_personality_v0(...)
            define internal double @half(double %x) {{ %h = fdiv double %x, 2.0 ret double %h }}
            define internal void @throws() {{ call void @unknown(i32 1) ret void }}
            define internal double @g(double %x) personality ptr @__gxx_personality_v0 {{
                    invoke void @throws() to label %ok unwind label %pad
                ok: ret double 1.0
                pad: %e = landingpad {{ ptr, i32 }} cleanup
                    %p = fmul double %x, %x
                    %h = call double @half(double %p)
                    {end} }}
            define double @f(double %x) {{ %g = call double @g(double %x) %r = fsub double %x, 1.0 ret double %r }}"
        )
    };
    let cleanup = ranges_in(&program("resume { ptr, i32 } %e"), "double f(double x)", &finite);
    assert_eq!(of(&cleanup, "fmul"), Flags::NOTABLE - Flags::DIVBYZERO);
    assert_eq!(of(&cleanup, "fdiv"), Flags::NOTABLE);
    assert_eq!(of(&cleanup, "fsub"), Flags::empty());
    assert!(!cleanup.opaque.iter().any(|(name, _)| name == "g"), "{:?}", cleanup.opaque);
    // What returns from there nobody followed.
    for end in ["ret double %h", "br label %ok"] {
        let caught = ranges_in(&program(end), "double f(double x)", &finite);
        assert!(caught.opaque.iter().any(|(name, why)| name == "g" && why.contains("caught")), "{:?}", caught.opaque);
        assert_eq!(of(&caught, "fmul"), Flags::NOTABLE - Flags::DIVBYZERO);
    }
    let silent = program("ret double %h").replace("call void @unknown(i32 1)", "");
    assert_eq!(of(&ranges_in(&silent, "double f(double x)", &finite), "fmul"), Flags::empty());
}

/// What `%n` writes was not forgotten, nor errno behind malloc, and signbit was 0 of every NaN.
#[test]
fn libraries_write_to_memory() {
    let quotient = |ir: &str| {
        let declared = "declare i32 @printf(ptr, ...) declare ptr @malloc(i64) declare ptr @__errno_location()
            declare i32 @__signbit(double) @count = constant [3 x i8] c\"%n\\00\" @number = constant [3 x i8] c\"%p\\00\"";
        let text = format!("{declared} define double @f(double %x, double %y) {{ {ir} }}");
        let signature = parse_signature(TWO, &LengthOptions::default()).unwrap();
        let program = Program::from_bytes_promoted(text.as_bytes(), "f.ll").unwrap();
        let function = program.function("f").unwrap();
        let binding = map_parameters(&signature, &program, function).unwrap();
        let ranges = analyse(&program, function, &binding, &signature, &any_input, &RangeOptions::default());
        ranges.incomplete.is_none().then(|| of(&ranges, "fdiv") & Flags::DIVBYZERO)
    };
    let divide = "%d = sitofp i32 %n to double %q = fdiv double 1.0, %d ret double %q";
    let print = |format: &str| {
        quotient(&format!(
            "%p = alloca i32 store i32 1, ptr %p %c = call i32 (ptr, ...) @printf(ptr @{format}, ptr %p)
             %n = load i32, ptr %p {divide}"
        ))
    };
    assert_eq!((print("number"), print("count")), (Some(Flags::empty()), None));
    let errno = "%e = call ptr @__errno_location() store i32 1, ptr %e %p = call ptr @malloc(i64 8)
        %n = load i32, ptr %e";
    assert_eq!(quotient(&format!("{errno} {divide}")), Some(Flags::DIVBYZERO));
    // Where it is not zero, the operand may be a NaN, and x == x is false.
    let sign = "%s = call i32 @__signbit(double %x) %b = icmp ne i32 %s, 0 br i1 %b, label %yes, label %no
        yes: %o = fcmp oeq double %x, %x %n = zext i1 %o to i32";
    assert_eq!(quotient(&format!("{sign} {divide} no: ret double 0.0")), Some(Flags::DIVBYZERO));
}
