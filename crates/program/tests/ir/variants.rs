//! Variants of IR by LLVM's own pipelines.

use labrys_program::{FastMath, Processor, Program, VariantError, VariantOptions, fast_variant, same_code, same_ir};

use crate::build::{Source, function};

const LOOP: &str = "__attribute__((noinline)) static double square(double x) { return x * x; }
double sum(const double* x, int n) { double s = 0; for (int i = 0; i < n; i++) s += square(x[i]) / 3; return s; }";

#[test]
fn unoptimised_code_becomes_fast_code() {
    let source = Source::new("a.c", LOOP);
    let (input, output) = (source.bitcode("-O0"), source.path("variant.bc"));
    fast_variant(&input, &output, &VariantOptions::default()).expect("a variant");
    let program = Program::from_bitcode_file(&output).expect("the variant loads");
    let sum = function(&program, "sum");
    let text = program.display().only(program.function("sum").expect("sum")).to_string();
    assert!(text.contains("<2 x f64> = Mul"), "vectorised: {text}");
    assert!(!text.contains("Alloca") && !text.contains("Call square"), "optimised and inlined: {text}");
    assert!(!sum.features.fma, "the processor stays the module's");
    assert!(text.contains("a.c:2:"), "locations stay: {text}");
    assert!(!same_ir(&input, &output).expect("both load"));
}

#[test]
fn a_variant_of_a_variant_can_change_nothing() {
    let source = Source::new("a.c", "double f(double x) { return x * x + 1; }");
    let (first, second) = (source.path("first.bc"), source.path("second.bc"));
    fast_variant(&source.bitcode("-O0"), &first, &VariantOptions::default()).expect("a variant");
    fast_variant(&first, &second, &VariantOptions::default()).expect("a variant");
    assert!(same_ir(&first, &second).expect("both load"));
}

#[test]
fn flags_alone_are_a_change_and_names_are_none() {
    let load = |text: &str| Program::from_bytes(text.as_bytes(), "a.ll").expect("valid IR");
    let strict = load("define double @f(double %x) { %y = fadd double %x, 1.0 ret double %y }");
    let fast = load("define double @f(double %x) { %y = fadd fast double %x, 1.0 ret double %y }");
    let renamed = load("define double @f(double %a) { %b = fadd double %a, 1.0 ret double %b }");
    assert!(!same_code(&strict, &fast));
    assert!(same_code(&strict, &renamed));
}

#[test]
fn the_processor_can_be_chosen() {
    let source = Source::new("a.ll", "define double @f(double %x) { %y = fmul double %x, %x ret double %y }");
    let output = source.path("variant.bc");
    let processor = Processor { name: "x86-64-v3".to_owned(), features: "+avx2,+fma".to_owned() };
    let options = VariantOptions { processor: Some(processor), ..VariantOptions::default() };
    fast_variant(&source.path("a.ll"), &output, &options).expect("a variant");
    let program = Program::from_bitcode_file(&output).expect("the variant loads");
    assert!(function(&program, "f").features.fma);
    assert!(!Processor::host().name.is_empty());
}

#[test]
fn flags_mean_what_clang_says() {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    let options = |flags: &str| {
        let flags: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
        VariantOptions::from_flags(&flags, deadline)
    };
    assert_eq!(options("-O3 -ffast-math").expect("known flags"), VariantOptions::default());
    let strict = options("-O2 -DN=8 -ffast-math -fno-fast-math").expect("known flags");
    assert_eq!((strict.level.as_str(), strict.fast_math), ("O2", FastMath::default()));
    let some = options("-O1 -Os -ffinite-math-only").expect("known flags");
    assert_eq!(some.level, "Os");
    assert_eq!(some.fast_math, FastMath { no_nans: true, no_infinities: true, ..FastMath::default() });
    let fused = options("-O3 -mfma").expect("known flags").processor.expect("a processor");
    assert!(fused.features.split(',').any(|feature| feature == "+fma"), "{}", fused.features);
    let named = options("-march=x86-64-v3").expect("known flags");
    assert_eq!((named.level.as_str(), named.processor.expect("a processor").name.as_str()), ("O0", "x86-64-v3"));
    let error = options("-O3 -march=abacus").expect_err("no such processor").to_string();
    assert!(error.contains("-O3 -march=abacus") && error.contains("abacus'"), "{error}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let source =
        Source::new("a.ll", "target triple = \"vax-dec-ultrix\"\ndefine double @f(double %x) { ret double %x }");
    let (input, output) = (source.path("a.ll"), source.path("out.bc"));
    let error = fast_variant(&input, &output, &VariantOptions::default()).expect_err("no such target");
    assert!(matches!(error, VariantError::Target { .. }), "{error}");
    let options = VariantOptions { level: "O9".to_owned(), ..VariantOptions::default() };
    let error = fast_variant(&input, &output, &options).expect_err("no such level");
    assert!(error.to_string().contains("\"O9\""), "{error}");
    let source = Source::new("b.ll", "define double @f(double %x) { ret double %x }");
    let error = fast_variant(&source.path("b.ll"), "/nowhere/out.bc".as_ref(), &VariantOptions::default());
    assert!(matches!(error, Err(VariantError::Write { .. })), "{error:?}");
}
