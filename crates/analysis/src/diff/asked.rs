//! What a library's function shows of causes that were found in functions which it calls: for the callers' words on them.

use std::path::Path;

use labrys_program::LibraryFunction;
use labrys_report::Finding;

use super::function::compare_builds;
use super::library::Versions;
use super::request::Request;
use super::shared;
use crate::callers::{Asked, Asks, Caller, Question, answer};
use crate::inputs::domain::Domain;
use crate::run::clock::Clock;
use crate::run::options::RunOptions;
use crate::run::progress::Progress;

/// The functions of a library, ready to be asked.
pub struct Askable<'a> {
    /// What was asked for.
    pub request: &'a Request,
    /// The builds.
    pub versions: &'a Versions,
    /// Where drivers lie.
    pub folder: &'a Path,
}

impl Asks for Askable<'_> {
    /// The id of a finding that stands for a cause at a known place does not hang on the function that shows it.
    fn shows(&self, finding: &Finding, seen: &Finding) -> bool {
        shared::has_place(finding) && finding.id == seen.id
    }

    fn ask(
        &self,
        of: &LibraryFunction,
        question: &Question,
        clock: &Clock,
        progress: &dyn Progress,
    ) -> Result<Asked, String> {
        let Askable { request, versions, folder } = *self;
        let prepared = versions.prepared(of, folder)?;
        let analysed = prepared.builds.first().and_then(|made| made.analysed.as_deref());
        let analysed = analysed.ok_or("its parameters in the IR are not understood")?;
        let domain = Domain::new(&request.run.domain(), &prepared.signature).map_err(|error| error.to_string())?;
        let caller = Caller {
            run: &request.run,
            analysed,
            signature: &prepared.signature,
            init: prepared.init.as_deref(),
            domain: &domain,
            clock,
            progress,
        };
        let run = |given: Vec<String>| {
            let run = RunOptions { given, ..request.run.clone() };
            let request = Request { run, blames: false, compare_random: false, ..request.clone() };
            let compared = compare_builds(&request, &prepared, clock, progress).map_err(|error| error.to_string())?;
            let mut findings = compared.findings;
            shared::assign_ids(&of.name, &mut findings);
            Ok(findings)
        };
        answer(&caller, question, &|finding, seen| self.shows(finding, seen), &run)
    }
}
