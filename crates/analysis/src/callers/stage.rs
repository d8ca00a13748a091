//! Asking callers, behind the analysis of all functions of a library: what was found in a function that only others of the library can call is
//! looked for in the public functions that call it.
//!
//! What is said of each finding:
//!
//! - *Reachable from*: the public function's own results show the same cause, on inputs of its own, observed as any finding is.
//! - *Not seen from*: with the proof that the function is not called with such arguments ([`super::passing`]), or why nothing is known.
//! - *Only if called directly*: on every chain of calls from outside such a proof stands ([`CallerProofs`]).
//!
//! Where nothing is found in such functions nobody is asked. Answers are kept as results of functions are.

use std::time::Duration;

use labrys_program::{FunctionId, LibraryFunction};
use labrys_report::{Details, Finding, NotSeen, Reach, Value, Verdict, input_values};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::passing::{Caller, Passed};
use super::proofs::CallerProofs;
use super::questions::{Found, Question, Wanted};
use super::routes::Callers;
use crate::AnalysisError;
use crate::library::extended;
use crate::library::functions::Functions;
use crate::library::schedule::{DEFAULT_FUNCTION_TIME, Task};
use crate::run::clock::Clock;
use crate::run::progress::Progress;
use crate::run::repeat::given;

/// Of the time that a run may take, the part for asking public functions what they let happen: one in so many.
pub const ASKING_PART: u32 = 10;
/// Less time than this is no use to a question: there are fewer of them then.
const SHORTEST_QUESTION: Duration = Duration::from_secs(3);
/// Of a question's time, the hundredths until which calls are looked for; the rest is for running inputs.
const PASSING_ENDS: u32 = 60;
/// Public functions listed for one finding.
const LISTED: usize = 12;

/// What a public function answers: of each finding, by its id.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Asked {
    said: Vec<(String, Said)>,
}

/// What is said of one finding.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Said {
    /// The same cause was observed on these inputs.
    Seen(Vec<Value>),
    /// It was not.
    NotSeen(Verdict),
}

/// An analysis whose findings are looked for in callers.
pub trait Asks: Sync {
    /// Whether a finding of another function, `seen`, shows what a finding does: the same cause, no less badly.
    fn shows(&self, finding: &Finding, seen: &Finding) -> bool;

    /// Asks a function, which [`answer`] does once it is ready to run.
    ///
    /// # Errors
    ///
    /// Why it cannot be asked.
    fn ask(
        &self,
        of: &LibraryFunction,
        question: &Question,
        clock: &Clock,
        progress: &dyn Progress,
    ) -> Result<Asked, String>;
}

/// What a caller says: inputs are looked for that lead to such calls, and `run` says what its analysis finds on them.
///
/// # Errors
///
/// Those of `run`.
pub fn answer(
    caller: &Caller<'_>,
    question: &Question,
    shows: &dyn Fn(&Finding, &Finding) -> bool,
    run: &dyn Fn(Vec<String>) -> Result<Vec<Finding>, String>,
) -> Result<Asked, String> {
    let calls_end = caller.clock.share(PASSING_ENDS);
    let passed: Vec<Passed> = question
        .wanted
        .iter()
        .enumerate()
        .map(|(place, wanted)| {
            let clock = calls_end.part_left(100 / (question.wanted.len() - place) as u32);
            Caller { clock: &clock, ..*caller }.passing(wanted.function, &wanted.arguments)
        })
        .collect();
    let layout = caller.signature.input_layout();
    let mut inputs: Vec<String> = Vec::new();
    for record in passed.iter().flat_map(|passed| &passed.inputs) {
        let text = given(&layout, record);
        inputs.extend((!inputs.contains(&text)).then_some(text));
    }
    let found = if inputs.is_empty() { Vec::new() } else { run(inputs)? };
    let said = |(wanted, passed): (&Wanted, Passed)| {
        let same = found.iter().find(|seen| shows(&wanted.finding, seen));
        let said = match (same, passed) {
            (Some(finding), _) => Said::Seen(finding.inputs.clone()),
            (None, Passed { never: Some(proof), .. }) => Said::NotSeen(proof),
            (None, Passed { inputs, why, .. }) => {
                Said::NotSeen(Verdict::Unknown { why: unknown(caller, &inputs, why) })
            }
        };
        (wanted.finding.id.clone(), said)
    };
    Ok(Asked { said: question.wanted.iter().zip(passed).map(said).collect() })
}

/// Why it is not known whether a caller shows a finding.
fn unknown(caller: &Caller<'_>, inputs: &[Vec<u8>], why: String) -> String {
    let Some(first) = inputs.first() else { return why };
    let values = input_values(caller.signature, first);
    let words = values
        .iter()
        .flat_map(Value::scalars)
        .take(4)
        .filter_map(|value| Some(format!("{} = {}", value.name.as_deref()?, value.decimal.as_deref()?)));
    let words = words.collect::<Vec<_>>().join(", ");
    format!("its own result does not show this cause, or less of it, where it passes such arguments, as with {words}")
}

/// The stage.
pub struct Stage<'a, A> {
    /// The analysis.
    pub asks: &'a A,
    /// The functions of the run.
    pub functions: &'a Functions<'a>,
    /// Under what their results are kept.
    pub tasks: &'a [Task],
    /// Until when to ask.
    pub clock: &'a Clock,
}

impl<A: Asks> Stage<'_, A> {
    /// Whether some function's findings may hang on its callers: otherwise no time need be kept back.
    pub fn may_ask(functions: &Functions<'_>) -> bool {
        let is_external = |of: &&LibraryFunction| is_external(functions, of.function);
        functions.chosen.iter().any(&is_external) && functions.chosen.iter().any(|of| !is_external(of))
    }

    /// Enters into all findings what is known of their functions' callers, the findings of each function of the run being given in order.
    ///
    /// # Errors
    ///
    /// Where answers cannot be kept.
    pub fn enter(&self, findings: &mut [&mut [Finding]]) -> Result<(), AnalysisError> {
        let library = self.functions.library;
        let callers = Callers::new(&library.program, &library.graph);
        let is_external = |id: FunctionId| is_external(self.functions, id);
        let shows = |finding: &Finding, seen: &Finding| self.asks.shows(finding, seen);
        let name = |id: FunctionId| {
            let of = library.build.functions.iter().find(|of| of.function == id).map(|of| &of.source_name);
            of.or(library.program.functions.get(id.index()).map(|of| &of.name)).cloned().unwrap_or_default()
        };
        let found = Found {
            callers: &callers,
            jobs: &self.functions.chosen,
            is_external: &is_external,
            shows: &shows,
            name: &name,
        };
        if (0..findings.len()).all(|job| findings[job].is_empty() || !found.hangs_on_callers(job)) {
            return Ok(());
        }
        let read_only: Vec<&[Finding]> = findings.iter().map(|of| &**of).collect();
        let routes = found.routes(&read_only);
        let mut questions = found.questions(&read_only, &routes);
        let answers = self.run(&mut questions)?;
        let proofs = CallerProofs::new(&library.program, &library.graph, &callers);
        let words = Words { found: &found, proofs: &proofs, answers: &by_finding(&questions, &answers) };
        let mut reached: Vec<Vec<Reach>> = Vec::new();
        for (job, of) in read_only.iter().enumerate() {
            let of_finding = |(place, finding): (usize, &Finding)| {
                words.reach(job, finding, routes.get(&(job, place)).map_or(&[], Vec::as_slice))
            };
            let hangs = found.hangs_on_callers(job);
            reached.push(if hangs { of.iter().enumerate().map(of_finding).collect() } else { Vec::new() });
        }
        for (of, reached) in findings.iter_mut().zip(reached) {
            for (finding, reach) in of.iter_mut().zip(reached) {
                match &mut finding.details {
                    Details::Difference(details) => details.callers = Some(Box::new(reach)),
                    Details::Accuracy(details) => details.callers = Some(Box::new(reach)),
                    Details::Exception(_) | Details::Violation(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Asks as many as there is time for, the others are taken out; their answers.
    fn run(&self, questions: &mut Vec<Question>) -> Result<Vec<Option<Asked>>, AnalysisError> {
        let schedule = self.functions.schedule;
        let workers = schedule.jobs.max(1) as f64;
        let longest = schedule.function_time.unwrap_or(DEFAULT_FUNCTION_TIME);
        let all = match self.clock.left() {
            Some(left) if schedule.shares_time() => left.mul_f64(0.95 * workers),
            _ => longest.mul_f64(self.functions.chosen.len() as f64 / f64::from(ASKING_PART)),
        };
        let (number, each) = share_of_each(all, longest, questions.len());
        questions.truncate(number);
        if questions.is_empty() {
            return Ok(Vec::new());
        }
        schedule.progress.phase("asking callers");
        let task = |question: &Question| {
            let Task { name, fingerprint } = &self.tasks[question.job];
            let name = format!("{name}, asked for others' findings");
            Task { name, fingerprint: extended(fingerprint, &question.words()) }
        };
        let tasks: Vec<Task> = questions.iter().map(task).collect();
        let order: Vec<usize> = (0..tasks.len()).collect();
        let work = |index: usize, clock: &Clock, progress: &dyn Progress| {
            let question = &questions[index];
            self.asks.ask(self.functions.chosen[question.job], question, clock, progress)
        };
        let failed = |index: usize, why: String| {
            let said =
                |wanted: &Wanted| (wanted.finding.id.clone(), Said::NotSeen(Verdict::Unknown { why: why.clone() }));
            Asked { said: questions[index].wanted.iter().map(said).collect() }
        };
        schedule.run(&tasks, &order, (self.clock, &|_, _| each), &work, &failed)
    }
}

/// Whether others than those of the library can call a function.
fn is_external(functions: &Functions<'_>, id: FunctionId) -> bool {
    functions.library.program.functions.get(id.index()).is_none_or(|function| function.is_external)
}

/// What was answered, by the job that was asked and the finding.
type Answers<'a> = FxHashMap<(usize, &'a str), &'a Said>;

fn by_finding<'a>(questions: &[Question], answers: &'a [Option<Asked>]) -> Answers<'a> {
    let of = |(question, answer): (&Question, &'a Option<Asked>)| {
        let job = question.job;
        answer.iter().flat_map(move |asked| asked.said.iter().map(move |(id, said)| ((job, id.as_str()), said)))
    };
    questions.iter().zip(answers).flat_map(|(question, answer)| of((question, answer)).collect::<Vec<_>>()).collect()
}

/// What is known of findings' callers.
struct Words<'a> {
    found: &'a Found<'a>,
    proofs: &'a CallerProofs<'a>,
    answers: &'a Answers<'a>,
}

impl Words<'_> {
    fn reach(&self, job: usize, finding: &Finding, known: &[labrys_report::Route]) -> Reach {
        let job_of = |id: FunctionId| self.found.jobs.iter().position(|of| of.function == id);
        let said = |entry: usize| self.answers.get(&(entry, finding.id.as_str())).copied();
        let mut reach = Reach { reachable_from: known.to_vec(), ..Reach::default() };
        for chain in self.found.direct(job) {
            let Some(entry) = chain.first().copied() else { continue };
            let is_known = known.iter().any(|route| route.entry == (self.found.name)(entry));
            if is_known {
                continue;
            }
            let verdict = match job_of(entry).map(|entry| (entry, said(entry))) {
                Some((entry, Some(Said::Seen(inputs)))) => {
                    reach.reachable_from.extend(self.found.route(entry, job, inputs));
                    continue;
                }
                Some((_, Some(Said::NotSeen(verdict)))) => verdict.clone(),
                Some((entry, None)) => Verdict::Unknown {
                    why: match &self.found.jobs[entry].signature {
                        Err(why) => format!("it was not asked: {why}"),
                        Ok(_) => "it was not looked for from there".to_owned(),
                    },
                },
                None => Verdict::Unknown { why: "it is none of the functions of this run".to_owned() },
            };
            reach.not_seen_from.push(NotSeen {
                entry: (self.found.name)(entry),
                chain: self.found.names(&chain),
                verdict,
            });
        }
        if reach.reachable_from.is_empty() {
            let verdict_of = |id: FunctionId| match job_of(id).and_then(said) {
                Some(Said::NotSeen(verdict)) => Some(verdict),
                _ => None,
            };
            reach.only_direct = self.proofs.verdict(&[self.found.jobs[job].function], &verdict_of);
        }
        reach.reachable_from.truncate(LISTED);
        reach.not_seen_from.truncate(LISTED);
        reach
    }
}

/// How many of so many questions share a time, and how long each takes at most.
pub fn share_of_each(all: Duration, longest: Duration, questions: usize) -> (usize, Duration) {
    let shortest = SHORTEST_QUESTION.min(longest);
    let each = all.div_f64(questions.max(1) as f64).clamp(shortest, longest);
    let number = (all.as_secs_f64() / each.as_secs_f64().max(1e-9)).round() as usize;
    (number.clamp(1, questions.max(1)).min(questions), each)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_share_their_time_and_are_fewer_where_there_is_little() {
        let share = |all: u64, longest: u64, questions: usize| {
            let (number, each) = share_of_each(Duration::from_secs(all), Duration::from_secs(longest), questions);
            (number, each.as_secs())
        };
        assert_eq!(share(100, 15, 0), (0, 15));
        assert_eq!(share(100, 15, 20), (20, 5));
        assert_eq!(share(100, 15, 2), (2, 15));
        assert_eq!(share(30, 15, 200), (10, 3));
        assert_eq!(share(30, 2, 200), (15, 2));
        // One is always asked.
        assert_eq!(share(1, 15, 200), (1, 3));
    }
}
