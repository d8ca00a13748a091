//! A function whose pairs are decided in several analyses, each for a part of them, so that several machines may share it.
//!
//! A part is an analysis of the whole function, with the bounds of one, that decides some of its pairs and tells what it sees of all. Which pairs
//! a part has does not hang on how many machines there are: a run on one machine does the same parts, and comes to the same report.
//!
//! **Claim.** What [`together`] says of a pair is what the part that it belongs to says of it, but for what another part observed: an observation stands
//! whoever made it, and a proof that it contradicts is withdrawn and told, as within one analysis. A pair whose part came to nothing is unknown.

use std::sync::Arc;

use indexmap::IndexMap;
use labrys_float::Flags;
use labrys_program::{FunctionId, Program};
use labrys_report::{Contradiction, Finding, FunctionSummary, SiteRecord, Status, Verdict, VerdictCounts};
use labrys_symex::static_sites;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::function::FunctionResult;
use super::opinions::claim_words;
use super::pairs::{Focus, PairKey, Pairs};
use crate::library::functions::FunctionOutcome;
use crate::target::names::FunctionNames;

/// The parts of a function's pairs: of those at sites in `focus`, at most so many in each, neighbours in different ones, for those of one
/// loop are hard or easy alike. One part: nothing to share.
pub fn parts(
    program: &Program,
    function: FunctionId,
    (names, focus): (Arc<FunctionNames>, &FxHashSet<String>),
    watched: Flags,
    most: usize,
) -> Vec<Vec<PairKey>> {
    let mut pairs = Pairs::new(program, &static_sites(program, function), names, watched);
    pairs.focus_on(Focus::Functions(focus.clone()));
    let own = pairs.open();
    let count = own.len().div_ceil(most.max(1)).max(1);
    let mut parts = vec![Vec::new(); count];
    own.into_iter().enumerate().for_each(|(place, pair)| parts[place % count].push(pair));
    parts
}

/// The words of a part's pairs, on which its result hangs.
pub fn words(part: &[PairKey]) -> String {
    format!("{part:?}")
}

/// What is said of one pair: by its own part, and by whom it was observed.
#[derive(Default)]
struct Said<'r> {
    own: Option<&'r Verdict>,
    first: Option<&'r Verdict>,
    seen: Option<&'r Finding>,
}

/// The results of a function's parts as one.
pub fn together(parts: &[Vec<PairKey>], mut results: Vec<FunctionResult>) -> FunctionResult {
    if parts.len() < 2
        && let Some(whole) = results.pop()
    {
        return whole;
    }
    let part_of: FxHashMap<&PairKey, usize> =
        parts.iter().enumerate().flat_map(|(part, pairs)| pairs.iter().map(move |pair| (pair, part))).collect();
    let mut said: IndexMap<PairKey, Said<'_>, FxBuildHasher> = IndexMap::default();
    for (part, result) in results.iter().enumerate() {
        let findings: FxHashMap<&str, &Finding> =
            result.findings.iter().map(|finding| (finding.id.as_str(), finding)).collect();
        for SiteRecord { site, exception, verdict } in &result.sites {
            let pair = (site.clone(), *exception);
            let is_own = part_of.get(&pair) == Some(&part);
            let of = said.entry(pair).or_default();
            of.first = of.first.or(Some(verdict));
            of.own = of.own.or(is_own.then_some(verdict));
            if let Verdict::Reachable { finding } = verdict
                && let Some(finding) = findings.get(finding.as_str())
                && (of.seen.is_none() || is_own)
            {
                of.seen = Some(finding);
            }
        }
    }
    let failure = results.iter().find_map(|result| result.summary.failure.clone());
    for pair in parts.iter().flatten() {
        said.entry(pair.clone()).or_default();
    }
    let mut findings: Vec<Finding> = Vec::new();
    let mut sites: Vec<SiteRecord> = Vec::new();
    let mut contradictions = Vec::new();
    for (pair, said) in &said {
        let nobody = || Verdict::Unknown { why: failure.clone().unwrap_or_else(|| "no part lists it".to_owned()) };
        let lacks_own = part_of.contains_key(pair) && said.own.is_none();
        let verdict = match (said.seen, said.own, said.first) {
            (Some(finding), own, _) => {
                if let Some(Verdict::Unreachable { engine, .. }) = own {
                    contradictions.push(Contradiction::observed(claim_words(pair), engine, finding.inputs.clone()));
                }
                findings.push(finding.clone());
                Verdict::Reachable { finding: String::new() }
            }
            (None, Some(own), _) => own.clone(),
            (None, None, Some(first)) if !lacks_own => first.clone(),
            (None, ..) => nobody(),
        };
        sites.push(SiteRecord { site: pair.0.clone(), exception: pair.1, verdict });
    }
    one(results, sites, findings, contradictions)
}

/// The result of these sites and of their findings, which are in the same order.
fn one(
    results: Vec<FunctionResult>,
    mut sites: Vec<SiteRecord>,
    mut findings: Vec<Finding>,
    mut contradictions: Vec<Contradiction>,
) -> FunctionResult {
    let add = |mut all: FunctionResult, mut result: FunctionResult| {
        if result.summary.status != Status::Complete {
            all.summary.status = result.summary.status;
        }
        all.summary.all_paths &= result.summary.all_paths;
        all.summary.failure = all.summary.failure.take().or(result.summary.failure);
        all.work.add(&result.work);
        all.contradictions.append(&mut result.contradictions);
        for note in result.notes {
            if !all.notes.contains(&note) {
                all.notes.push(note);
            }
        }
        all
    };
    let nothing = || FunctionResult::unanalysed(FunctionSummary::default());
    let mut all = results.into_iter().reduce(add).unwrap_or_else(nothing);
    labrys_report::assign_ids(&all.summary.function, &mut findings);
    let seen = sites.iter_mut().filter_map(|record| match &mut record.verdict {
        Verdict::Reachable { finding } => Some(finding),
        _ => None,
    });
    seen.zip(&findings).for_each(|(id, finding)| id.clone_from(&finding.id));
    findings.sort_by_cached_key(Finding::rank);
    all.summary.sites = VerdictCounts::of(&sites);
    all.summary.findings = findings.iter().map(|finding| finding.id.clone()).collect();
    all.contradictions.append(&mut contradictions);
    FunctionResult { sites, findings, ..all }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{Sample, Says, pair};
    use super::super::work::Work;
    use super::*;

    const LIBRARY: &str = "
        define double @a(double %x) { %r = fdiv double 1.0, %x ret double %r }
        define double @b(double %x) { %r = fdiv double 1.0, %x ret double %r }
        define double @c(double %x) { %r = fdiv double 1.0, %x ret double %r }
        define double @d(double %x) { %r = fdiv double 1.0, %x ret double %r }";

    fn verdicts(result: &FunctionResult) -> Vec<(&str, &'static str)> {
        result.sites.iter().map(|record| (record.site.function.as_str(), record.verdict.name())).collect()
    }

    #[test]
    fn each_pair_is_what_its_own_part_says_unless_another_saw_it() {
        let sample = Sample::new(LIBRARY);
        let parts = [vec![pair("a"), pair("b")], vec![pair("c"), pair("d")]];
        let (nothing, seen) = (Says::Nothing, Says::Seen(1.0));
        let says = |of: [Says; 4]| sample.result("a", &["a", "b", "c", "d"].into_iter().zip(of).collect::<Vec<_>>());
        let all = together(
            &parts,
            vec![says([Says::Proved, nothing, seen, nothing]), says([nothing, seen, nothing, Says::Proved])],
        );
        let expected = [("a", "unreachable"), ("b", "reachable"), ("c", "reachable"), ("d", "unreachable")];
        assert_eq!(verdicts(&all), expected);
        assert!(all.contradictions.is_empty());
        // Every finding is there once, by an id that its site names.
        let named: Vec<&str> = all
            .sites
            .iter()
            .filter_map(|record| match &record.verdict {
                Verdict::Reachable { finding } => Some(finding.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(named.len(), 2);
        for id in named {
            assert_eq!(all.findings.iter().filter(|finding| finding.id == id).count(), 1);
            assert!(all.summary.findings.iter().any(|known| known == id));
        }
        assert_eq!((all.summary.sites.reachable, all.summary.sites.unreachable), (2, 2));
    }

    #[test]
    fn an_observation_of_another_part_withdraws_a_proof_and_is_told() {
        let sample = Sample::new(LIBRARY);
        let parts = [vec![pair("a")], vec![pair("b")]];
        let first = sample.result("a", &[("a", Says::Proved), ("b", Says::Nothing)]);
        let second = sample.result("a", &[("a", Says::Seen(0.0)), ("b", Says::Proved)]);
        let all = together(&parts, vec![first, second]);
        assert_eq!(verdicts(&all), [("a", "reachable"), ("b", "unreachable")]);
        assert_eq!(all.contradictions.len(), 1);
    }

    #[test]
    fn pairs_of_a_part_that_came_to_nothing_are_unknown() {
        let sample = Sample::new(LIBRARY);
        let parts = [vec![pair("a")], vec![pair("b")]];
        let summary = FunctionSummary { failure: Some("it panicked".to_owned()), ..FunctionSummary::default() };
        let lost = FunctionResult::unanalysed(summary);
        let other = sample.result("a", &[("a", Says::Proved), ("b", Says::Proved)]);
        // What another part says of a pair that is not its own is no proof of it.
        let all = together(&parts, vec![other, lost]);
        assert_eq!(verdicts(&all), [("a", "unreachable"), ("b", "unknown")]);
        assert_eq!(all.summary.failure.as_deref(), Some("it panicked"));
        assert!(matches!(&all.sites[1].verdict, Verdict::Unknown { why } if why == "it panicked"));
        let (sites, findings) = (Vec::new(), Vec::new());
        let empty = FunctionResult {
            summary: FunctionSummary::default(),
            sites,
            findings,
            notes: Vec::new(),
            contradictions: Vec::new(),
            work: Work::default(),
        };
        assert_eq!(verdicts(&together(&parts, vec![empty])), [("a", "unknown"), ("b", "unknown")]);
    }

    #[test]
    fn neighbours_are_in_different_parts_and_none_is_lost() {
        let text = "
            define double @f(double %x) {
              %a = fdiv double 1.0, %x
              %b = fmul double %a, %x
              %c = fadd double %b, %x
              ret double %c }";
        let program = Program::from_bytes(text.as_bytes(), "f.ll").expect("IR");
        let function = program.function("f").expect("there");
        let focus: FxHashSet<String> = ["f".to_owned()].into_iter().collect();
        let of = |most| parts(&program, function, (Arc::default(), &focus), Flags::NOTABLE, most);
        let whole = of(100);
        assert_eq!(whole.len(), 1);
        for most in 1..whole[0].len() {
            let split = of(most);
            assert!(split.iter().all(|part| part.len() <= most && !part.is_empty()), "{most}");
            let mut again: Vec<PairKey> = split.concat();
            again.sort_by_key(|pair| whole[0].iter().position(|of| of == pair));
            assert_eq!(again, whole[0]);
        }
    }
}
