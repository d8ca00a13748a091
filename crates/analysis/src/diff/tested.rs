//! What tests of findings call: the builds, and how the function is called.

use std::path::Path;

use labrys_program::{Build, Signature};

use super::builds;
use super::library;
use super::request::{Request, Subject};
use crate::AnalysisError;
use crate::run::clock::Clock;

/// A function's builds.
pub struct TestedBuilds {
    /// How it is called.
    pub signature: Signature,
    /// Whether others do not see it.
    pub is_local: bool,
    /// What is called once before it.
    pub init: Option<String>,
    /// All builds.
    pub builds: Vec<Build>,
}

/// Builds everything again; of a library for one `function`.
///
/// # Errors
///
/// As a comparison.
pub fn tested(
    request: &Request,
    folder: &Path,
    function: Option<&str>,
    clock: &Clock,
) -> Result<TestedBuilds, AnalysisError> {
    let prepared = match &request.subject {
        Subject::Project { database, entries } => {
            library::prepared_for(request, (database, entries), folder, function, clock)?
        }
        _ => builds::prepare_drivable(request, folder, clock)?.1,
    };
    Ok(TestedBuilds {
        signature: prepared.signature,
        is_local: prepared.is_local,
        init: prepared.init,
        builds: prepared.builds.into_iter().map(|made| made.build).collect(),
    })
}
