//! `cargo xtask programs`: are the benchmark programs of `labrys verify` what their heads say?
//!
//! Each is compiled with sanitizers. One with a seeded error is run on the input that its head gives, and has to show that kind of
//! error at that line; a correct one is run on thousands of random and special inputs, and may show nothing. That it is correct for
//! all inputs is argued in its head where it is not plain.

mod native;
mod program;
mod sanitizers;

use std::path::Path;
use std::sync::Mutex;

use anyhow::Result;
use clap::Args;

pub use native::Amount;
pub use program::{Error, Expectation, Program, folder};

/// The suites: programs after the KLEE-Float paper's, and the catalogue of memory errors.
pub const SUITES: [&str; 2] = ["verify", "memory"];

/// Which programs, and how thoroughly.
#[derive(Args, Debug)]
pub struct Request {
    /// Only programs whose names match, as `fmod_*`.
    #[arg(long, value_name = "GLOB")]
    only: Option<String>,
    /// Random inputs that fulfil a correct program's assumptions.
    #[arg(long, default_value_t = 3000)]
    inputs: u64,
    /// Programs checked at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

/// Checks, prints what is wrong, and says whether nothing is.
pub fn run(root: &Path, request: &Request) -> Result<bool> {
    let scratch = tempfile::tempdir()?;
    let amount = Amount { wanted: request.inputs, tries: 300_000.max(request.inputs), least: request.inputs.min(100) };
    let mut all_right = true;
    for suite in SUITES {
        let programs = Program::all(root, suite, request.only.as_deref())?;
        let waiting = Mutex::new(programs.iter());
        let wrong = Mutex::new(0);
        std::thread::scope(|scope| {
            for _ in 0..request.jobs.max(1) {
                scope.spawn(|| {
                    while let Some(program) = waiting.lock().ok().and_then(|mut waiting| waiting.next()) {
                        match native::check(root, scratch.path(), program, amount) {
                            Ok(seen) => println!("{suite}/{}: {seen}", program.name),
                            Err(error) => {
                                println!("{suite}/{}: WRONG: {error:#}", program.name);
                                wrong.lock().map(|mut wrong| *wrong += 1).ok();
                            }
                        }
                    }
                });
            }
        });
        let wrong = wrong.into_inner().unwrap_or(usize::MAX);
        println!("{suite}: {} programs, {wrong} not as their heads say", programs.len());
        all_right &= wrong == 0;
    }
    Ok(all_right)
}
