//! The worker survives whatever the code under test does, and says what it was.

use crate::fixture::Fixture;
use labrys_float::Flags;
use labrys_native::{NativeError, Outcome, WorkerLimits};
use std::time::{Duration, Instant};

/// `f(0)` returns 1; `f(1)` does what the body says.
fn misbehave(body: &str) -> Vec<Outcome> {
    let source = format!(
        "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n#include <signal.h>\n#include <sys/socket.h>\n#include <errno.h>\n#include <pthread.h>\n\
         volatile int *nowhere;\nint deep(int n) {{ volatile char pad[4096]; pad[0] = n; return n < 0 ? 0 : deep(n + 1) + pad[0]; }}\n\
         double f(double x) {{ if (x != 0) {{ {body} }} return 1; }}\n"
    );
    let fixture = Fixture::new(&source, &["-O0"]);
    let limits = WorkerLimits { call: Duration::from_millis(300), memory_mib: 256, ..WorkerLimits::default() };
    let mut worker = fixture.worker_with(limits);
    let inputs: Vec<Vec<u8>> = [0.0, 1.0, 0.0, 1.0, 0.0].iter().map(|x| fixture.record(&[*x])).collect();
    let observations = worker.run(&inputs, Flags::NOTABLE).expect("the worker is kept running");
    for good in [0, 2, 4] {
        assert_eq!(fixture.result(&observations[good]), 1.0, "a good call after a bad one");
    }
    assert_eq!(observations[1].outcome, observations[3].outcome);
    observations.into_iter().map(|observation| observation.outcome).collect()
}

#[test]
fn a_null_dereference() {
    assert_eq!(misbehave("*nowhere = 1;")[1], Outcome::Signal(libc::SIGSEGV));
}

#[test]
fn a_stack_overflow() {
    assert_eq!(misbehave("deep(0);")[1], Outcome::Signal(libc::SIGSEGV));
}

#[test]
fn an_infinite_loop() {
    assert_eq!(misbehave("for (;;) nowhere = 0;")[1], Outcome::Timeout);
}

#[test]
fn an_exit() {
    assert_eq!(misbehave("exit(3);")[1], Outcome::Exit(3));
    assert_eq!(misbehave("exit(0);")[1], Outcome::Exit(0));
}

#[test]
fn an_abort() {
    assert_eq!(misbehave("abort();")[1], Outcome::Signal(libc::SIGABRT));
}

#[test]
fn an_integer_division_by_zero() {
    assert_eq!(misbehave("volatile int z = 0; return 1 / z;")[1], Outcome::Signal(libc::SIGFPE));
}

#[test]
fn an_allocation_of_ten_gigabytes() {
    // malloc gives a null pointer, and the code writes through it.
    assert_eq!(misbehave("char *p = malloc(10UL << 30); memset(p, 1, 10UL << 30);")[1], Outcome::Signal(libc::SIGSEGV));
}

#[test]
fn a_socket() {
    assert_eq!(misbehave("if (socket(AF_INET, SOCK_STREAM, 0) < 0) exit(7);")[1], Outcome::Exit(7));
}

/// A forked call went on in both processes, each with the rest of the batch, and a child in a session of its own was never ended.
#[test]
fn calls_do_not_fork_and_start_programs() {
    let body = "if (fork() == -1 && errno == EAGAIN && system(\"true\") == 0) exit(7);";
    assert_eq!(misbehave(body)[1], Outcome::Exit(7));
}

#[test]
fn threads_are_started() {
    let body = "pthread_t t; void *r; if (pthread_create(&t, 0, (void *(*)(void *))labs, (void *)-7L) == 0 && pthread_join(t, &r) == 0) exit((long)r);";
    assert_eq!(misbehave(body)[1], Outcome::Exit(7));
}

#[test]
fn a_changed_control_register_is_put_back_before_the_next_call() {
    // x = 2: set FTZ; otherwise halve the smallest normal number, which FTZ would flush.
    let source = "#include <immintrin.h>\ndouble f(double x) { if (x == 2) { _mm_setcsr(_mm_getcsr() | 0x8040); return 0; } return x * 0.5; }\n";
    let fixture = Fixture::new(source, &["-O0"]);
    let inputs: Vec<Vec<u8>> = [2.0, f64::MIN_POSITIVE].iter().map(|x| fixture.record(&[*x])).collect();
    let observations = fixture.worker().run(&inputs, Flags::NOTABLE).expect("the worker runs");
    assert_eq!(fixture.result(&observations[1]), f64::MIN_POSITIVE / 2.0);
}

#[test]
fn blocked_signals_and_own_handlers_do_not_hide_events() {
    let source = "#include <signal.h>\nstatic void own(int s) { (void)s; }\n\
                  double f(double x) {\n  sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0);\n  signal(SIGFPE, own);\n  return 1 / x;\n}\n";
    let fixture = Fixture::new(source, &["-O0"]);
    let observation =
        fixture.worker().trace(&fixture.record(&[0.0]), Flags::NOTABLE).expect("the worker is kept running");
    assert_eq!(observation.outcome, Outcome::Returned);
    assert_eq!(observation.flags, Flags::DIVBYZERO);
    // Traps and steps are both blocked: the trace can only say that it is not complete.
    assert!(observation.trace.is_some_and(|trace| !trace.complete));
}

#[test]
fn a_library_whose_start_up_code_crashes_is_an_error() {
    let source = "__attribute__((constructor)) static void start(void) { *(volatile int *)0 = 1; }\ndouble f(double x) { return x; }\n";
    let fixture = Fixture::new(source, &["-O0"]);
    assert!(fixture.try_worker().is_err());
}

#[test]
fn closed_and_scribbled_descriptors() {
    assert_eq!(
        misbehave("for (int i = 3; i < 300; i++) { write(i, \"garbage garbage\", 16); close(i); }")[1],
        Outcome::Returned
    );
}

#[test]
fn a_deadline_ends_a_batch_of_slow_calls() {
    let source = "#include <unistd.h>\ndouble f(double x) { if (x > 1) usleep(90000); return x; }\n";
    let fixture = Fixture::new(source, &["-O0"]);
    let mut worker = fixture.worker();
    let inputs: Vec<Vec<u8>> = (0..500).map(|x| fixture.record(&[f64::from(x)])).collect();
    let begun = Instant::now();
    worker.set_deadline(Some(begun + Duration::from_millis(400)));
    let observations = worker.run_available(&inputs, Flags::NOTABLE).expect("the worker is kept running");
    assert!((2..=6).contains(&observations.len()), "{}", observations.len());
    assert!(observations.iter().enumerate().all(|(x, seen)| fixture.result(seen) == x as f64));
    assert!(matches!(worker.run(&inputs, Flags::NOTABLE), Err(NativeError::Deadline { .. })));
    assert!(matches!(worker.trace(&inputs[3], Flags::NOTABLE), Err(NativeError::Deadline { .. })));
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    worker.set_deadline(None);
    assert_eq!(worker.run(&inputs[..2], Flags::NOTABLE).expect("it goes on").len(), 2);
}

#[test]
fn a_thousand_crashes_cost_a_fork_each() {
    let fixture = Fixture::new("double f(double x) { if (x != 0) *(volatile int *)0 = 1; return 1; }\n", &["-O0"]);
    let inputs: Vec<Vec<u8>> = (0..1000).map(|x| fixture.record(&[f64::from(x % 5)])).collect();
    let begun = Instant::now();
    let observations = fixture.worker().run(&inputs, Flags::NOTABLE).expect("the worker is kept running");
    let crashed = observations.iter().filter(|seen| seen.outcome == Outcome::Signal(libc::SIGSEGV)).count();
    assert_eq!(crashed, 800);
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}

#[test]
fn an_endless_call_is_not_traced_for_long() {
    let fixture = Fixture::new("double f(double x) { for (volatile int i = 0;; ) i = 0; return x; }\n", &["-O0"]);
    let limits = WorkerLimits { call: Duration::from_millis(200), ..WorkerLimits::default() };
    let begun = Instant::now();
    let seen = fixture.worker_with(limits).trace(&fixture.record(&[1.0]), Flags::NOTABLE).expect("it runs");
    assert_eq!(seen.outcome, Outcome::Timeout);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn calls_are_timed_and_observed_as_before() {
    let source = "double f(double x) { double s = 0; for (int i = 1; i < 200; i++) s += x / i; return s; }\n";
    let fixture = Fixture::new(source, &["-O1"]);
    let mut worker = fixture.worker_with(WorkerLimits::default());
    let inputs: Vec<Vec<u8>> = (0..3000).map(|x| fixture.record(&[f64::from(x)])).collect();
    let seen = worker.run(&inputs, Flags::NOTABLE).expect("the worker is kept running");
    let few = worker.time(&inputs[..100]).expect("the worker is kept running").expect("each call returns");
    let all = worker.time(&inputs).expect("the worker is kept running").expect("each call returns");
    assert!(few > Duration::ZERO && all > 3 * few, "{few:?} {all:?}");
    // 199 divisions that wait for each other's sums: not below a third of a nanosecond each.
    assert!(all > Duration::from_nanos(3000 * 16 * 199 / 3), "{all:?}");
    // Observing goes on as before.
    let again = worker.run(&inputs, Flags::NOTABLE).expect("the worker is kept running");
    assert_eq!(seen, again);
    // A call that does not return is not timed.
    let fixture =
        Fixture::new("#include <stdlib.h>\ndouble f(double x) { if (x == 2) abort(); return x; }\n", &["-O1"]);
    let mut worker = fixture.worker_with(WorkerLimits::default());
    let inputs: Vec<Vec<u8>> = (0..3).map(|x| fixture.record(&[f64::from(x)])).collect();
    assert_eq!(worker.time(&inputs).expect("the worker is kept running"), None);
    assert!(worker.time(&inputs[..2]).expect("the worker is kept running").is_some());
}
