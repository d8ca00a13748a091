//! From where a finding can happen: what is said of the public functions that lead to its site.
//!
//! - *Reachable from*: the exception was observed at the site while the public function ran, on inputs of its own.
//! - *Only if called directly*: every chain of calls from outside passes a function whose analysis proved that the pair does not
//!   occur (`caller_proofs` has the argument). Observations are of direct calls of a static function.
//! - *Not seen from*: neither; with the proof or the reason for each public function on a chain of calls, but for those that come to
//!   the site through another one.

use labrys_program::{FunctionId, LibraryFunction, Program};
use labrys_report::{Finding, NotSeen, Route, Verdict};
use rustc_hash::FxHashMap;

use super::function::FunctionResult;
use super::pairs::ELSEWHERE;
use crate::callers::CallerProofs;
use crate::callers::Callers;

/// Routes listed for one finding.
const ROUTES: usize = 12;
/// Chains of calls that are looked at to find those to list.
const CHAINS: usize = 64;

/// Who calls whom in a library, and what is known of each function.
pub struct Library<'a> {
    program: &'a Program,
    callers: &'a Callers,
    caller_proofs: &'a CallerProofs<'a>,
    by_id: FxHashMap<FunctionId, &'a LibraryFunction>,
    /// Why functions of the run have no verdicts.
    silent: FxHashMap<FunctionId, String>,
}

/// One function's word on a pair.
pub type Word<'r> = (FunctionId, &'r FunctionResult, &'r Finding);

/// What is known of a finding's callers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reach {
    /// Where it was observed.
    pub reachable_from: Vec<Route>,
    /// Where it was not, for a static function.
    pub not_seen_from: Vec<NotSeen>,
    /// The proof that no function which others can call leads to it.
    pub only_direct: Option<Verdict>,
}

impl<'a> Library<'a> {
    /// A library's functions, and the results of a run over some of them.
    pub fn new(
        program: &'a Program,
        callers: &'a Callers,
        caller_proofs: &'a CallerProofs<'a>,
        functions: &'a [LibraryFunction],
        results: &[FunctionResult],
    ) -> Library<'a> {
        let by_id = functions.iter().map(|function| (function.function, function)).collect();
        let ids: FxHashMap<&str, FunctionId> =
            functions.iter().map(|function| (function.name.as_str(), function.function)).collect();
        let silent = results.iter().filter_map(|result| {
            let why = match &result.summary.failure {
                Some(why) => format!("it was not analysed: {why}"),
                None => "its analysis does not list the site".to_owned(),
            };
            Some((*ids.get(result.summary.function.as_str())?, why))
        });
        Library { program, callers, caller_proofs, by_id, silent: silent.collect() }
    }

    /// What is known of a pair whose site stands in `owners`: `seen` are the analyses that observed it, `verdict_of` is what a
    /// function's analysis said.
    pub fn reach<'v>(
        &self,
        owners: &[FunctionId],
        seen: &[Word<'_>],
        verdict_of: &dyn Fn(FunctionId) -> Option<&'v Verdict>,
    ) -> Reach {
        let mut reach = Reach { reachable_from: self.routes(owners, seen), ..Reach::default() };
        let is_static = !owners.is_empty() && !owners.iter().any(|id| self.is_external(*id));
        if !is_static {
            return reach;
        }
        if reach.reachable_from.is_empty() {
            reach.only_direct = self.caller_proofs.verdict(owners, verdict_of);
        }
        let mut listed: Vec<FunctionId> = Vec::new();
        for owner in owners {
            for chain in self.callers.routes(*owner, &|id| self.is_external(id), CHAINS) {
                if chain.iter().skip(1).any(|id| self.is_external(*id)) {
                    continue;
                }
                let Some(&entry) = chain.first().filter(|entry| !listed.contains(entry)) else { continue };
                listed.push(entry);
                let verdict = match verdict_of(entry) {
                    Some(Verdict::Reachable { .. }) => continue,
                    Some(Verdict::Unknown { why }) if why == ELSEWHERE => unknown("it was not looked for from there"),
                    Some(verdict) => verdict.clone(),
                    None => match self.silent.get(&entry) {
                        Some(why) => unknown(why),
                        None => unknown("it is none of the functions of this run"),
                    },
                };
                let chain: Vec<String> = chain.into_iter().map(|id| self.name(id)).collect();
                reach.not_seen_from.push(NotSeen { entry: self.name(entry), chain, verdict });
            }
        }
        reach.not_seen_from.truncate(ROUTES);
        reach
    }

    /// The public functions from which it was observed, with chains of calls.
    fn routes(&self, owners: &[FunctionId], seen: &[Word<'_>]) -> Vec<Route> {
        let mut routes = Vec::new();
        for (entry, result, finding) in seen {
            if !result.summary.is_public || routes.len() >= ROUTES {
                continue;
            }
            let chain_to = |to: &FunctionId| self.callers.routes(*to, &|id| id == *entry, 1).into_iter().next();
            let name = self.name(*entry);
            let chain = match owners.iter().find_map(chain_to) {
                Some(chain) => chain.into_iter().map(|id| self.name(id)).collect(),
                None => {
                    let site = finding.exception().map(|details| details.site.function.clone());
                    // A crate's function is called by its path, and is in debug information by its name.
                    let site = site.filter(|site| name.strip_suffix(site).is_none_or(|path| !path.ends_with("::")));
                    std::iter::once(name.clone()).chain(site).collect()
                }
            };
            routes.push(Route { entry: result.summary.function.clone(), chain, inputs: finding.inputs.clone() });
        }
        routes
    }

    /// Whether others can call a function.
    fn is_external(&self, id: FunctionId) -> bool {
        self.program.functions.get(id.index()).is_none_or(|function| function.is_external)
    }

    fn name(&self, id: FunctionId) -> String {
        match (self.by_id.get(&id), self.program.functions.get(id.index())) {
            (Some(function), _) => function.source_name.clone(),
            (None, Some(function)) => function.name.clone(),
            (None, None) => String::new(),
        }
    }
}

fn unknown(why: &str) -> Verdict {
    Verdict::Unknown { why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{Sample, Says, pair};
    use super::*;

    const LIBRARY: &str = "
        define internal double @leaf(double %x) { %r = fdiv double 1.0, %x ret double %r }
        define internal double @middle(double %x) { %r = call double @leaf(double %x) ret double %r }
        define double @near(double %x) { %r = call double @leaf(double %x) ret double %r }
        define double @far(double %x) { %r = call double @middle(double %x) ret double %r }";

    fn reach(of: &str, says: &[(&str, Says)]) -> Reach {
        let sample = Sample::new(LIBRARY);
        let results: Vec<FunctionResult> =
            says.iter().map(|(name, says)| sample.result(name, &[(of, *says)])).collect();
        let caller_proofs = CallerProofs::new(&sample.program, &sample.graph, &sample.callers);
        let library = Library::new(&sample.program, &sample.callers, &caller_proofs, &sample.functions, &results);
        let verdict_of = |id: FunctionId| {
            let result = results.iter().find(|result| sample.id(&result.summary.function) == id)?;
            result.sites.first().map(|record| &record.verdict)
        };
        let seen: Vec<Word<'_>> = results
            .iter()
            .filter_map(|result| Some((sample.id(&result.summary.function), result, result.findings.first()?)))
            .collect();
        library.reach(&[sample.id(&pair(of).0.function)], &seen, &verdict_of)
    }

    fn not_seen(reach: &Reach) -> Vec<(String, &'static str)> {
        reach.not_seen_from.iter().map(|of| (of.chain.join(" "), of.verdict.name())).collect()
    }

    #[test]
    fn only_a_proof_for_every_chain_says_only_if_called_directly() {
        let own = ("leaf", Says::Seen(0.0));
        let all = reach("leaf", &[own, ("near", Says::Proved), ("far", Says::Proved)]);
        assert!(all.only_direct.is_some() && all.reachable_from.is_empty());
        let by_middle = reach("leaf", &[own, ("middle", Says::Proved), ("near", Says::Proved)]);
        assert!(by_middle.only_direct.is_some());
        assert_eq!(not_seen(&by_middle)[1], ("far middle leaf".to_owned(), "unknown"));
        let some = reach("leaf", &[own, ("near", Says::Proved), ("far", Says::Nothing)]);
        assert!(some.only_direct.is_none());
        let expected = [("near leaf".to_owned(), "unreachable"), ("far middle leaf".to_owned(), "unknown")];
        assert_eq!(not_seen(&some), expected);
        // A function that is not in the run is not known to prove anything.
        assert!(reach("leaf", &[own, ("near", Says::Proved)]).only_direct.is_none());
    }

    #[test]
    fn what_was_observed_is_a_route_and_not_among_the_others() {
        let own = ("leaf", Says::Seen(0.0));
        let seen = reach("leaf", &[own, ("near", Says::Proved), ("far", Says::Seen(7.0))]);
        assert!(seen.only_direct.is_none());
        assert_eq!(not_seen(&seen), [("near leaf".to_owned(), "unreachable")]);
        let [route] = &seen.reachable_from[..] else { panic!("{seen:?}") };
        assert_eq!((route.entry.as_str(), route.chain.join(" ")), ("far", "far middle leaf".to_owned()));
        assert_eq!(route.inputs[0].decimal.as_deref(), Some("7"));
    }

    #[test]
    fn a_public_function_is_reached_from_itself() {
        let seen = reach("near", &[("near", Says::Seen(1.0))]);
        assert_eq!(seen.reachable_from[0].chain, ["near"]);
        assert!(seen.not_seen_from.is_empty() && seen.only_direct.is_none());
    }
}
