//! How fast paths are followed: instructions on known values beside the same loop run natively (clang -O0, as the executor's code is), forks
//! under path conditions of some ten terms, memory for each path that waits, and how time grows with paths. Figures that are printed
//! are of processor time, which other processes disturb less than the wall's; criterion's are of the wall.

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use labrys_executor::{Options, execute};
use labrys_program::Program;
use libloading::Library;

/// Loops of `N` rounds that need no input: a name and the body of `int run(void)`.
const LOOPS: [(&str, &str); 6] = [
    ("additions", "unsigned s = 0; for (unsigned i = 0; i < N; i++) s += i; return s == 1;"),
    ("array", "int a[64] = { 0 }; for (unsigned i = 0; i < N; i++) a[i & 63] += a[i * 7 & 63] + 1; return a[3] == 1;"),
    (
        "doubles",
        "double x = 0.5, s = 0; for (unsigned i = 0; i < N; i++) { x = 3.9 * x * (1 - x); s += x / 3; } return s == 1;",
    ),
    (
        "branches",
        "unsigned x = 1, n = 0; for (unsigned i = 0; i < N; i++) { x = x * 1664525u + 1013904223u; if (x >> 16 & 1) n++; else n ^= x; } return n == 1;",
    ),
    (
        "pointers",
        "struct node { struct node *next; long value; } a = { 0, 1 }, b = { &a, 2 }; a.next = &b; long s = 0; struct node *p = &a; for (unsigned i = 0; i < N; i++) { s += p->value; p = p->next; } return s == 1;",
    ),
    ("calls", "unsigned s = 0; for (unsigned i = 0; i < N; i++) s = add(s, i); return s == 1;"),
];

/// What programs begin with.
const PRELUDE: &str = "unsigned char __VERIFIER_nondet_uchar(void); _Bool __VERIFIER_nondet_bool(void);\n\
                       static unsigned add(unsigned a, unsigned b) { unsigned c = a + b; return c; }\n";

/// Rounds of a measurement; of calls a tenth.
const ROUNDS: u64 = 4_000_000;

fn clang(arguments: &[&str], source: &Path, output: &Path) {
    let status = Command::new("clang-22").args(arguments).arg("-w").arg("-o").arg(output).arg(source).status().unwrap();
    assert!(status.success());
}

fn compile(text: &str) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let (source, bitcode) = (folder.path().join("test.c"), folder.path().join("test.bc"));
    std::fs::write(&source, format!("{PRELUDE}{text}")).unwrap();
    clang(&["-O0", "-g", "-c", "-emit-llvm"], &source, &bitcode);
    Program::from_bitcode_file(&bitcode).unwrap()
}

/// Processor time of this thread in seconds.
fn processor_time() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it writes the time there and nothing else.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn seconds<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begun = processor_time();
    let result = std::hint::black_box(work());
    (processor_time() - begun, result)
}

/// The system's allocator, with a count of what is allocated.
struct Counted;

/// Bytes that are allocated, and the most that were since [`peak_of`] began.
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is the system's; counts touch no memory but their own.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(live, Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

/// The most bytes that were allocated at a time during some work, beyond those before, with its time in seconds and its result.
fn peak_of<T>(work: impl FnOnce() -> T) -> (f64, f64, T) {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let (time, result) = seconds(work);
    ((PEAK.load(Relaxed) - before) as f64, time, result)
}

fn apart() -> Options {
    Options { merges: false, ..Options::default() }
}

fn known(criterion: &mut Criterion) {
    for (name, body) in LOOPS {
        let rounds = if name == "calls" { ROUNDS / 10 } else { ROUNDS };
        let text = format!("enum {{ N = {rounds} }};\nint run(void) {{ {body} }}\nint main(void) {{ return run(); }}");
        let program = compile(&text);
        let folder = tempfile::tempdir().unwrap();
        let (source, object) = (folder.path().join("loop.c"), folder.path().join("loop.so"));
        std::fs::write(&source, format!("{PRELUDE}{text}")).unwrap();
        clang(&["-O0", "-shared", "-fPIC"], &source, &object);
        // SAFETY: the object was just made of our own text and has no initialisers; `run` has this type.
        let library = unsafe { Library::new(&object) }.unwrap();
        // SAFETY: as above.
        let run = unsafe { library.get::<unsafe extern "C" fn() -> i32>("run") }.unwrap();
        // SAFETY: it takes nothing and touches its own variables.
        let (native, _) = seconds(|| unsafe { run() });
        let (direct, outcome) = seconds(|| execute(&program, &Options::default()));
        assert_eq!(outcome.paths.completed, 1, "{outcome:?}");
        let options = Options { is_direct: false, max_paths: 1, ..Options::default() };
        let short = compile(&text.replace(&rounds.to_string(), &(rounds / 20).to_string()));
        let (stepped, few) = seconds(|| execute(&short, &options));
        println!(
            "{name}: {:.1} million instructions a second, {:.1} step by step; {:.0} times the native run's time",
            outcome.instructions as f64 / direct / 1e6,
            few.instructions as f64 / stepped / 1e6,
            direct / native,
        );
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(few.instructions));
        group.bench_function("known", |bencher| bencher.iter(|| execute(&short, &Options::default())));
        group.finish();
    }
}

/// A program with 2^n paths whose conditions are about n bytes, each by itself.
fn independent(n: u32) -> Program {
    compile(&format!(
        "int main(void) {{ unsigned s = 0; for (int i = 0; i < {n}; i++) if (__VERIFIER_nondet_uchar() > 100) s += i; else s ^= i; return s; }}"
    ))
}

fn forks(criterion: &mut Criterion) {
    for n in [8, 10, 12, 14] {
        let program = independent(n);
        let (time, outcome) = seconds(|| execute(&program, &apart()));
        assert_eq!(outcome.paths.completed, 1 << n);
        let forks = outcome.paths.completed as f64 - 1.0;
        println!(
            "{n} terms: {:.0} forks a second, {:.1} µs a path, {:.0} instructions a path",
            forks / time,
            1e6 * time / outcome.paths.completed as f64,
            outcome.instructions as f64 / outcome.paths.completed as f64
        );
    }
    let program = independent(8);
    let mut group = criterion.benchmark_group("forks");
    group.throughput(Throughput::Elements(255));
    group.bench_function("8 terms", |bencher| bencher.iter(|| execute(&program, &apart())));
    group.finish();
}

/// A program with n + 1 paths that part from one, after an input each.
fn chain(n: u64) -> Program {
    compile(&format!(
        "int main(void) {{ for (int i = 0; i < {n}; i++) if (__VERIFIER_nondet_bool()) return 1; return 0; }}"
    ))
}

/// Memory for each path that waits while one goes on. Two are followed to the end because they come to new code or did when they began to
/// wait, the third goes all the way: the run ends as soon as it has.
fn waiting(_: &mut Criterion) {
    for count in [1000, 4000, 16_000] {
        let program = chain(count);
        let (bytes, time, outcome) = peak_of(|| execute(&program, &Options { max_paths: 3, ..apart() }));
        assert_eq!((outcome.paths.completed, outcome.paths.waiting), (3, count - 2));
        println!(
            "{count} waiting paths: {:.1} kB and {:.1} µs each",
            bytes / count as f64 / 1e3,
            1e6 * time / count as f64
        );
    }
}

/// Memory and time for each path, to the end: in a chain, and in a tree.
fn growth(_: &mut Criterion) {
    let measured = |name: &str, paths: u64, program: &Program| {
        let (bytes, time, outcome) = peak_of(|| execute(program, &apart()));
        assert_eq!(outcome.paths.completed, paths);
        println!(
            "{paths} paths of a {name}: {:.1} kB and {:.1} µs each",
            bytes / paths as f64 / 1e3,
            1e6 * time / paths as f64
        );
    };
    for n in [1000, 4000, 16_000] {
        measured("chain", n + 1, &chain(n));
    }
    for n in [10, 12, 14, 16] {
        measured("tree", 1 << n, &independent(n));
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(1)).warm_up_time(Duration::from_millis(300));
    targets = waiting, growth, known, forks
}
criterion_main!(benches);
