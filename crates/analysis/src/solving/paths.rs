//! Following paths of a build's IR.

use std::time::Instant;

use labrys_float::Float;
use labrys_interp::Stop;
use labrys_program::{Leaf, Signature};
use labrys_ranges::assumptions;
use labrys_solver::domain::{BitVecDomain, BoolDomain, Domain as Values, FloatDomain};
use labrys_symex::{Exploration, Feasibility, Intervals, Options, StopReason, explore, leaf_sort, leaf_variable};
use labrys_term::{Sort, Store};

use crate::inputs::domain::Domain;
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

/// The oracle that prunes paths: by the values that the search domain has.
pub fn oracle(domain: &Domain, store: &mut Store) -> Intervals {
    let leaves = domain.inputs.leaves.iter();
    let floats = leaves.filter_map(|leaf| match values_of(domain, leaf) {
        Values::Float(values) => Some((leaf_variable(store, leaf), values)),
        _ => None,
    });
    Intervals::new(floats.collect::<Vec<_>>())
}

/// The values that an input leaf takes.
pub fn values_of(domain: &Domain, leaf: &Leaf) -> Values {
    let index = domain.inputs.leaves.iter().position(|other| other.path == leaf.path);
    let bounds = index.and_then(|index| domain.space.bounds(index));
    match (leaf_sort(leaf.scalar), bounds) {
        (Sort::Float(format), Some((low, high, nan))) => {
            let numbers = FloatDomain::between(&Float::from_bits(format, low), &Float::from_bits(format, high));
            Values::Float(if nan { numbers.hull(&FloatDomain::only(&Float::nan(format))) } else { numbers })
        }
        (Sort::Float(format), None) => Values::Float(FloatDomain::top(format)),
        (Sort::Bool, _) => Values::Bool(BoolDomain::Any),
        // The encodings of a signed interval around zero are no interval.
        (_, Some((low, high, _))) if low <= high => Values::BitVec(BitVecDomain::between(width(leaf), low, high)),
        _ => Values::BitVec(BitVecDomain::top(width(leaf))),
    }
}

fn width(leaf: &Leaf) -> u32 {
    8 * leaf.scalar.size() as u32
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

/// Whether flang calls this for an intrinsic that it computes in place with `-O1` (tried with flang 22).
fn is_in_place_when_optimised(symbol: &str) -> bool {
    const INTRINSICS: [&str; 10] =
        ["Sum", "DotProduct", "Matmul", "Product", "Maxval", "Minval", "Maxloc", "Minloc", "Any", "Count"];
    symbol.strip_prefix("_FortranA").is_some_and(|name| INTRINSICS.iter().any(|of| name.starts_with(of)))
}

/// How many paths ended before the function returned, and why: remarks for the report. Whether inputs take them is not asked: where an index of a table
/// is not known, a path for those outside is among them even if there are none.
pub fn early_ends(exploration: &Exploration) -> impl Iterator<Item = String> {
    exploration.stops().into_iter().filter_map(|(why, count)| {
        let paths = if count == 1 { "path ends" } else { "paths end" };
        let is_early = !matches!(why, StopReason::Returned | StopReason::NothingOpen);
        let doubt = match &why {
            StopReason::Stopped(Stop::Memory(_)) => ", if any input takes it that far",
            StopReason::Stopped(Stop::UnknownFunction(name)) if is_in_place_when_optimised(name) => {
                "; with `-- -O1` flang computes it in place"
            }
            _ => "",
        };
        is_early.then(|| format!("{count} {paths} early: {why}{doubt}"))
    })
}
