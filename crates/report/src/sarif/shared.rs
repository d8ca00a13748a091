//! What results of a library have in common, once for the run: steps of code flows, functions, and the files that these name.
//!
//! Where such an object would stand is one with its `index` alone (SARIF 2.1.0, sections 3.38.2, 3.33.3 and 3.4.5). The places of results themselves
//! keep their files' names, by which GitHub's code scanning shows them.

use indexmap::IndexMap;
use serde::Serialize;
use serde_sarif::sarif::{
    Artifact, ArtifactLocation, Location, LogicalLocation, Result as SarifResult, Run, ThreadFlowLocation,
};

use crate::ReportError;

/// Distinct objects, by their JSON, in the order in which they are met.
struct Table<T>(IndexMap<String, T>);

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table(IndexMap::new())
    }
}

impl<T: Clone + Serialize> Table<T> {
    fn index(&mut self, of: &T) -> Result<i64, ReportError> {
        let text = serde_json::to_string(of).map_err(ReportError::Serialise)?;
        let entry = self.0.entry(text);
        let index = entry.index();
        entry.or_insert_with(|| of.clone());
        Ok(i64::try_from(index).unwrap_or(i64::MAX))
    }

    fn all(self) -> Option<Vec<T>> {
        (!self.0.is_empty()).then(|| self.0.into_values().collect())
    }
}

/// What a run's results refer to.
#[derive(Default)]
pub(super) struct Shared {
    steps: Table<ThreadFlowLocation>,
    functions: Table<LogicalLocation>,
    files: Table<ArtifactLocation>,
}

impl Shared {
    /// Has a result refer to what it has in common with others.
    pub(super) fn refer(&mut self, result: &mut SarifResult) -> Result<(), ReportError> {
        for location in result.locations.iter_mut().flatten() {
            self.functions_of(location)?;
        }
        let flows = result.code_flows.iter_mut().flatten().flat_map(|flow| &mut flow.thread_flows);
        for step in flows.flat_map(|flow| &mut flow.locations) {
            if let Some(location) = &mut step.location {
                self.functions_of(location)?;
                self.file_of(location)?;
            }
            *step = ThreadFlowLocation::builder().index(self.steps.index(step)?).build();
        }
        Ok(())
    }

    fn functions_of(&mut self, location: &mut Location) -> Result<(), ReportError> {
        for function in location.logical_locations.iter_mut().flatten() {
            *function = LogicalLocation::builder().index(self.functions.index(function)?).build();
        }
        Ok(())
    }

    fn file_of(&mut self, location: &mut Location) -> Result<(), ReportError> {
        let file = location.physical_location.as_mut().and_then(|place| place.artifact_location.as_mut());
        if let Some(file) = file {
            *file = ArtifactLocation::builder().index(self.files.index(file)?).build();
        }
        Ok(())
    }

    /// Gives the run what its results refer to.
    pub(super) fn enter(self, run: &mut Run) {
        run.thread_flow_locations = self.steps.all();
        run.logical_locations = self.functions.all();
        let artifact = |location: ArtifactLocation| Artifact::builder().location(location).build();
        run.artifacts = self.files.all().map(|files| files.into_iter().map(artifact).collect());
    }
}
