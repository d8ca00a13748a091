//! Every language and way of giving the builds.

use crate::harness::{Bench, Run};

fn quick(bench: &Bench, arguments: &[&str]) -> Run {
    let mut all = vec!["diff"];
    all.extend_from_slice(arguments);
    if !arguments.contains(&"--max-work") {
        all.splice(1..1, ["--max-work", "5000", "--format", "json"]);
    }
    bench.labrys(&all)
}

#[test]
fn cplusplus_by_its_plain_or_qualified_name() {
    let source = "namespace n { double f(double x, const double &y) { return x / y * y; } }\n";
    let bench = Bench::new(&[("f.cpp", source)]);
    quick(&bench, &["f.cpp"]).expect_code(1);
    quick(&bench, &["f.cpp", "-f", "n::f", "--variant", "g++ -O3 -ffast-math"]).expect_code(1);
}

#[test]
fn fortran_scalars_by_reference() {
    let source =
        "real(8) function hyp(x, y)\n  real(8), intent(in) :: x, y\n  hyp = sqrt(x*x + y*y) / x * x\nend function\n";
    let bench = Bench::new(&[("f.f90", source)]);
    let run = quick(&bench, &["f.f90", "-f", "hyp"]);
    run.expect_code(1);
    assert_eq!(run.json()["target"]["parameters"][0]["name"], "x");
}

/// gfortran describes references and values alike; the IR, which flang makes, knows them apart.
#[test]
fn gfortran_s_arguments_are_references_but_for_values() {
    let source = "subroutine lost(a, b, r)\n  real(8), intent(in) :: a\n  real(8), value :: b\n  real(8), intent(out) :: r\n  \
                  r = a + b - a\nend subroutine\n";
    let bench = Bench::new(&[("f.f90", source)]);
    let builds = ["--baseline", "gfortran -O0", "--variant", "gfortran -O3 -ffast-math"];
    let given = ["--input", "a=1e20,b=1", "--ulps", "0"];
    let run = quick(&bench, &[&["f.f90", "-f", "lost"], &builds[..], &given].concat());
    run.expect_code(1);
    run.finding("what is lost in a sum", |finding| finding["difference"].is_object());
    assert!(!run.stderr.contains("did not return"), "{}", run.stderr);
}

#[test]
fn rust_functions_exported_or_mangled() {
    let source = "#[unsafe(no_mangle)]\npub extern \"C\" fn plain(x: f64, y: f64) -> f64 { x / y * y }\n\
                  pub fn mangled(x: f64, y: f64) -> f64 { (x * y) / y }\n";
    let bench = Bench::new(&[("lib.rs", source)]);
    for function in ["plain", "mangled"] {
        // rustc has no fast-math: the builds agree but for what the optimiser drops.
        let run = quick(&bench, &["lib.rs", "-f", function]);
        if !matches!(run.code, 0 | 1) {
            run.fail("a Rust function could not be compared");
        }
    }
}

#[test]
fn two_versions_of_a_source() {
    let bench = Bench::new(&[
        ("old.c", "double g(double x, double y) { return x * x - y * y; }\n"),
        ("new.c", "double g(double x, double y) { return (x - y) * (x + y); }\n"),
    ]);
    quick(&bench, &["old.c", "new.c", "-f", "g", "--inputs", "finite"]).expect_code(1);
}

#[test]
fn shared_objects_with_a_prototype() {
    let bench = Bench::new(&[("f.c", "double g(double v, double w) { return v / w * w; }\n")]);
    bench.program("clang-22", &["-shared", "-fPIC", "-O0", "-o", "libold.so", "f.c"]).expect_code(0);
    bench.program("clang-22", &["-shared", "-fPIC", "-O3", "-ffast-math", "-o", "libnew.so", "f.c"]).expect_code(0);
    let libraries = ["--baseline-lib", "libold.so", "--variant-lib", "libnew.so", "-f", "g"];
    let mut with_prototype = libraries.to_vec();
    with_prototype.extend(["--signature", "double(double v, double w)"]);
    quick(&bench, &with_prototype).expect_code(1);
    // Without debug information the prototype is needed.
    quick(&bench, &libraries).expect_code(2);
}

#[test]
fn bitcode_alone_and_in_pairs() {
    let bench = Bench::new(&[("f.c", "double g(double v, double w) { return v / w * w; }\n")]);
    bench.program("clang-22", &["-g", "-O0", "-c", "-emit-llvm", "-o", "base.bc", "f.c"]).expect_code(0);
    bench.program("clang-22", &["-g", "-O3", "-ffast-math", "-c", "-emit-llvm", "-o", "var.bc", "f.c"]).expect_code(0);
    bench.program("clang-22", &["-g", "-O0", "-S", "-emit-llvm", "-o", "base.ll", "f.c"]).expect_code(0);
    quick(&bench, &["base.bc", "var.bc"]).expect_code(1);
    quick(&bench, &["base.bc"]).expect_code(1);
    quick(&bench, &["base.ll"]).expect_code(1);
    // Scalars need no debug information.
    let plain =
        Bench::new(&[("g.ll", "define double @g(double %x) {\n  %r = fdiv double 1.0, %x\n  ret double %r\n}\n")]);
    let run = plain.labrys(&["exceptions", "g.ll", "--max-work", "500"]);
    assert!(run.stdout.contains("g(double x) in g.ll"), "{}{}", run.stdout, run.stderr);
    let empty = Bench::new(&[("id.ll", "define i32 @g(i32 %x) {\n  ret i32 %x\n}\n")]);
    quick(&empty, &["id.ll", "--signature", "int(int x)"]).expect_code(2);
}

#[test]
fn structs_arrays_and_out_parameters() {
    let source = "typedef struct { double re, im; } complex_t;\n\
                  complex_t f(complex_t z, const double *x, int n, complex_t *out) {\n  double s = 0;\n  \
                  for (int i = 0; i < n; i++) s += x[i];\n  out->re = z.re / s * s;\n  out->im = z.im;\n  return *out;\n}\n";
    let bench = Bench::new(&[("f.c", source)]);
    let run = quick(&bench, &["f.c", "--length", "x=n", "--inputs", "finite"]);
    run.expect_code(1);
    let first = &run.json()["findings"][0];
    assert!(first["inputs"].as_array().is_some_and(|inputs| inputs.iter().any(|input| input["elements"].is_array())));
}

#[test]
fn the_flags_of_a_compilation_database() {
    let bench = Bench::new(&[("f.c", "double g(double x) { return x / SCALE * SCALE; }\n")]);
    let folder = bench.path().display().to_string();
    let database = format!(
        "[{{\"directory\": \"{folder}\", \"file\": \"f.c\", \"command\": \"cc -DSCALE=3.0 -O1 -c f.c -o f.o\"}}]"
    );
    std::fs::write(bench.path().join("compile_commands.json"), database).expect("a writable folder");
    quick(&bench, &["f.c", "-p", ".", "--ulps", "0"]).expect_code(1);
    quick(&bench, &["f.c"]).expect_code(2);
}

#[test]
fn several_variants_of_several_compilers() {
    let bench = Bench::new(&[("f.c", "double g(double x, double y) { return x / y * y; }\n")]);
    let run = quick(
        &bench,
        &["f.c", "--variant", "-O3 -ffast-math -march=native", "--variant", "gcc -O3 -ffast-math", "--", "-DN=8"],
    );
    run.expect_code(1);
    let builds = run.json()["target"]["builds"].as_array().cloned().unwrap_or_default();
    let roles: Vec<&str> = builds.iter().filter_map(|build| build["role"].as_str()).collect();
    assert!(roles.starts_with(&["baseline", "variant", "variant2", "control"]), "{roles:?}");
}

/// Whole arrays are flang's runtime's to add and to assign, whose IR is there: what it made of values was not known.
#[test]
fn whole_arrays_of_fortran_are_computed_with() {
    let source = "subroutine axpy(n, a, x, y)\n  integer, intent(in) :: n\n  real(8), intent(in) :: a, x(n)\n  real(8), intent(inout) :: y(n)\n  y = y + a * x\nend subroutine\n\
                  function spread(n, v) result(r)\n  integer, intent(in) :: n\n  real(8), intent(in) :: v(n)\n  real(8) :: r\n  r = sum(v * v) / n - (sum(v) / n)**2\nend function\n";
    let bench = Bench::new(&[("a.f90", source)]);
    let options = ["--inputs", "finite", "--range", "n=2..3", "--max-work", "6000", "--format", "json"];
    let run = bench.labrys(&[&["exceptions", "a.f90", "-f", "axpy"][..], &options].concat());
    let report = run.json();
    let of = |list: &str, member: &str| -> Vec<String> {
        let all = report[list].as_array().into_iter().flatten();
        all.map(|of| of[member].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert!(of("sites", "verdict").iter().all(|verdict| verdict != "unknown"), "{:#}", report["sites"]);
    let severities = of("findings", "severity");
    assert!(!severities.is_empty() && severities.iter().all(|severity| severity != "unclassified"), "{severities:?}");
    // What the runtime's own code raises is seen, and never proved absent.
    let run = bench.labrys(&[&["exceptions", "a.f90", "-f", "spread"][..], &options].concat());
    let sites = run.json()["sites"].as_array().cloned().unwrap_or_default();
    let calls: Vec<_> = sites.iter().filter(|site| site["operator"] == "_FortranASumReal8").collect();
    assert!(calls.len() >= 4 && calls.iter().all(|site| site["verdict"] != "unreachable"), "{sites:#?}");
    // Sums that cancel are off, and the line that asks for them is to blame.
    let options = ["--range", "n=4..4", "--range", "v=1e5..1.1e5", "--max-work", "20000", "--format", "json"];
    let run = bench.labrys(&[&["accuracy", "a.f90", "-f", "spread"][..], &options].concat());
    let causes: Vec<_> = run.json()["findings"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|of| of["accuracy"]["causes"].as_array().cloned().unwrap_or_default())
        .collect();
    assert!(!causes.is_empty() && causes.iter().all(|cause| cause["line"] == 11), "{causes:#?}");
}
