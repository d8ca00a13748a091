//! What observing a call costs: the driver loop against a bare C loop over the same function in the same run, the host's
//! work per input, a traced event.
//!
//! The bare loop is compiled in C and loads its argument, calls through a pointer and stores the result, as the driver
//! does. Both run the same inputs. The loop's added time a call is printed: it must stay within 10 ns where no flag is
//! set. The whole of `Worker::run`, with its fork and copies, is given apart, and a traced event must cost under 20 µs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use labrys_float::Flags;
use labrys_native::{Driver, Lanes, Startup, Tracing, Worker, WorkerConfig, WorkerLimits};
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

/// The loop's job, as the driver's C declares it.
#[repr(C)]
struct Job {
    target: *mut libc::c_void,
    inputs: *const u8,
    outputs: *mut u8,
    input_stride: usize,
    output_stride: usize,
    first: u64,
    count: u64,
    progress: *mut u64,
    mxcsr: u32,
    x87: u16,
    ones: u16,
    watched: u32,
}

type Drive = unsafe extern "C" fn(*mut Job);
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

fn build(folder: &Path) -> PathBuf {
    let (source, library) = (folder.join("f.c"), folder.join("f.so"));
    std::fs::write(&source, SOURCE).expect("a writable folder");
    let mut command = Command::new("clang-22");
    command.args(["-g", "-O2", "-shared", "-fPIC", "-o"]).arg(&library).arg(&source);
    assert!(command.status().expect("clang-22 runs").success());
    library
}

fn worker(folder: &Path, library: &Path, symbol: &str) -> Worker {
    let signature = signature(symbol);
    let driver = Driver::compile(&signature, folder).expect("the driver compiles");
    Worker::spawn(WorkerConfig {
        command: vec![env!("CARGO_BIN_EXE_labrys-native-worker").into()],
        library: library.to_owned(),
        signature,
        driver,
        startup: Startup::Default,
        lanes: Lanes::Zeros,
        tracing: Tracing::TrapThenStep,
        limits: WorkerLimits::default(),
    })
    .expect("a worker")
}

fn symbol(library: &Path, name: &str) -> *mut libc::c_void {
    let c = |text: &str| std::ffi::CString::new(text).expect("no zero byte");
    let path = c(library.to_str().expect("a plain path"));
    // SAFETY: both libraries were compiled by this benchmark and have no start-up code; handles are never closed.
    let found = unsafe { libc::dlsym(libc::dlopen(path.as_ptr(), libc::RTLD_NOW), c(name).as_ptr()) };
    assert!(!found.is_null(), "{name}");
    found
}

/// The median of `rounds` timings of `work`.
fn median(rounds: usize, mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let begun = Instant::now();
            work();
            begun.elapsed()
        })
        .collect();
    times.sort();
    times[rounds / 2]
}

fn fast_path(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = build(folder.path());
    let driver = Driver::compile(&signature("quiet"), folder.path()).expect("the driver compiles");
    // SAFETY: the generated entry and the C above have these signatures.
    let (drive, bare) = unsafe {
        (
            std::mem::transmute::<*mut libc::c_void, Drive>(symbol(driver.library(), "labrys_drive")),
            std::mem::transmute::<*mut libc::c_void, Bare>(symbol(&library, "bare")),
        )
    };
    let quiet = symbol(&library, "quiet");
    let inputs: Vec<[f64; 2]> = (0..CALLS).map(|i| [i as f64, 0.0]).collect();
    let mut outputs = vec![[0.0_f64; 4]; CALLS];
    let mut progress = 0_u64;
    let (from, to) = (inputs.as_ptr().cast::<u8>(), outputs.as_mut_ptr().cast::<u8>());
    let mut job = Job {
        target: quiet,
        inputs: from,
        outputs: to,
        input_stride: 16,
        output_stride: 32,
        first: 0,
        count: CALLS as u64,
        progress: &raw mut progress,
        mxcsr: 0x1f80,
        x87: 0x37f,
        ones: 0,
        watched: 0x1d,
    };
    // SAFETY: the buffers hold `CALLS` records of these strides.
    let mut observed = || unsafe { drive(&mut job) };
    // SAFETY: as above.
    let mut plain = || unsafe { bare(quiet, from, to, CALLS) };
    let (slow, quick) = (median(501, &mut observed), median(501, &mut plain));
    let nanoseconds = |time: Duration| time.as_nanos() as f64 / CALLS as f64;
    println!(
        "driver loop {:.2} ns a call, bare loop {:.2} ns, added {:.2} ns (at most 10)",
        nanoseconds(slow),
        nanoseconds(quick),
        nanoseconds(slow) - nanoseconds(quick)
    );
    let mut group = criterion.benchmark_group("fast path");
    group.throughput(Throughput::Elements(CALLS as u64));
    group.bench_function("bare loop", |bencher| bencher.iter(&mut plain));
    group.bench_function("driver loop", |bencher| bencher.iter(&mut observed));
    let mut worker = worker(folder.path(), &library, "quiet");
    let records: Vec<Vec<u8>> = inputs.iter().map(|pair| [pair[0].to_le_bytes(), [0; 8]].concat()).collect();
    let whole =
        |worker: &mut Worker, records: &[Vec<u8>]| worker.run(records, Flags::NOTABLE).expect("the worker runs").len();
    group.bench_function("Worker::run, 4096 inputs", |bencher| bencher.iter(|| whole(&mut worker, &records)));
    group.throughput(Throughput::Elements(1));
    group.bench_function("Worker::run, one input", |bencher| bencher.iter(|| whole(&mut worker, &records[..1])));
    group.finish();
}

fn traced_event(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = build(folder.path());
    let mut worker = worker(folder.path(), &library, "raising");
    let record = [1.0_f64.to_le_bytes(), [0; 8]].concat();
    let mut trace = || {
        let seen = worker.trace(&record, Flags::NOTABLE).expect("the worker runs");
        let trace = seen.trace.expect("a trace");
        assert!(trace.complete && trace.events.len() == EVENTS);
    };
    let time = median(21, &mut trace);
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

criterion_group! { name = native; config = brief(); targets = fast_path, traced_event }
criterion_main!(native);
