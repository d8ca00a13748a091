//! What a shadowed call costs beside the plain one, compiled by clang -O2, in the same run: both are called from a loop in C
//! over the same inputs. The ratio of the medians is printed for each program. Straight-line code is to cost at most 40 times the
//! plain call.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use labrys_program::{LengthOptions, Program, map_parameters, parse_signature};
use labrys_shadow::lower;
use libloading::Library;

/// Calls of one measurement.
const CALLS: usize = 4096;

/// Programs: a name, its text, whether it is straight-line code.
const PROGRAMS: [(&str, &str, bool); 5] = [
    (
        "straight-line polynomial",
        "double f(double x, double y) {\n\
         double a = x * y + 0.75, b = a * x - y, c = b * b + a * 0.3, d = c * x + b * y + a;\n\
         double e = d * 0.1 - c * b, g = e * x + d * a - c * 0.7, h = g * g + e * d, i = h - g * 0.9 + b;\n\
         return ((i * x + h) * y + g) * 0.01 + (e - d) * (c + b) * a; }\n",
        true,
    ),
    (
        "straight-line quotients",
        "#include <math.h>\ndouble f(double x, double y) {\n\
         double s = x + y, d = x - y, q = (x * x + y * y) / (1 + s * s), r = sqrt(q + 2) * d;\n\
         return (r / (q + 3) + s * 0.25) / (d * d + 1.5) - sqrt(r * r + s * s + 1); }\n",
        true,
    ),
    (
        "a vector's norm in a loop",
        "#include <math.h>\ndouble f(double x, double y) {\n\
         double v[16], s = 0; for (int i = 0; i < 16; i++) v[i] = x * i + y;\n\
         for (int i = 0; i < 16; i++) s += v[i] * v[i]; return sqrt(s); }\n",
        false,
    ),
    (
        "branches",
        "double f(double x, double y) {\n\
         double s = 0; for (int i = 0; i < 20; i++) { if (x * i > y) s += x * i - y; else s -= y / (i + 1); } return s; }\n",
        false,
    ),
    (
        "sine and exponential",
        "#include <math.h>\ndouble f(double x, double y) { return sin(x) * exp(-y) + x; }\n",
        false,
    ),
];

const LOOP: &str = "\
double plain_loop(double (*f)(double, double), const double *in, long n) {\n\
    double s = 0; for (long i = 0; i < n; i++) s += f(in[2 * i], in[2 * i + 1]); return s; }\n\
double shadow_loop(double (*f)(double, double, double *), const double *in, long n) {\n\
    double s = 0, block[64]; for (long i = 0; i < n; i++) s += f(in[2 * i], in[2 * i + 1], block); return s; }\n";

type Loop = unsafe extern "C" fn(*const libc_void, *const f64, i64) -> f64;

#[expect(non_camel_case_types, reason = "C's void")]
type libc_void = std::ffi::c_void;

fn clang(arguments: &[&str], source: &Path, output: &Path) {
    let status =
        Command::new("clang-22").args(arguments).arg("-o").arg(output).arg(source).arg("-lm").status().unwrap();
    assert!(status.success());
}

fn library(path: &Path) -> Library {
    // SAFETY: the object was just made of our own text and has no initialisers.
    unsafe { Library::new(path) }.unwrap()
}

fn median(mut measure: impl FnMut() -> f64) -> f64 {
    let mut times: Vec<f64> = (0..101)
        .map(|_| {
            let begun = Instant::now();
            std::hint::black_box(measure());
            begun.elapsed().as_secs_f64() / CALLS as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn shadow(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("loop.c"), LOOP).unwrap();
    clang(&["-O2", "-shared", "-fPIC"], &at("loop.c"), &at("loop.so"));
    let loops = library(&at("loop.so"));
    let inputs: Vec<f64> = (0..2 * CALLS).map(|i| 0.5 + ((i * 7919) % 1009) as f64 / 1009.0).collect();
    for (index, (name, text, is_straight)) in PROGRAMS.iter().enumerate() {
        let [source, bitcode, plain] = ["c", "bc", "so"].map(|suffix| at(&format!("f{index}.{suffix}")));
        std::fs::write(&source, text).unwrap();
        clang(&["-O0", "-g", "-c", "-emit-llvm", "-ffp-contract=off"], &source, &bitcode);
        clang(&["-O2", "-shared", "-fPIC", "-ffp-contract=off"], &source, &plain);
        let program = Program::from_bytes_promoted(&std::fs::read(&bitcode).unwrap(), "f.bc").unwrap();
        let function = program.function("f").unwrap();
        let signature = parse_signature("double f(double x, double y)", &LengthOptions::default()).unwrap();
        let binding = map_parameters(&signature, &program, function).unwrap();
        let shadow = lower(&program, function, &binding, &signature, None).unwrap();
        let place = at(&format!("shadow{index}"));
        std::fs::create_dir(&place).unwrap();
        let build = shadow.compile(&place, &[], Instant::now() + Duration::from_secs(60)).unwrap();
        let (plain, shadowed) = (library(&plain), library(&build.library));
        // SAFETY: the symbols have these types in the texts.
        let (f, g, plain_loop, shadow_loop) = unsafe {
            (
                *plain.get::<*const libc_void>("f").unwrap(),
                *shadowed.get::<*const libc_void>(shadow.symbol.as_str()).unwrap(),
                loops.get::<Loop>("plain_loop").unwrap(),
                loops.get::<Loop>("shadow_loop").unwrap(),
            )
        };
        // SAFETY: both functions take two doubles, the second a block of 64 doubles at most, and the inputs are as many.
        let plain_once = || unsafe { plain_loop(f, inputs.as_ptr(), CALLS as i64) };
        // SAFETY: as above.
        let shadow_once = || unsafe { shadow_loop(g, inputs.as_ptr(), CALLS as i64) };
        let (one, other) = (median(plain_once), median(shadow_once));
        let ratio = other / one;
        println!("{name}: {:.1} ns plain, {:.1} ns with its shadow, {ratio:.1} times", one * 1e9, other * 1e9);
        if *is_straight {
            println!("    the goal of 40 is {}", if ratio <= 40.0 { "met" } else { "missed" });
        }
        let mut group = criterion.benchmark_group(*name);
        group.throughput(Throughput::Elements(CALLS as u64));
        group.bench_function("plain", |bencher| bencher.iter(plain_once));
        group.bench_function("shadowed", |bencher| bencher.iter(shadow_once));
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(1)).warm_up_time(Duration::from_millis(300));
    targets = shadow
}
criterion_main!(benches);
