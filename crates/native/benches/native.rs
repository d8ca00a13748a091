//! What observing a call costs: the driver loop against a bare C loop over the same function in the same run, the host's
//! work per input, a traced event.
//!
//! The bare loop is compiled in C and loads its argument, calls through a pointer and stores the result, as the driver
//! does. Both run the same inputs; the driver loop's time is what the worker measures around it. Its added time a call is
//! printed: it must stay within 10 ns where no flag is set. The whole of `Worker::run`, with its messages and copies, is
//! given apart, and a traced event must cost under 20 µs, the forks of its trace included. What a confirmation costs is told beside
//! what one costs that fills with ones alone.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use labrys_float::Flags;
use labrys_native::{Confirmer, Driver, Filling, Startup, Tracing, Worker, WorkerConfig, WorkerLimits};
use labrys_program::{FloatType, Parameter, ParameterType, Pointee, ResultType, ScalarType, Signature};

/// Calls that the C side times for one figure.
const CALLS: usize = 4096;
/// Events that one call of the traced function raises.
const EVENTS: usize = 500;

const SOURCE: &str = r#"
#include <stddef.h>
__attribute__((noinline)) double quiet(double x) { return x * 0.75 + 1.0; }
__attribute__((noinline)) double raising(double x) {
    volatile double zero = 0, sum = 0;
    for (int i = 0; i < 500; i++) sum += x / zero;
    return sum;
}
void bare(double (*function)(double), const unsigned char *in, unsigned char *out, size_t count) {
    for (size_t i = 0; i < count; i++) *(double *)(out + 32 * i + 16) = function(*(const double *)(in + 16 * i));
}
"#;

/// The same function in a library that imports some of libm.
const SOURCE_WITH_LIBM: &str = r#"
#include <math.h>
__attribute__((noinline)) double quiet(double x) { return x * 0.75 + 1.0; }
double other(double x) { return log(x); }
"#;

/// A function that could execute x87 code, but does not on the inputs here.
const SOURCE_WITH_X87: &str = r#"
__attribute__((noinline)) static double extended(double x) { return (long double)x / 3; }
__attribute__((noinline)) double quiet(double x) { return x < 0 ? extended(x) : x * 0.75 + 1.0; }
"#;

/// A function that could call one that nobody knows, but does not on the inputs here.
const SOURCE_WITH_POINTER: &str = r#"
static double tripled(double x) { return x * 3; }
double (*volatile other)(double) = tripled;
__attribute__((noinline)) double quiet(double x) { return x < 0 ? other(x) : x * 0.75 + 1.0; }
"#;

/// A function that could load the x87 status, but does not on the inputs here.
const SOURCE_THAT_CLEARS: &str = r#"
__attribute__((noinline)) static double cleared(double x) { char state[28]; __asm__ volatile("fnstenv %0\n\tfldenv %0" : "+m"(state)); return x; }
__attribute__((noinline)) double quiet(double x) { return x < 0 ? cleared(x) : x * 0.75 + 1.0; }
"#;

/// A function that could load the status of both units, as most that clear exceptions do, but does not on the inputs here.
const SOURCE_THAT_CLEARS_BOTH: &str = r#"
#include <fenv.h>
__attribute__((noinline)) static double cleared(double x) { feclearexcept(FE_DIVBYZERO); return x; }
__attribute__((noinline)) double quiet(double x) { return x < 0 ? cleared(x) : x * 0.75 + 1.0; }
"#;

type Bare = unsafe extern "C" fn(*mut libc::c_void, *const u8, *mut u8, usize);

fn signature(symbol: &str) -> Signature {
    let double = || Pointee::Scalar(ScalarType::Float(FloatType::F64));
    Signature {
        name: symbol.to_owned(),
        symbol: symbol.to_owned(),
        parameters: vec![Parameter { name: "x".to_owned(), ty: ParameterType::Value(double()) }],
        result: ResultType::Value(double()),
    }
}

fn build(folder: &Path, name: &str, text: &str) -> PathBuf {
    let (source, library) = (folder.join(name).with_extension("c"), folder.join(name).with_extension("so"));
    std::fs::write(&source, text).expect("a writable folder");
    let mut command = Command::new("clang-22");
    command.args(["-g", "-O2", "-shared", "-fPIC", "-o"]).arg(&library).arg(&source).arg("-lm");
    assert!(command.status().expect("clang-22 runs").success());
    library
}

fn worker(folder: &Path, library: &Path, symbol: &str) -> Worker {
    Worker::spawn(config(folder, library, symbol)).expect("a worker")
}

fn config(folder: &Path, library: &Path, symbol: &str) -> WorkerConfig {
    let signature = signature(symbol);
    let driver = Driver::compile(&signature, folder).expect("the driver compiles");
    WorkerConfig {
        command: vec![env!("CARGO_BIN_EXE_labrys-native-worker").into()],
        library: library.to_owned(),
        signature,
        address: None,
        init: None,
        binds_lazily: false,
        driver,
        startup: Startup::Default,
        filling: Filling::Zeros,
        tracing: Tracing::TrapThenStep,
        limits: WorkerLimits::default(),
    }
}

fn symbol(library: &Path, name: &str) -> *mut libc::c_void {
    let c = |text: &str| std::ffi::CString::new(text).expect("no zero byte");
    let path = c(library.to_str().expect("a plain path"));
    // SAFETY: both libraries were compiled by this benchmark and have no start-up code; handles are never closed.
    let found = unsafe { libc::dlsym(libc::dlopen(path.as_ptr(), libc::RTLD_NOW), c(name).as_ptr()) };
    assert!(!found.is_null(), "{name}");
    found
}

/// The best of `rounds` timings: other work on the machine only ever adds.
fn best(rounds: usize, work: impl FnMut() -> Duration) -> Duration {
    std::iter::repeat_with(work).take(rounds).min().unwrap_or_default()
}

fn timed(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

/// One function's loop against the bare loop, as printed and as criterion measures it.
fn fast_path(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = build(folder.path(), "f", SOURCE);
    let with_libm = build(folder.path(), "g", SOURCE_WITH_LIBM);
    let with_x87 = build(folder.path(), "h", SOURCE_WITH_X87);
    let pointed = build(folder.path(), "j", SOURCE_WITH_POINTER);
    let clearing = build(folder.path(), "i", SOURCE_THAT_CLEARS);
    let clearing_both = build(folder.path(), "k", SOURCE_THAT_CLEARS_BOTH);
    let bare = symbol(&library, "bare");
    // SAFETY: the C above has this signature.
    let bare = unsafe { std::mem::transmute::<*mut libc::c_void, Bare>(bare) };
    let inputs: Vec<[f64; 2]> = (0..CALLS).map(|i| [i as f64, 0.0]).collect();
    let mut outputs = vec![[0.0_f64; 4]; CALLS];
    let (from, to) = (inputs.as_ptr().cast::<u8>(), outputs.as_mut_ptr().cast::<u8>());
    let records: Vec<Vec<u8>> = inputs.iter().map(|pair| [pair[0].to_le_bytes(), [0; 8]].concat()).collect();
    let run =
        |worker: &mut Worker, records: &[Vec<u8>]| worker.run(records, Flags::NOTABLE).expect("the worker runs").len();
    let observed = |worker: &mut Worker| {
        run(worker, &records);
        worker.loop_time()
    };
    let nanoseconds = |time: Duration| time.as_nanos() as f64 / CALLS as f64;
    let libraries = [
        (&library, "SSE code"),
        (&with_libm, "SSE code beside code that calls libm"),
        (&with_x87, "code that can reach x87 instructions"),
        (&pointed, "code that calls through a pointer"),
        (&clearing, "code that can load the x87 status, which is read after each call"),
        (&clearing_both, "code that can load both units' status, which are read after each call"),
    ];
    for (library, what) in libraries {
        let quiet = symbol(library, "quiet");
        let mut worker = worker(folder.path(), library, "quiet");
        // SAFETY: the buffers hold `CALLS` records of these strides.
        let quick = best(501, || timed(|| unsafe { bare(quiet, from, to, CALLS) }));
        let slow = best(501, || observed(&mut worker));
        let (slow, quick) = (nanoseconds(slow), nanoseconds(quick));
        println!("driver loop {slow:.2} ns a call, bare loop {quick:.2} ns, added {:.2} ns ({what})", slow - quick);
    }
    let quiet = symbol(&library, "quiet");
    let mut worker = worker(folder.path(), &library, "quiet");
    let mut group = criterion.benchmark_group("fast path");
    group.throughput(Throughput::Elements(CALLS as u64));
    // SAFETY: as above.
    group.bench_function("bare loop", |bencher| bencher.iter(|| unsafe { bare(quiet, from, to, CALLS) }));
    group.bench_function("driver loop", |bencher| {
        bencher.iter_custom(|rounds| (0..rounds).map(|_| observed(&mut worker)).sum());
    });
    group.bench_function("Worker::run, 4096 inputs", |bencher| bencher.iter(|| run(&mut worker, &records)));
    group.throughput(Throughput::Elements(1));
    group.bench_function("Worker::run, one input", |bencher| bencher.iter(|| run(&mut worker, &records[..1])));
    group.finish();
}

fn traced_event(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = build(folder.path(), "f", SOURCE);
    let mut worker = worker(folder.path(), &library, "raising");
    let record = [1.0_f64.to_le_bytes(), [0; 8]].concat();
    let mut trace = || {
        let seen = worker.trace(&record, Flags::NOTABLE).expect("the worker runs");
        let trace = seen.trace.expect("a trace");
        assert!(trace.complete && trace.events.len() == EVENTS);
    };
    let time = best(51, || timed(&mut trace));
    println!("traced event {:.1} µs (under 20)", time.as_secs_f64() * 1e6 / EVENTS as f64);
    let mut group = criterion.benchmark_group("trace");
    group.throughput(Throughput::Elements(EVENTS as u64));
    group.bench_function("500 events", |bencher| bencher.iter(&mut trace));
    group.finish();
}

fn brief() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
}

/// A confirmation with every filling against one with ones alone, in turns, so that other work on the machine slows both.
fn confirmation(_criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = build(folder.path(), "f", SOURCE);
    let mut plain = worker(folder.path(), &library, "quiet");
    let record = [1.0_f64.to_le_bytes(), [0; 8]].concat();
    let config = config(folder.path(), &library, "quiet");
    let mut confirmer = Confirmer::new(config.clone());
    let mut with_ones = Worker::spawn(WorkerConfig { filling: Filling::Ones, ..config }).expect("a worker");
    let (mut every, mut ones) = (Vec::new(), Vec::new());
    for _ in 0..101 {
        ones.push(timed(|| {
            let seen = plain.trace(&record, Flags::NOTABLE).expect("the worker runs");
            let again = with_ones.run_filled(&record, Flags::NOTABLE, Filling::Ones).expect("the worker runs");
            assert_eq!(seen.output, again.output);
        }));
        every.push(timed(|| {
            let seen = plain.trace(&record, Flags::NOTABLE).expect("the worker runs");
            let confirmed = confirmer.confirm(seen, &record, Flags::NOTABLE).expect("the worker runs");
            assert!(confirmed.variations.is_empty());
        }));
    }
    let median = |mut times: Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e6
    };
    let (every, ones) = (median(every), median(ones));
    println!("confirmation {every:.0} µs, with ones alone {ones:.0} µs: {:.2} times", every / ones);
}

criterion_group! { name = native; config = brief(); targets = fast_path, traced_event, confirmation }
criterion_main!(native);
