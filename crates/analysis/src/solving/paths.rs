//! Following paths of a build's IR.

use std::time::Instant;

use labrys_interp::Stop;
use labrys_program::Signature;
use labrys_ranges::assumptions;
use labrys_symex::{Exploration, Feasibility, Options, StopReason, explore};
use labrys_term::Store;

use crate::run::options::RunOptions;
use crate::target::analysed::Analysed;

/// The explorer's options that are the user's, until `deadline`.
pub fn options(run: &RunOptions, deadline: Instant) -> Options {
    Options {
        loop_bound: run.loop_bound,
        max_paths: run.max_paths as usize,
        deadline: Some(deadline),
        ..Options::default()
    }
}

/// Follows the paths of a build that `oracle` does not exclude.
pub fn follow(
    analysed: &Analysed,
    signature: &Signature,
    store: &mut Store,
    options: &Options,
    oracle: &mut dyn Feasibility,
) -> Exploration {
    let Analysed { program, function, binding } = analysed;
    explore(program, *function, binding, signature, store, options, oracle)
}

/// What a proof along paths rests on, a sentence each: how good libm is taken to be, where it is called; that there is memory, where
/// the function asks for some.
pub fn assumptions(has_init: bool, libm: Option<String>, allocates: bool) -> Vec<String> {
    let always = [
        "the IR is read strictly",
        "inputs are within the search domain",
        assumptions::ROUNDING,
        assumptions::QUIET_NANS,
        assumptions::globals(has_init),
    ];
    let memory = allocates.then(|| assumptions::MEMORY.to_owned());
    always.map(str::to_owned).into_iter().chain(libm).chain(memory).collect()
}

/// How many paths ended before the function returned, and why: remarks for the report. Whether inputs take them is not asked: where an index of a table
/// is not known, a path for those outside is among them even if there are none.
pub fn early_ends(exploration: &Exploration) -> impl Iterator<Item = String> {
    exploration.stops().into_iter().filter_map(|(why, count)| {
        let paths = if count == 1 { "path ends" } else { "paths end" };
        let is_early = !matches!(why, StopReason::Returned | StopReason::NothingOpen);
        let doubt = match why {
            StopReason::Stopped(Stop::Memory(_)) => ", if any input takes it that far",
            _ => "",
        };
        is_early.then(|| format!("{count} {paths} early: {why}{doubt}"))
    })
}
