//! Which public functions are asked for which findings of functions that only others of the library can call.
//!
//! A finding of a static function raises the question whether a public one lets it happen. Where the analysis of a public function that calls it has
//! shown the same cause, that is known. Else those with the shortest chains of calls are asked, and none that come to it through another public
//! function: what that one rules out nobody reaches through it.

use labrys_program::{FunctionId, LibraryFunction};
use labrys_report::{Finding, Route};
use rustc_hash::FxHashMap;

use super::arguments::{Argument, arguments};
use super::routes::Callers;

/// Public functions that are asked for one finding.
const ENTRIES: usize = 3;
/// Chains of calls that are looked at to find them.
pub const CHAINS: usize = 64;

/// A finding of a called function, and the call that shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// The called function.
    pub function: FunctionId,
    /// Its name in the source.
    pub name: String,
    /// Its arguments, as far as they are numbers passed by value.
    pub arguments: Vec<Argument>,
    /// All of the finding.
    pub finding: Finding,
}

/// A public function and what it is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Its place among the functions of the run.
    pub job: usize,
    /// The findings.
    pub wanted: Vec<Wanted>,
}

impl Question {
    /// All of it in words that the rest of the library does not change: under which its answer is kept.
    pub fn words(&self) -> String {
        let of = |wanted: &Wanted| format!("{:?}", (&wanted.finding.id, &wanted.name, &wanted.arguments));
        self.wanted.iter().map(of).collect::<Vec<_>>().join(" ")
    }
}

/// The functions of a run, and what was found in each.
pub struct Found<'a> {
    /// Who calls whom.
    pub callers: &'a Callers,
    /// The functions.
    pub jobs: &'a [&'a LibraryFunction],
    /// Whether others than those of the library can call a function.
    pub is_external: &'a dyn Fn(FunctionId) -> bool,
    /// Whether the second finding, of another function, shows what the first one does.
    pub shows: &'a dyn Fn(&Finding, &Finding) -> bool,
    /// A function's name in the source.
    pub name: &'a dyn Fn(FunctionId) -> String,
}

impl Found<'_> {
    /// Whether a function's findings hang on its callers.
    pub fn hangs_on_callers(&self, job: usize) -> bool {
        !(self.is_external)(self.jobs[job].function)
    }

    /// The public functions in whose own analyses the cause of each finding shows, `findings` being those of each job.
    pub fn routes<'f>(&self, findings: &[&'f [Finding]]) -> FxHashMap<(usize, usize), Vec<Route>> {
        let of_others = |(job, found): (usize, &&'f [Finding])| found.iter().map(move |finding| (job, finding));
        let is_other = |(job, _): &(usize, &&[Finding])| !self.hangs_on_callers(*job);
        let others: Vec<(usize, &Finding)> = findings.iter().enumerate().filter(is_other).flat_map(of_others).collect();
        let mut routes = FxHashMap::default();
        for (job, found) in findings.iter().enumerate().filter(|(job, _)| self.hangs_on_callers(*job)) {
            for (place, finding) in found.iter().enumerate() {
                let by = others.iter().filter(|(_, other)| (self.shows)(finding, other));
                let of: Vec<Route> = by.filter_map(|(entry, shown)| self.route(*entry, job, &shown.inputs)).collect();
                if !of.is_empty() {
                    routes.insert((job, place), of);
                }
            }
        }
        routes
    }

    /// The route from a public function to another, on these inputs; `None` where no chain of calls leads there.
    pub fn route(&self, entry: usize, job: usize, inputs: &[labrys_report::Value]) -> Option<Route> {
        let from = self.jobs[entry].function;
        let chain = self.callers.routes(self.jobs[job].function, &|id| id == from, 1).into_iter().next()?;
        Some(Route { entry: (self.name)(from), chain: self.names(&chain), inputs: inputs.to_vec() })
    }

    /// Chains of calls to a function from those that others can call, and through none of these.
    pub fn direct(&self, job: usize) -> Vec<Vec<FunctionId>> {
        let chains = self.callers.routes(self.jobs[job].function, self.is_external, CHAINS);
        let is_direct = |chain: &Vec<FunctionId>| !chain.iter().skip(1).any(|id| (self.is_external)(*id));
        chains.into_iter().filter(is_direct).collect()
    }

    /// The names of a chain's functions.
    pub fn names(&self, chain: &[FunctionId]) -> Vec<String> {
        chain.iter().map(|id| (self.name)(*id)).collect()
    }

    /// What is to be asked of the findings that no public function is known to show. Those come first that may settle most.
    pub fn questions(&self, findings: &[&[Finding]], known: &FxHashMap<(usize, usize), Vec<Route>>) -> Vec<Question> {
        let by_function: FxHashMap<FunctionId, usize> =
            self.jobs.iter().enumerate().map(|(job, of)| (of.function, job)).collect();
        let mut asked: FxHashMap<usize, Question> = FxHashMap::default();
        for (job, found) in findings.iter().enumerate().filter(|(job, _)| self.hangs_on_callers(*job)) {
            let of = self.jobs[job];
            let open: Vec<&Finding> = found
                .iter()
                .enumerate()
                .filter(|(place, _)| !known.contains_key(&(job, *place)))
                .map(|(_, of)| of)
                .collect();
            if open.is_empty() {
                continue;
            }
            let is_driven = |entry: &usize| self.jobs[*entry].signature.is_ok() && self.jobs[*entry].binding.is_some();
            let chains = self.direct(job);
            let entries = chains.iter().filter_map(|chain| by_function.get(chain.first()?).copied());
            for entry in entries.filter(is_driven).take(ENTRIES) {
                let wanted = open.iter().map(|finding| Wanted {
                    function: of.function,
                    name: of.source_name.clone(),
                    arguments: arguments(of, &finding.inputs).unwrap_or_default(),
                    finding: (*finding).clone(),
                });
                asked.entry(entry).or_insert_with(|| Question { job: entry, wanted: Vec::new() }).wanted.extend(wanted);
            }
        }
        let mut questions: Vec<Question> = asked.into_values().collect();
        questions.sort_by_key(|question| (std::cmp::Reverse(question.wanted.len()), question.job));
        questions
    }
}
