//! What functions of a library need: a function that runs first, addresses in place of symbols, loops that many share.

use labrys_float::Flags;
use labrys_native::{Driver, NativeError, Outcome, Worker, WorkerConfig};
use labrys_program::{Signature, functions_in};

use crate::fixture::{F64, Fixture, of_scalars, unary};

const SOURCE: &str = r#"
static double offset;
static int calls;
int prepare(void) { volatile double zero = 0; offset = 1 / zero; offset = 3; return ++calls; }
static void crash(void) { *(volatile int *)0 = 1; }
void (*keep)(void) = crash;
static double hidden(double x) { return x + 10 * calls; }
double f(double x) { return hidden(x) + offset; }
extern double nowhere(double);
double g(double x) { return x < 0 ? nowhere(x) : x; }
"#;

fn call(config: WorkerConfig, fixture: &Fixture, x: f64) -> (Outcome, f64, Flags) {
    let mut worker = Worker::spawn(config).expect("a worker");
    let observation = worker.run_fresh(&[fixture.record(&[x])], Flags::all()).expect("an observation").remove(0);
    (observation.outcome.clone(), fixture.result(&observation), observation.flags)
}

#[test]
fn a_function_runs_first_once_for_every_process() {
    let fixture = Fixture::new(SOURCE, &["-O0"]);
    assert_eq!(call(fixture.config.clone(), &fixture, 0.5), (Outcome::Returned, 0.5, Flags::empty()));
    let config = WorkerConfig { init: Some("prepare".to_owned()), ..fixture.config.clone() };
    // The exceptions that it raised are not those of the calls after it.
    assert_eq!(call(config.clone(), &fixture, 0.5), (Outcome::Returned, 13.5, Flags::empty()));
    let mut worker = Worker::spawn(config.clone()).expect("a worker");
    for _ in 0..2 {
        let records = [fixture.record(&[1.0]), fixture.record(&[2.0])];
        let observed = worker.run(&records, Flags::NOTABLE).expect("observations");
        assert_eq!(observed.iter().map(|o| fixture.result(o)).collect::<Vec<_>>(), [14.0, 15.0]);
        let traced = worker.trace(&records[0], Flags::NOTABLE).expect("a trace");
        assert_eq!(fixture.result(&traced), 14.0);
    }
    for (init, expected) in [("crash", "crashed or hung while loading"), ("absent", "absent")] {
        let failed = Worker::spawn(WorkerConfig { init: Some(init.to_owned()), ..config.clone() }).err();
        assert!(failed.as_ref().is_some_and(|error| error.to_string().contains(expected)), "{failed:?}");
    }
}

#[test]
fn an_address_stands_for_the_symbol() {
    let fixture = Fixture::new(SOURCE, &["-O0"]);
    let functions = functions_in(&fixture.config.library).expect("debug information");
    let hidden = functions.iter().find(|function| function.name == "hidden").expect("a static function");
    let signature = Signature { symbol: "no such symbol".to_owned(), ..fixture.config.signature.clone() };
    let config = WorkerConfig { signature, address: Some(hidden.address), ..fixture.config.clone() };
    assert_eq!(call(config, &fixture, 0.5).1, 0.5);
}

#[test]
fn a_function_that_nobody_defines_ends_only_the_call() {
    let fixture = Fixture::new(SOURCE, &["-O0"]);
    let signature = Signature { symbol: "g".to_owned(), ..fixture.config.signature.clone() };
    let config = WorkerConfig { signature, ..fixture.config.clone() };
    assert_eq!(call(config.clone(), &fixture, 0.5), (Outcome::Returned, 0.5, Flags::empty()));
    assert_eq!(call(config, &fixture, -0.5).0, Outcome::Exit(127));
}

#[test]
fn functions_of_the_same_types_share_a_driver_loop() -> Result<(), NativeError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let modified = |driver: &Driver| driver.library().metadata().and_then(|file| file.modified()).expect("a file");
    let first = Driver::cached(&unary(F64), folder.path())?;
    let at = modified(&first);
    let other = Signature { name: "other".to_owned(), symbol: "other".to_owned(), ..unary(F64) };
    let second = Driver::cached(&other, folder.path())?;
    assert_eq!(first.library(), second.library());
    assert_eq!(modified(&second), at);
    let binary = Driver::cached(&of_scalars(&[F64, F64], F64), folder.path())?;
    assert_ne!(first.library(), binary.library());
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 4);

    // A loop whose text is another's is made again.
    std::fs::write(first.library().with_extension("c"), "another").expect("a writable folder");
    let again = Driver::cached(&unary(F64), folder.path())?;
    let fixture = Fixture::new(SOURCE, &["-O0"]);
    let config = WorkerConfig { driver: again, ..fixture.config.clone() };
    assert_eq!(call(config, &fixture, 0.5).1, 0.5);
    Ok(())
}
