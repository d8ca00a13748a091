//! Reproducers are compiled and run by the commands in their own first comment.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use labrys_float::Flags;
use labrys_program::{
    Access, FloatType, Length, Parameter, ParameterType, Pointee, ResultType, ScalarType, Signature, StructField,
    StructType,
};
use labrys_report::{Claim, Library, Report, Reproducer, ReproducerBuild, Startup};

use super::samples;

const DOUBLE: Pointee = Pointee::Scalar(ScalarType::Float(FloatType::F64));

fn int(bits: u32, signed: bool) -> Pointee {
    Pointee::Scalar(ScalarType::Int { bits, signed })
}

fn value(name: &str, of: Pointee) -> Parameter {
    Parameter { name: name.to_owned(), ty: ParameterType::Value(of) }
}

fn pointer(name: &str, pointee: Pointee, length: Length, access: Access) -> Parameter {
    Parameter { name: name.to_owned(), ty: ParameterType::Pointer { pointee, length, access } }
}

fn signature(parameters: Vec<Parameter>, result: ResultType) -> Signature {
    Signature { name: "f".to_owned(), symbol: "f".to_owned(), parameters, result }
}

/// `double f(double x, double y)`.
fn two_doubles() -> Signature {
    signature(vec![value("x", DOUBLE), value("y", DOUBLE)], ResultType::Value(DOUBLE))
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// A source with the flags of two builds, written as a reproducer into a temporary folder and run there.
struct Case<'a> {
    source: &'a str,
    compiler: &'a str,
    flags: [&'a str; 2],
    signature: Signature,
    /// The witness: encodings in the order of the input record's leaves.
    witness: Vec<u128>,
    startup: [Startup; 2],
    local_symbol: bool,
}

/// What running one left: exit code and output.
struct Shown {
    code: Option<i32>,
    text: String,
}

impl Case<'_> {
    fn folding(witness: [f64; 2]) -> Case<'static> {
        Case {
            source: samples::SOURCE,
            compiler: "clang-22",
            flags: ["-O0", "-O3 -ffast-math"],
            signature: two_doubles(),
            witness: witness.map(|value| value.to_bits().into()).to_vec(),
            startup: [Startup::Default; 2],
            local_symbol: false,
        }
    }

    fn input(&self) -> Vec<u8> {
        let layout = self.signature.input_layout();
        let mut record = vec![0u8; layout.size];
        assert_eq!(layout.leaves.len(), self.witness.len(), "{:?}", layout.leaves);
        for (leaf, bits) in layout.leaves.iter().zip(&self.witness) {
            leaf.write(&mut record, *bits);
        }
        record
    }

    fn report(&self) -> Report {
        let mut report = samples::report();
        for (build, startup) in report.target.builds.iter_mut().zip(self.startup) {
            build.startup = startup;
        }
        report
    }

    fn run(&self, folder: &Path) -> Shown {
        let flags = self.flags.map(words);
        let library = |index: usize| Library::Embedded {
            text: self.source.as_bytes(),
            path: "f.c",
            compiler: self.compiler,
            flags: &flags[index],
            link: &[],
            include: Some("include folder"),
        };
        run(folder, self, [library(0), library(1)])
    }
}

/// Writes the reproducer of a case with these libraries and runs its commands.
fn run(folder: &Path, case: &Case<'_>, [baseline, variant]: [Library<'_>; 2]) -> Shown {
    let report = case.report();
    let finding = &report.findings[1];
    let reproducer = Reproducer {
        report: &report,
        finding,
        signature: &case.signature,
        input: &case.input(),
        claim: Claim::Difference { watched: Flags::NOTABLE, ulps: 4 },
        call_limit: Duration::from_millis(200),
        memory_mib: Some(1024),
        local_symbol: case.local_symbol,
        address: None,
        init: None,
        builds: &[
            ReproducerBuild { role: "baseline", library: baseline },
            ReproducerBuild { role: "variant", library: variant },
        ],
    };
    shown(folder, &reproducer)
}

/// Writes a reproducer and runs its commands.
fn shown(folder: &Path, reproducer: &Reproducer<'_>) -> Shown {
    let finding = reproducer.finding;
    let text = reproducer.write();
    std::fs::write(folder.join(format!("{}.c", finding.id)), &text).expect("a writable folder");
    let text = String::from_utf8_lossy(&text).into_owned();
    let comment = text.split("*/").next().unwrap_or_default();
    let commands: Vec<&str> = comment.lines().filter_map(|line| line.trim().strip_prefix("$ ")).collect();
    assert!(commands.len() >= 2, "{comment}");
    let output = Command::new("sh").args(["-ec", &commands.join("\n")]).current_dir(folder).output().expect("a shell");
    let shown = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    Shown { code: output.status.code(), text: format!("{commands:#?}\n{shown}") }
}

impl Shown {
    fn expect(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "{}", self.text);
        for part in parts {
            assert!(self.text.contains(part), "`{part}` is missing:\n{}", self.text);
        }
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn a_folded_quotient_differs_at_zero_and_nowhere_else() {
    let folder = folder();
    let shown = Case::folding([0.0, 1.5]).run(folder.path());
    shown.expect(1, &["invalid", "none", "nan", "1.5 (0x1.8p+0)", "differs: exceptions", "differs: class"]);
    Case::folding([2.0, 1.5]).run(folder.path()).expect(0, &["1.5 (0x1.8p+0)"]);
    let gcc = Case { compiler: "gcc", flags: ["-O0", "-O3 -ffast-math"], ..Case::folding([0.0, 1.5]) };
    gcc.run(folder.path()).expect(1, &["-fno-semantic-interposition -o", "differs: class"]);
}

#[test]
fn start_up_is_set_for_each_build_alone() {
    let folder = folder();
    let halved = |startup| Case {
        source: "double f(double x, double y) { return x * y; }\n",
        compiler: "gcc",
        flags: ["-O0", "-O1"],
        startup,
        ..Case::folding([f64::MIN_POSITIVE, 0.5])
    };
    halved([Startup::Default, Startup::Ftz])
        .run(folder.path())
        .expect(1, &["1.1125369292536007e-308", "underflow", "differs: class"]);
    halved([Startup::Ftz, Startup::Default]).run(folder.path()).expect(1, &["differs: class"]);
    halved([Startup::Default, Startup::Default]).run(folder.path()).expect(0, &[]);
    // gcc links start-up code that flushes to zero into the variant; the report's word counts.
    let linked = Case { flags: ["-O0", "-O1 -ffast-math"], ..halved([Startup::Default, Startup::Default]) };
    linked.run(folder.path()).expect(0, &[]);
}

/// A struct whose members need no padding by hand, one nested in it.
fn structs() -> (StructType, StructType) {
    let field =
        |name: &str, offset, ty, count, is_array| StructField { name: name.to_owned(), offset, ty, count, is_array };
    let inner = StructType {
        name: "inner".to_owned(),
        size: 16,
        align: 8,
        fields: vec![field("tag", 0, int(8, true), 1, false), field("w", 8, DOUBLE, 1, true)],
    };
    let outer = StructType {
        name: "outer".to_owned(),
        size: 48,
        align: 16,
        fields: vec![
            field("in", 0, Pointee::Struct(inner.clone()), 1, false),
            field("l", 16, Pointee::Scalar(ScalarType::Float(FloatType::X87)), 1, false),
            field("x", 32, Pointee::Scalar(ScalarType::Float(FloatType::F32)), 2, true),
        ],
    };
    (inner, outer)
}

#[test]
fn every_kind_of_parameter_and_output_is_carried() {
    let (inner, outer) = structs();
    let parameters = vec![
        value("n", int(32, true)),
        pointer("x", DOUBLE, Length::Parameter { index: 0, max: 3, beyond: 0 }, Access::In),
        value("i", Pointee::Struct(inner)),
        value("default", Pointee::Scalar(ScalarType::Bool)),
        value("result", Pointee::Scalar(ScalarType::Float(FloatType::X87))),
        pointer("o", Pointee::Struct(outer), Length::Fixed(1), Access::Out),
        pointer("q", int(64, true), Length::Fixed(2), Access::InOut),
        value("s", Pointee::Scalar(ScalarType::Float(FloatType::F32))),
    ];
    let case = |flags| Case {
        source: "\
            #include <stdint.h>\n\
            struct inner { int8_t tag; double w[1]; };\n\
            struct outer { struct inner in; long double l; float x[2]; };\n\
            double f(int n, const double *x, struct inner i, _Bool b, long double l, struct outer *o, int64_t *q, float s) {\n\
              double sum = SHIFT;\n\
              for (int k = 0; k < n; k++) sum += x[k];\n\
              o->in = i; o->in.w[0] += sum; o->l = -l; o->x[0] = s; o->x[1] = b; q[1] -= q[0];\n\
              return sum;\n\
            }\n",
        flags,
        signature: signature(parameters.clone(), ResultType::Value(DOUBLE)),
        witness: vec![
            3,
            0.5f64.to_bits().into(),
            0.25f64.to_bits().into(),
            (-8.0f64).to_bits().into(),
            0xfe,
            1e300f64.to_bits().into(),
            1,
            0x4000_8000_0000_0000_0000,
            u128::from(u64::MAX),
            1 << 63,
            f32::NAN.to_bits().into(),
        ],
        ..Case::folding([0.0, 0.0])
    };
    let folder = folder();
    let same = case(["-O0 -DSHIFT=0", "-O2 -DSHIFT=0"]).run(folder.path());
    let values = [
        "result       -7.25 (-0x1.dp+2)",
        "o.in.tag     -2 ",
        "o.in.w[0]    1.0000000000000001e+300",
        "o.l          -2 (-0x8p-2)",
        "o.x[0]       nan",
        "o.x[1]       1 (0x1p+0)",
        "q[0]         -1 ",
        "q[1]         -9223372036854775807 ",
    ];
    same.expect(0, &values);
    let other = case(["-O0 -DSHIFT=0", "-O2 -DSHIFT=0x1p-49"]).run(folder.path());
    other.expect(0, &["-7.25"]);
    case(["-O0 -DSHIFT=0", "-O2 -DSHIFT=0x1p-46"]).run(folder.path()).expect(1, &["differs: ulps"]);
}

#[test]
fn crashes_time_outs_and_exits_are_outcomes() {
    let folder = folder();
    let case = |flags| Case {
        source: "#include <stdlib.h>\ndouble f(double x, double y) { WHAT; return x; }\n",
        flags,
        ..Case::folding([1.0, 1.0])
    };
    let crash = case(["-O0 -DWHAT=", "-O0 -DWHAT=abort()"]).run(folder.path());
    crash.expect(1, &["returned", "signal 6", "differs: outcome"]);
    let both = case(["-O0 -DWHAT=exit(3)", "-O1 -DWHAT=exit(3)"]).run(folder.path());
    // The flags have parentheses, which the commands quote.
    both.expect(0, &["exit(3)", "'-DWHAT=exit(3)'"]);
    case(["-O0 -DWHAT=for(;;);", "-O0 -DWHAT=exit(3)"]).run(folder.path()).expect(1, &["time-out", "exit(3)"]);
}

#[test]
fn two_sources_are_both_in_the_file() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("include folder")).expect("a writable folder");
    std::fs::write(folder.path().join("include folder/factor.h"), "#define FACTOR 2\n").expect("a writable folder");
    let flags = words("-O1");
    let library = |path, text| Library::Embedded {
        text,
        path,
        compiler: "clang-22",
        flags: &flags,
        link: &[],
        include: Some("include folder"),
    };
    let old = library("old.c", b"double f(double x, double y) { return x * y; }");
    let new: &[u8] =
        b"// Latin-1: \xe9\n#include \"factor.h\"\ndouble f(double x, double y) { return x * y * FACTOR; }";
    let new = library("sub/new \"x\".c", new);
    run(folder.path(), &Case::folding([1.0, 3.0]), [old, new])
        .expect(1, &["-DLABRYS_VARIANT", "-iquote", "6 (0x1.8p+2)"]);
    run(folder.path(), &Case::folding([1.0, 3.0]), [new, new]).expect(0, &[]);
}

#[test]
fn other_languages_and_given_libraries_are_only_loaded() {
    let folder = folder();
    std::fs::write(folder.path().join("f.cpp"), "extern \"C\" double f(double x, double y) { return x - y; }\n")
        .expect("a writable folder");
    let made = ["clang++-22 -shared -fPIC -O1 -o new.so f.cpp".to_owned(), "cp new.so given.so".to_owned()];
    let built = Library::Built { commands: &made, path: "new.so" };
    let shown = run(folder.path(), &Case::folding([1.0, 3.0]), [built, Library::Given { path: "given.so" }]);
    shown.expect(0, &["-2 (-0x1p+1)"]);
    let missing = run(folder.path(), &Case::folding([1.0, 3.0]), [built, Library::Given { path: "missing.so" }]);
    missing.expect(2, &["missing.so"]);
}

#[test]
fn local_functions_are_found_in_the_symbol_table() {
    let folder = folder();
    let case = Case {
        source: "static __attribute__((noinline, used)) double f(double x, double y) { return x / x * y; }\n\
                 double g(double x) { return f(x, x + 1); }\n",
        local_symbol: true,
        ..Case::folding([0.0, 1.5])
    };
    case.run(folder.path()).expect(1, &["differs: class"]);
    Case { local_symbol: false, ..case }.run(folder.path()).expect(2, &["no function f"]);
}

#[test]
fn an_exception_is_raised_or_not() {
    let folder = folder();
    let report = super::library::report();
    let signature = Signature { name: "average".to_owned(), symbol: "average".to_owned(), ..two_doubles() };
    let layout = signature.input_layout();
    let record = |x: f64, y: f64| {
        let mut record = vec![0u8; layout.size];
        layout.leaves.iter().zip([x, y]).for_each(|(leaf, value)| leaf.write(&mut record, value.to_bits().into()));
        record
    };
    let flags = words("-O0");
    let embedded = Library::Embedded {
        text: super::library::SOURCE.as_bytes(),
        path: "average.c",
        compiler: "clang-22",
        flags: &flags,
        link: &[],
        include: None,
    };
    let case = |input: &[u8], library: Library<'_>, symbol: &str, address: Option<u64>, init: Option<&str>| {
        let reproducer = Reproducer {
            report: &report,
            finding: &report.findings[0],
            signature: &Signature { symbol: symbol.to_owned(), ..signature.clone() },
            input,
            claim: Claim::Exception(Flags::OVERFLOW),
            call_limit: Duration::from_millis(200),
            memory_mib: None,
            local_symbol: true,
            address,
            init,
            builds: &[ReproducerBuild { role: "baseline", library }],
        };
        shown(folder.path(), &reproducer)
    };
    let (large, small) = (record(1.5e308, 1e308), record(1.0, 2.0));
    let raised = ["exceptions   overflow inexact\n", "result       inf (inf)\n", "overflow is raised\n"];
    case(&large, embedded, "average", None, None).expect(1, &raised);
    case(&small, embedded, "average", None, None).expect(0, &["result       1.5 (0x1.8p+0)", "overflow is not raised"]);

    // A library with a function that is called first, and an offset in place of a name.
    let source = "static int ready;\nvoid get_ready(void) { ready = 1; }\n\
                  double average(double x, double y) { return ready ? (x + y) / 2 : x; }\n";
    std::fs::write(folder.path().join("ready.c"), source).expect("a writable folder");
    let build = Command::new("clang-22")
        .args(["-shared", "-fPIC", "-O0", "-o", "ready.so", "ready.c"])
        .current_dir(folder.path())
        .status();
    assert!(build.expect("clang").success());
    let library = Library::Given { path: "ready.so" };
    case(&large, library, "average", None, Some("get_ready")).expect(1, &raised);
    case(&large, library, "average", None, None).expect(0, &["result       1.5"]);
    case(&large, library, "average", None, Some("missing")).expect(2, &["no function missing"]);
    case(&large, library, "missing", None, None).expect(2, &["no function missing"]);
    let symbols = Command::new("nm").args(["-D", "ready.so"]).current_dir(folder.path()).output().expect("nm").stdout;
    let symbols = String::from_utf8_lossy(&symbols).into_owned();
    let offset = symbols.lines().find_map(|line| line.strip_suffix(" T average")).expect("a symbol");
    let offset = u64::from_str_radix(offset.trim(), 16).expect("a number");
    case(&large, library, "missing", Some(offset), Some("get_ready")).expect(1, &raised);
}
