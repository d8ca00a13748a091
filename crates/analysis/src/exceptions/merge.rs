//! Results of functions to one picture of the library.
//!
//! A site is decided where it is analysed most generally: in its own function, called with any arguments. Functions that call it
//! tell whether the exception is still reached through their checks.
//!
//! - *Reachable*: some analysis observed it. The finding of the site's own function stands for all; the public functions
//!   from which it was observed are its routes.
//! - *Unreachable*: the analysis of the site's own function proved it, so that no caller can reach it; or, for a static
//!   function, its callers' analyses did (`caller_proofs`). What others' analyses say counts only where no function that was not analysed, and
//!   that somebody may call, reaches the site.
//! - Else unknown, with the reason of the site's own function.

use std::sync::Arc;

use indexmap::IndexMap;
use labrys_float::Flags;
use labrys_program::{CallGraph, FunctionId, LibraryFunction, Program};
use labrys_report::{Contradiction, Finding, FunctionSummary, SiteKey, SiteRecord, Verdict, VerdictCounts};
use labrys_symex::static_sites_in;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::function::FunctionResult;
use super::pairs::Pairs;
use super::reach::{Library, Word};
use super::work::Work;
use crate::callers::CallerProofs;
use crate::callers::Callers;
use crate::library::functions::shared_notes;
use crate::run::record::{from_here, place_of_location};
use crate::target::names::FunctionNames;

/// A library's results, merged.
pub struct Merged {
    /// Each function of the run.
    pub functions: Vec<FunctionSummary>,
    /// Each site and exception once.
    pub sites: Vec<SiteRecord>,
    /// Each distinct finding once, worst first.
    pub findings: Vec<Finding>,
    /// What was done in all.
    pub work: Work,
    /// Remarks.
    pub notes: Vec<String>,
    /// Proofs that somebody contradicted.
    pub contradictions: Vec<Contradiction>,
}

type PairKey = (SiteKey, Flags);

/// What all analyses say of one pair.
#[derive(Default)]
struct Said<'r> {
    /// The function in whose analysis each was said, whether the site is its own, and the verdict.
    verdicts: Vec<(&'r FunctionResult, bool, &'r Verdict)>,
}

/// Merges results.
pub fn merge(
    program: &Program,
    names: &Arc<FunctionNames>,
    functions: &[LibraryFunction],
    watched: Flags,
    results: Vec<FunctionResult>,
) -> Merged {
    let mut said: IndexMap<PairKey, Said<'_>, FxBuildHasher> = IndexMap::default();
    let ids: FxHashMap<&str, &LibraryFunction> =
        functions.iter().map(|function| (function.name.as_str(), function)).collect();
    let source_name = |name: &str| ids.get(name).map_or(name.to_owned(), |function| function.source_name.clone());
    for result in &results {
        let own_name = source_name(&result.summary.function);
        for record in &result.sites {
            let is_own = record.site.function == own_name;
            let entry = said.entry((record.site.clone(), record.exception)).or_default();
            entry.verdicts.push((result, is_own, &record.verdict));
        }
    }
    let graph = CallGraph::new(program);
    let callers = Callers::new(program, &graph);
    let caller_proofs = CallerProofs::new(program, &graph, &callers);
    let owners = owners(program, names, functions);
    let mut unanalysed = unanalysed(program, names, &graph, &results, &ids, watched);
    let library = Library::new(program, &callers, &caller_proofs, functions, &results);
    let mut merged = Merged {
        functions: Vec::new(),
        sites: Vec::new(),
        findings: Vec::new(),
        work: Work::default(),
        notes: Vec::new(),
        contradictions: Vec::new(),
    };
    let mut contradictions = Vec::new();
    for ((site, exception), said) in &said {
        let mut verdict = said.verdict();
        if matches!(verdict, Verdict::Unknown { .. } | Verdict::UnreachableWithinBound { .. }) {
            let place = (site.function.clone(), site.place.file.clone().unwrap_or_default());
            let of_function = said.by_function(&ids);
            let of_callers = owners
                .get(&place)
                .and_then(|owners| caller_proofs.verdict(owners, &|id| of_function.get(&id).copied()));
            verdict = of_callers.unwrap_or(verdict);
        }
        let why = unanalysed.shift_remove(&(site.clone(), *exception));
        if let Some(why) = why.filter(|_| !said.is_of_own_function() && !matches!(verdict, Verdict::Unknown { .. })) {
            verdict = Verdict::Unknown { why };
        }
        if let Some(finding) = said.finding() {
            let mut finding = finding.clone();
            if let Some(details) = finding.exception_mut() {
                let place = (site.function.clone(), site.place.file.clone().unwrap_or_default());
                let of_function = said.by_function(&ids);
                let owners = owners.get(&place).map_or(&[][..], Vec::as_slice);
                let reach = library.reach(owners, &said.words(&ids), &|id| of_function.get(&id).copied());
                details.reachable_from = reach.reachable_from;
                details.not_seen_from = reach.not_seen_from;
                details.only_direct = reach.only_direct;
            }
            verdict = Verdict::Reachable { finding: finding.id.clone() };
            contradictions.extend(said.contradiction(site, *exception));
            merged.findings.push(finding);
        }
        merged.sites.push(SiteRecord { site: site.clone(), exception: *exception, verdict });
    }
    let others = unanalysed.into_iter();
    merged.sites.extend(others.map(|((site, exception), why)| SiteRecord {
        site,
        exception,
        verdict: Verdict::Unknown { why },
    }));
    merged.findings.sort_by_cached_key(|finding| {
        let direct = finding.exception().is_none_or(|details| details.reachable_from.is_empty());
        (finding.severity, direct, finding.rank())
    });
    merged.findings.dedup_by(|a, b| a.id == b.id);
    let mut own: FxHashMap<(&str, Option<&str>), Vec<&SiteRecord>> = FxHashMap::default();
    for record in &merged.sites {
        own.entry((&record.site.function, record.site.place.file.as_deref())).or_default().push(record);
    }
    merged.notes.extend(contradictions);
    merged.notes.extend(shared_notes(results.iter().map(|result| result.notes.as_slice())));
    for mut result in results {
        // What it calls is counted there.
        let name = source_name(&result.summary.function);
        let sites = own.get(&(name.as_str(), result.summary.file.as_deref())).cloned().unwrap_or_default();
        result.summary.sites = VerdictCounts::of(sites);
        merged.work.add(&result.work);
        merged.contradictions.append(&mut result.contradictions);
        merged.notes.extend(result.summary.failure.iter().map(|why| format!("{}: {why}", result.summary.function)));
        merged.functions.push(result.summary);
    }
    merged
}

/// What is reached by functions that were not analysed though somebody may call them, and why it is not known.
fn unanalysed(
    program: &Program,
    names: &Arc<FunctionNames>,
    graph: &CallGraph,
    results: &[FunctionResult],
    ids: &FxHashMap<&str, &LibraryFunction>,
    watched: Flags,
) -> IndexMap<PairKey, String, FxBuildHasher> {
    let mut found: IndexMap<PairKey, String, FxBuildHasher> = IndexMap::default();
    for FunctionSummary { function: name, failure, .. } in results.iter().map(|result| &result.summary) {
        let (Some(why), Some(function)) = (failure, ids.get(name.as_str())) else { continue };
        if !function.is_public && !graph.address_taken().contains(&function.function) {
            continue;
        }
        let why = why.strip_prefix(&format!("{name}: ")).unwrap_or(why);
        let sites = static_sites_in(program, &graph.reachable(function.function));
        let pairs = Pairs::new(program, &sites, Arc::clone(names), watched);
        for (pair, _) in pairs.iter() {
            found.entry(pair.clone()).or_insert_with(|| format!("{name} leads there, and is not analysed: {why}"));
        }
    }
    found
}

/// The functions of the IR that sites of a function of the source stand in, by its name and file: itself, and those that it is inlined
/// into, whose callers the graph of calls does not know for its callers.
fn owners(
    program: &Program,
    names: &FunctionNames,
    functions: &[LibraryFunction],
) -> FxHashMap<(String, String), Vec<FunctionId>> {
    let mut owners: FxHashMap<(String, String), Vec<FunctionId>> = FxHashMap::default();
    for function in functions {
        let place = (function.source_name.clone(), from_here(function.file.clone()));
        owners.entry(place).or_default().push(function.function);
    }
    for id in (0..program.functions.len()).map(|index| FunctionId(index as u32)) {
        for site in static_sites_in(program, &[id]) {
            let location = site.location.and_then(|id| program.locations.get(id.index()));
            if location.is_some_and(|location| location.inlined_at.is_some()) {
                let file = place_of_location(program, site.location).file.unwrap_or_default();
                let of = owners.entry((names.of_site(program, &site), file)).or_default();
                if !of.contains(&id) {
                    of.push(id);
                }
            }
        }
    }
    owners
}

impl<'r> Said<'r> {
    /// What each function's analysis said.
    fn by_function(&self, ids: &FxHashMap<&str, &LibraryFunction>) -> FxHashMap<FunctionId, &'r Verdict> {
        let of = |(result, _, verdict): &(&FunctionResult, bool, &'r Verdict)| {
            Some((ids.get(result.summary.function.as_str())?.function, *verdict))
        };
        self.verdicts.iter().filter_map(of).collect()
    }

    /// That the site's own function was proved not to raise what was observed, if so: one of the two is wrong. Where callers pass
    /// what the search domain of the proof leaves out, neither is; the assumptions tell.
    fn contradiction(&self, site: &SiteKey, exception: Flags) -> Option<String> {
        let proved = |verdict: &Verdict| matches!(verdict, Verdict::Unreachable { .. });
        let (_, _, verdict) = self.verdicts.iter().find(|(_, is_own, verdict)| *is_own && proved(verdict))?;
        let Verdict::Unreachable { engine, .. } = verdict else { return None };
        let exception = exception.names().first().copied().unwrap_or_default();
        Some(format!(
            "{exception} in {} ({} at line {}) was proved impossible ({engine}), and then observed: unless callers pass what the \
             search domain leaves out, this is an error of labrys, please report it",
            site.function,
            site.operator,
            site.place.line.unwrap_or(0)
        ))
    }

    /// Whether the function that the site is in was analysed itself.
    fn is_of_own_function(&self) -> bool {
        self.verdicts.iter().any(|(_, is_own, _)| *is_own)
    }

    /// The verdict where nothing was observed.
    fn verdict(&self) -> Verdict {
        let own = self.verdicts.iter().find(|(_, is_own, _)| *is_own);
        if let Some((_, _, verdict)) = own {
            return (*verdict).clone();
        }
        // Of functions that cannot be driven by themselves: the weakest word of all counts.
        let weakest = self.verdicts.iter().max_by_key(|(_, _, verdict)| match verdict {
            Verdict::Reachable { .. } => 0,
            Verdict::Unreachable { .. } => 1,
            Verdict::UnreachableWithinBound { .. } => 2,
            Verdict::Unknown { .. } => 3,
        });
        let mut verdict =
            weakest.map_or(Verdict::Unknown { why: "not analysed".to_owned() }, |(_, _, verdict)| (*verdict).clone());
        if let Verdict::Unreachable { assumptions, .. } | Verdict::UnreachableWithinBound { assumptions, .. } =
            &mut verdict
        {
            assumptions
                .push("sites are reached through the functions that were analysed, not from elsewhere".to_owned());
        }
        verdict
    }

    /// The findings of this pair with the analyses they come from, that of the site's own function first.
    fn findings(&self) -> Vec<(&'r FunctionResult, &'r Finding)> {
        let mut found: Vec<(bool, &FunctionResult, &Finding)> = Vec::new();
        for (result, is_own, verdict) in &self.verdicts {
            if let Verdict::Reachable { finding } = verdict
                && let Some(finding) = result.findings.iter().find(|known| known.id == *finding)
            {
                found.push((!is_own, result, finding));
            }
        }
        found.sort_by_key(|(not_own, _, _)| *not_own);
        found.into_iter().map(|(_, result, finding)| (result, finding)).collect()
    }

    /// Those that observed it, by function.
    fn words(&self, ids: &FxHashMap<&str, &LibraryFunction>) -> Vec<Word<'r>> {
        let of = |(result, finding): (&'r FunctionResult, &'r Finding)| {
            Some((ids.get(result.summary.function.as_str())?.function, result, finding))
        };
        self.findings().into_iter().filter_map(of).collect()
    }

    fn finding(&self) -> Option<&'r Finding> {
        self.findings().first().map(|(_, finding)| *finding)
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{Sample, Says, pair};
    use super::*;

    /// `leaf` is called by `near` and inlined into `far`, whose address others have.
    const LIBRARY: &str = r#"
        define internal double @leaf(double %x) !dbg !4 { %r = fdiv double 1.0, %x, !dbg !7 ret double %r }
        define double @near(double %x) { %r = call double @leaf(double %x) ret double %r }
        define double @far(double %x) !dbg !5 { %r = fdiv double 1.0, %x, !dbg !8 ret double %r }
        !llvm.dbg.cu = !{!0}
        !llvm.module.flags = !{!1}
        !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug)
        !1 = !{i32 2, !"Debug Info Version", i32 3}
        !2 = !DIFile(filename: "sample.c", directory: "")
        !3 = !DISubroutineType(types: !9)
        !4 = distinct !DISubprogram(name: "leaf", file: !2, type: !3, spFlags: DISPFlagDefinition, unit: !0)
        !5 = distinct !DISubprogram(name: "far", file: !2, type: !3, spFlags: DISPFlagDefinition, unit: !0)
        !6 = !DILocation(line: 3, column: 1, scope: !5)
        !7 = !DILocation(line: 1, column: 1, scope: !4)
        !8 = !DILocation(line: 1, column: 1, scope: !4, inlinedAt: !6)
        !9 = !{}"#;

    fn verdict_of(says: &[(&str, Says)]) -> Verdict {
        let sample = Sample::new(LIBRARY);
        let results = says.iter().map(|(name, says)| sample.result(name, &[("leaf", *says)])).collect();
        let names = Arc::new(FunctionNames::new([], Some(&sample.program)));
        let merged = merge(&sample.program, &names, &sample.functions, Flags::DIVBYZERO, results);
        let record = merged.sites.into_iter().find(|record| record.site == pair("leaf").0);
        record.expect("the site of leaf").verdict
    }

    /// The graph of calls knows no call of `leaf` in `far`.
    #[test]
    fn what_a_function_is_inlined_into_needs_a_proof_of_its_own() {
        let of = |near: Says, far: Says| verdict_of(&[("leaf", Says::Nothing), ("near", near), ("far", far)]);
        assert!(matches!(of(Says::Proved, Says::Nothing), Verdict::Unknown { .. }));
        assert!(matches!(of(Says::Nothing, Says::Proved), Verdict::Unknown { .. }));
        assert!(matches!(of(Says::Proved, Says::Proved), Verdict::Unreachable { .. }));
        assert!(matches!(of(Says::Proved, Says::Seen(0.0)), Verdict::Reachable { .. }));
    }
}
