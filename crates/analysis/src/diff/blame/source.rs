//! Builds of a file to be tried.

use std::path::Path;
use std::sync::Arc;

use labrys_program::Language;
use labrys_report::Cause;

use super::{Maker, Making, TrialBuild};
use crate::AnalysisError;
use crate::diff::builds;
use crate::diff::request::{Request, Subject};
use crate::run::clock::Clock;

/// Makes a request's file otherwise.
pub struct OfSource<'a> {
    request: &'a Request,
    language: Language,
    clock: &'a Clock,
}

impl<'a> OfSource<'a> {
    /// That of a request; `None` where its subject is no file that one compiler builds several ways.
    pub fn new(request: &'a Request, clock: &'a Clock) -> Option<OfSource<'a>> {
        let Subject::Source(source) = &request.subject else { return None };
        Some(OfSource { request, language: Language::of(source).ok()?, clock })
    }
}

impl Maker for OfSource<'_> {
    fn language(&self) -> Language {
        self.language
    }

    fn project_flags(&self) -> Vec<String> {
        builds::project_flags(self.request)
    }

    fn candidates(&self, _cause: Option<&Cause>) -> Vec<Vec<usize>> {
        vec![Vec::new()]
    }

    fn names(&self, _units: &[usize]) -> Vec<String> {
        Vec::new()
    }

    fn make(&self, making: &Making, folder: &Path) -> Result<TrialBuild, AnalysisError> {
        if let Some(places) = &making.strict_at {
            let build = builds::build_variant_strict_at(self.request, &making.text, places, folder, self.clock)?;
            return Ok(TrialBuild { build, address: None, words: String::new() });
        }
        let limited = making.limit.zip(self.request.run.of_crate.as_ref()).map(|(limit, of)| {
            let mut request = self.request.clone();
            request.run.of_crate = Some(Arc::new(of.limited(limit)));
            request
        });
        let request = limited.as_ref().unwrap_or(self.request);
        let (build, words) = builds::build_variant(request, &making.text, folder, self.clock)?;
        Ok(TrialBuild { build, address: None, words })
    }
}
