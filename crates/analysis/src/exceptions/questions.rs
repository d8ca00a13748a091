//! Which public functions are asked for which findings of other functions.
//!
//! A finding of a function that a public one calls raises the question whether the public one lets it happen, with its own checks on
//! the way. The public function's own analysis may have seen it, or proved that it does not; where it did neither, the
//! function is asked: an analysis of it for these pairs alone ([`super::caller_goal`]).
//!
//! Asked are for each pair the public functions with the shortest chains of calls, and none that come to the site through another
//! public function: what that one rules out nobody reaches through it. What no public function is known to reach is what an analysis is for;
//! what one reaches already, and findings of functions that are public themselves, are noticed on the way, or sought where
//! there is nothing else. There may be more questions than time: those that may settle most come first.

use labrys_program::{CallGraph, FunctionId, LibraryFunction};
use labrys_report::{Finding, Verdict, input_record};
use rustc_hash::{FxHashMap, FxHashSet};

use super::caller_goal::CallerGoal;
use super::function::FunctionResult;
use super::pairs::PairKey;
use crate::callers::Callers;
use crate::run::record::from_here;

/// Public functions that are asked for one pair, or are known to reach it.
const ENTRIES: usize = 3;
/// Chains of calls that are looked at to find them.
const ROUTES: usize = 64;
/// Inputs of a public function's own findings from which its search sets out.
const KNOWN_INPUTS: usize = 128;

/// A public function and what it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its place among the functions of the run.
    pub job: usize,
    /// What is looked for.
    pub sought: Vec<PairKey>,
    /// What is entered if it is seen.
    pub noticed: Vec<PairKey>,
    /// Where to look.
    pub goal: CallerGoal,
}

/// What all analyses of a run say of findings, by pair.
struct Found<'r> {
    /// For each pair the jobs that observed it.
    by: FxHashMap<PairKey, Vec<(usize, &'r Finding)>>,
}

/// What is to be asked after a run: `jobs` are its functions, `results` theirs in the same order. Those come first that may settle most.
pub fn questions(
    graph: &CallGraph,
    callers: &Callers,
    jobs: &[&LibraryFunction],
    results: &[FunctionResult],
) -> Vec<Question> {
    let found = Found::in_results(results);
    let mut owners: FxHashMap<(&str, String), Vec<usize>> = FxHashMap::default();
    for (index, (of, result)) in jobs.iter().zip(results).enumerate() {
        if result.summary.failure.is_none() {
            owners.entry((&of.source_name, from_here(of.file.clone()))).or_default().push(index);
        }
    }
    let mut open: Vec<(PairKey, usize, Vec<usize>)> = Vec::new();
    let mut place: FxHashMap<PairKey, usize> = FxHashMap::default();
    for (job, result) in
        results.iter().enumerate().filter(|(job, _)| jobs[*job].is_public && jobs[*job].binding.is_some())
    {
        for record in &result.sites {
            let pair = (record.site.clone(), record.exception);
            let file = record.site.place.file.clone().unwrap_or_default();
            let Some(owner) = owners.get(&(record.site.function.as_str(), file)) else { continue };
            let is_open = matches!(record.verdict, Verdict::Unknown { .. } | Verdict::UnreachableWithinBound { .. });
            if !is_open || owner.contains(&job) || !found.by.contains_key(&pair) {
                continue;
            }
            let index = *place.entry(pair.clone()).or_insert_with(|| {
                open.push((pair, owner[0], Vec::new()));
                open.len() - 1
            });
            open[index].2.push(job);
        }
    }
    let by_function: FxHashMap<FunctionId, usize> =
        jobs.iter().enumerate().map(|(job, of)| (of.function, job)).collect();
    let is_public = |id: FunctionId| by_function.get(&id).is_some_and(|job| jobs[*job].is_public);
    let mut nearest: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    let mut asked: FxHashMap<usize, Question> = FxHashMap::default();
    for (pair, owner, candidates) in open {
        let near = nearest.entry(owner).or_insert_with(|| {
            let routes = callers.routes(jobs[owner].function, &is_public, ROUTES);
            let direct = routes.iter().filter(|chain| !inner(chain).iter().any(|id| is_public(*id)));
            direct.filter_map(|chain| by_function.get(chain.first()?).copied()).collect()
        });
        let seen = found.by[&pair].iter().filter(|(job, _)| jobs[*job].is_public).count();
        let is_settled = seen > 0;
        for &job in near.iter().filter(|job| candidates.contains(job)).take(ENTRIES.saturating_sub(seen)) {
            let question = asked.entry(job).or_insert_with(|| Question::new(job));
            if is_settled { &mut question.noticed } else { &mut question.sought }.push(pair.clone());
        }
    }
    let mut questions: Vec<Question> = asked.into_values().collect();
    questions.sort_by_key(|question| (std::cmp::Reverse(question.sought.len()), question.job));
    for question in &mut questions {
        question.prepare(graph, jobs, results, &found);
    }
    questions
}

/// A chain of calls without its ends.
fn inner(chain: &[FunctionId]) -> &[FunctionId] {
    chain.get(1..chain.len().saturating_sub(1)).unwrap_or_default()
}

impl<'r> Found<'r> {
    fn in_results(results: &'r [FunctionResult]) -> Found<'r> {
        let mut by: FxHashMap<PairKey, Vec<(usize, &Finding)>> = FxHashMap::default();
        for (job, result) in results.iter().enumerate() {
            for finding in &result.findings {
                if let Some(details) = finding.exception() {
                    by.entry((details.site.clone(), details.exception)).or_default().push((job, finding));
                }
            }
        }
        Found { by }
    }
}

impl Question {
    fn new(job: usize) -> Question {
        Question { job, sought: Vec::new(), noticed: Vec::new(), goal: CallerGoal::default() }
    }

    /// All of it in words that the rest of the library does not change: under which its answer is kept.
    pub fn words(&self) -> String {
        // The sites name the called functions.
        let calls: Vec<_> = self.goal.calls.iter().map(|call| (&call.arguments, &call.pairs)).collect();
        format!("{:?}", (&self.sought, &self.noticed, &self.goal.known, calls))
    }

    /// Adds where to look.
    fn prepare(&mut self, graph: &CallGraph, jobs: &[&LibraryFunction], results: &[FunctionResult], found: &Found<'_>) {
        if self.sought.is_empty() {
            std::mem::swap(&mut self.sought, &mut self.noticed);
        }
        let of = jobs[self.job];
        let reached: FxHashSet<FunctionId> = graph.reachable(of.function).into_iter().collect();
        for pair in &self.sought {
            for (job, finding) in &found.by[pair] {
                // What was observed in the analysis of the site's own function, on arguments of its own.
                let owner = jobs[*job];
                if owner.source_name == pair.0.function && reached.contains(&owner.function) {
                    self.goal.add_call(owner, &finding.inputs, pair);
                }
            }
        }
        let Ok(signature) = &of.signature else { return };
        let layout = signature.input_layout();
        for finding in &results[self.job].findings {
            if self.goal.known.len() >= KNOWN_INPUTS {
                break;
            }
            if let Ok(record) = input_record(&layout, &finding.inputs)
                && !self.goal.known.contains(&record)
            {
                self.goal.known.push(record);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{Sample, Says, pair};
    use super::*;

    const LIBRARY: &str = "
        define internal double @leaf(double %x) { %r = fdiv double 1.0, %x ret double %r }
        define internal double @middle(double %x) { %r = call double @leaf(double %x) ret double %r }
        define double @near(double %x) { %r = call double @leaf(double %x) ret double %r }
        define double @far(double %x) { %r = call double @middle(double %x) ret double %r }
        define double @farther(double %x) { %r = call double @far(double %x) ret double %r }";

    /// Who is asked for what: (function, sought, noticed).
    fn asked(says: &[(&str, Says)]) -> Vec<(String, Vec<String>, Vec<String>)> {
        let sample = Sample::new(LIBRARY);
        let jobs: Vec<&LibraryFunction> = sample.functions.iter().collect();
        let mut results = vec![sample.result("leaf", &[("leaf", Says::Seen(0.0))])];
        results.push(sample.result("middle", &[("leaf", Says::Nothing)]));
        results.extend(says.iter().map(|(name, says)| sample.result(name, &[("leaf", *says)])));
        let names = |pairs: &[PairKey]| pairs.iter().map(|(site, _)| site.function.clone()).collect();
        questions(&sample.graph, &sample.callers, &jobs, &results)
            .iter()
            .map(|of| (jobs[of.job].name.clone(), names(&of.sought), names(&of.noticed)))
            .collect()
    }

    #[test]
    fn public_callers_that_know_nothing_are_asked() {
        let all = asked(&[("near", Says::Nothing), ("far", Says::Nothing), ("farther", Says::Nothing)]);
        let names: Vec<&str> = all.iter().map(|(name, ..)| name.as_str()).collect();
        // What is farther comes through `far`.
        assert_eq!(names, ["near", "far"]);
        assert!(all.iter().all(|(_, sought, noticed)| sought == &["leaf"] && noticed.is_empty()), "{all:?}");
        let all = asked(&[("near", Says::Proved), ("far", Says::Nothing), ("farther", Says::Proved)]);
        assert_eq!(all.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>(), ["far"]);
        assert!(asked(&[("near", Says::Proved), ("far", Says::Seen(1.0)), ("farther", Says::Nothing)]).is_empty());
    }

    #[test]
    fn a_question_says_where_to_look() {
        let sample = Sample::new(LIBRARY);
        let jobs: Vec<&LibraryFunction> = sample.functions.iter().collect();
        let results = [
            sample.result("leaf", &[("leaf", Says::Seen(3.5))]),
            sample.result("middle", &[]),
            sample.result("near", &[("leaf", Says::Nothing), ("near", Says::Seen(-2.0))]),
            sample.result("far", &[]),
            sample.result("farther", &[]),
        ];
        let questions = questions(&sample.graph, &sample.callers, &jobs, &results);
        let [question] = &questions[..] else { panic!("{questions:?}") };
        let [call] = &question.goal.calls[..] else { panic!("{question:?}") };
        assert_eq!((call.function, &call.pairs[..]), (sample.id("leaf"), &[pair("leaf")][..]));
        let passed: Vec<(usize, u128)> = call.arguments.iter().map(|of| (of.parameter, of.bits)).collect();
        assert_eq!(passed, [(0, 3.5f64.to_bits().into())]);
        let known: Vec<&[u8]> = question.goal.known.iter().map(|record| &record[..8]).collect();
        assert_eq!(known, [(-2.0f64).to_le_bytes()]);
    }
}
