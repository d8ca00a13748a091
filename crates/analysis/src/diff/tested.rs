//! What tests of findings call: the builds, and how the function is called.

use std::collections::BTreeMap;
use std::path::Path;

use labrys_program::{Build, LibraryScript, Signature};

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
    /// How libraries were built, by the builds' roles; empty for those of a file.
    pub scripts: BTreeMap<String, LibraryScript>,
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
    let (prepared, scripts) = match &request.subject {
        Subject::Project { database, entries } => {
            let (versions, prepared) = library::prepared_for(request, (database, entries), folder, function, clock)?;
            (prepared, versions.scripts()?)
        }
        _ => (builds::prepare_drivable(request, folder, clock)?.1, BTreeMap::new()),
    };
    Ok(TestedBuilds {
        signature: prepared.signature,
        is_local: prepared.is_local,
        init: prepared.init,
        builds: prepared.builds.into_iter().map(|made| made.build).collect(),
        scripts,
    })
}
