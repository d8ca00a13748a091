//! The way in.

use std::time::Duration;

use labrys_program::{FunctionId, Program, ValueId};
use labrys_term::Store;
use labrys_testcase::TestInput;

use crate::driver::Driver;
use crate::inputs::{self, Source};
use crate::{NoProof, Options, Outcome, Proof, hunting};

/// Follows the paths of a program.
///
/// Deterministic unless the deadline or the limit on memory cuts it short, or a solver's time does.
pub fn execute(program: &Program, options: &Options) -> Outcome {
    let mut store = Store::new();
    Driver::new(program, options, Source::Symbolic, &mut store).run()
}

/// Shows that no run of a program does what is checked, by induction over the rounds of its loops; paths of one round are followed as
/// [`execute`] does it. Tests are not made, violations not looked for.
///
/// # Errors
///
/// Why it is not shown: nothing then is known.
pub fn prove(program: &Program, options: &Options) -> Result<Proof, NoProof> {
    let mut store = Store::new();
    Driver::new(program, options, Source::Symbolic, &mut store).prove()
}

/// Executes a program on a few inputs that repeat themselves, in some tenths of a second: what goes wrong, if something does.
pub fn glance(program: &Program, options: &Options) -> Option<Outcome> {
    hunting::glance(program, options)
}

/// Executes a program on made inputs, now and then, until something goes wrong or who looks on ends it: what goes wrong. It takes a small part of a processor's time.
pub fn sample(program: &Program, options: &Options) -> Option<Outcome> {
    hunting::sample(program, options)
}

/// Looks for something that goes wrong, and ends as soon as it has: paths are followed apart, and first those in states like which there was none before.
///
/// What it has found is a violation as [`execute`] finds it; where it has followed all paths, so has [`execute`].
pub fn hunt(program: &Program, options: &Options) -> Outcome {
    hunting::hunt(program, options)
}

/// The calls by which a run on an input asks for its objects, in their order, as far as it is followed in a second; `None` of those that
/// no function returns.
pub fn asking_calls(program: &Program, options: &Options, input: &TestInput) -> Vec<Option<(FunctionId, ValueId)>> {
    /// Long enough for what goes wrong after many rounds.
    const LIMIT: Duration = Duration::from_secs(1);
    let options = Options { answers: None, watch: None, ..options.briefly_on(&input.arguments, LIMIT) };
    let mut store = Store::new();
    let mut driver = Driver::new(program, &options, Source::Fixed(input.clone()), &mut store);
    driver.follow_all();
    inputs::asking_calls(&driver.asked)
}

/// Follows the one path that an input takes, with the same checks. Inputs that the test does not have are zero; its command line is
/// not looked at, [`Options::arguments`] is, and none of these may be any.
///
/// A violation that [`execute`] reports was found again in this way.
pub fn replay(program: &Program, options: &Options, input: &TestInput) -> Outcome {
    let mut store = Store::new();
    Driver::new(program, options, Source::Fixed(input.clone()), &mut store).run()
}
