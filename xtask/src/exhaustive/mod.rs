//! `cargo xtask agree --exhaustive`: every proof of `labrys exceptions` about functions of one float, against all 2^32 calls.
//!
//! A float has so few values that "no input raises it" can be looked at: each function of `xtask/exhaustive/functions.txt` (musl's and newlib's
//! float functions, small ones written for this) is compiled as labrys compiles it, called on every float, and the
//! flags are read after each call (`harness.c`). Of the inputs that raise something the instructions are found that do so, and their lines and
//! columns by LLVM's symboliser. labrys has no part in that. Then its verdicts are compared.
//!
//! A pair that is proved impossible is contradicted where an instruction of its line and column raised its exception, or where the function
//! raised it though each of the pairs with that exception is proved impossible: the command fails. An exception at a line and column without
//! a pair about it is shown, but contradicts nothing: of what code generation makes of a choice between floats, say, nothing is claimed.
//!
//! What it may miss: of functions with many inputs that raise something, only some are traced to instructions; a pair is only certain
//! then if no input raises its exception at all. Several pairs at one line and column (a macro) count as one. Signaling NaNs, on which
//! proofs say nothing, are called and not compared.

mod claims;
mod compare;
mod function;
mod harness;
mod place;
mod table;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::Result;

use claims::Claims;
use compare::Comparison;
use function::Function;
use harness::{Harness, Inputs};

/// Where shared objects and results are kept, in the folder of the workspace.
const FOLDER: &str = "target/exhaustive";

/// What and how.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    /// Only functions whose names, after renaming, contain it.
    pub only: Option<&'r str>,
    /// At most so many functions, the first of the list.
    pub first: Option<usize>,
    /// How many functions are looked at at a time.
    pub jobs: usize,
    /// Seconds that labrys gets for each.
    pub time: u32,
    /// Call only one float in a thousand: for a first look, which makes nothing certain.
    pub quick: bool,
}

/// Compares all functions and prints the table; false where anything contradicts.
pub fn run(root: &Path, request: &Request) -> Result<bool> {
    let root = root.canonicalize()?;
    let folder = root.join(FOLDER);
    let harness = Harness::build(&root, &folder, request.quick)?;
    let functions: Vec<Function> = function::all(&root)?
        .into_iter()
        .filter(|function| request.only.is_none_or(|part| function.name.contains(part)))
        .take(request.first.unwrap_or(usize::MAX))
        .collect();
    let results: Vec<Mutex<Option<Result<Comparison>>>> = functions.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((function, result)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            functions.get(index).zip(results.get(index))
        } {
            let comparison = examine(&root, &harness, function, request);
            eprintln!(
                "{}: {}",
                function.name,
                comparison.as_ref().map_or_else(ToString::to_string, Comparison::summary)
            );
            if let Ok(mut slot) = result.lock() {
                *slot = Some(comparison);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..request.jobs.max(1) {
            scope.spawn(work);
        }
    });
    let results = results.into_iter().filter_map(|slot| slot.into_inner().ok().flatten());
    Ok(table::print(&functions, results.collect()))
}

/// One function: what happens, what labrys says, and whether that agrees.
fn examine(root: &Path, harness: &Harness, function: &Function, request: &Request) -> Result<Comparison> {
    let library = function.build(&root.join(FOLDER).join("build"))?;
    let inputs = Inputs::all(function.range.as_deref())?;
    let truth = harness.run(&library, &function.name, &inputs)?;
    let places = place::locate(&library, &truth)?;
    let claims = Claims::ask(&crate::labrys(root), function, request.time)?;
    Ok(compare::compare(&truth, &places, &claims))
}
