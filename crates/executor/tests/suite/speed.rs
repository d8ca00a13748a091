//! How fast it is: `cargo test --release -p labrys-executor -- --ignored --nocapture speed`.

use std::time::{Duration, Instant};

use labrys_executor::{Options, execute};

use crate::support::compile;

/// Instructions per second on code without inputs. The loop is cut by a deadline, since tests share machines.
#[test]
#[ignore = "measures"]
fn speed_of_concrete_code() {
    let program = compile(
        "int main(void) { unsigned s = 0; for (unsigned i = 0; i < 100000000u; i++) s += i; assert(s == 887459712u); return 0; }",
    );
    let begun = Instant::now();
    let options = Options { deadline: Some(begun + Duration::from_secs(10)), ..Options::default() };
    let outcome = execute(&program, &options);
    let seconds = begun.elapsed().as_secs_f64();
    println!("{:.2} million instructions a second", outcome.instructions as f64 / seconds / 1e6);
    assert!(outcome.violations.is_empty());
}

/// Forks per second with ten independent bits.
#[test]
#[ignore = "measures"]
fn speed_of_forks() {
    let program = compile(
        "int main(void) { unsigned x = __VERIFIER_nondet_uint(); unsigned s = 0;
         for (int i = 0; i < 14; i++) if (x >> i & 1) s++; return s; }",
    );
    let begun = Instant::now();
    let options = Options { deadline: Some(begun + Duration::from_secs(20)), ..Options::default() };
    let outcome = execute(&program, &options);
    let seconds = begun.elapsed().as_secs_f64();
    println!("{:?}: {:.0} paths a second", outcome.paths, outcome.paths.completed as f64 / seconds);
}
