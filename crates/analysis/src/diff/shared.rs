//! Causes that several functions of a library share: an operation of a function that all of them call, or of a header.
//!
//! Where a finding stands for a cause with a known place it is one finding, told of the function that shows it worst, and names the others. Its id does not
//! hang on which function that is.

use std::collections::HashMap;

use labrys_report::{Finding, stable_id};

use super::library::FunctionResult;

/// Gives the findings of a function their ids.
pub fn assign_ids(function: &str, findings: &mut [Finding]) {
    labrys_report::assign_ids(function, findings.iter_mut());
    for finding in findings.iter_mut().filter(|finding| has_place(finding)) {
        finding.id = stable_id("", finding);
    }
}

/// Whether a finding stands for a cause at a known place.
pub fn has_place(finding: &Finding) -> bool {
    let details = finding.difference().filter(|details| details.is_grouped);
    details
        .and_then(|details| details.cause.as_ref())
        .is_some_and(|cause| cause.place.file.is_some() && cause.place.line.is_some())
}

/// Leaves each shared cause with the function that shows it worst, of several that show it alike the first.
pub fn merge(results: &mut [FunctionResult]) {
    let mut shown: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, result) in results.iter().enumerate() {
        for finding in findings(result).filter(|finding| has_place(finding)) {
            shown.entry(finding.id.clone()).or_default().push(index);
        }
    }
    let mut shared: Vec<(String, Vec<usize>)> =
        shown.into_iter().filter(|(_, functions)| functions.len() > 1).collect();
    shared.sort();
    for (id, functions) in shared {
        let rank = |index: &usize| findings(&results[*index]).find(|finding| finding.id == id).map(Finding::rank);
        let Some(worst) = functions.iter().copied().min_by_key(rank) else { continue };
        let others = functions.into_iter().filter(|index| *index != worst);
        let taken: Vec<(String, Finding)> = others
            .filter_map(|index| Some((results[index].summary.function.clone(), take(&mut results[index], &id)?)))
            .collect();
        let compared = results[worst].compared.iter_mut();
        if let Some(finding) = compared.flat_map(|compared| &mut compared.findings).find(|finding| finding.id == id) {
            taken.into_iter().for_each(|(function, other)| add(finding, function, &other));
        }
    }
}

fn findings(result: &FunctionResult) -> impl Iterator<Item = &Finding> {
    result.compared.iter().flat_map(|compared| &compared.findings)
}

/// Takes a finding out of a function's.
fn take(result: &mut FunctionResult, id: &str) -> Option<Finding> {
    let compared = result.compared.as_mut()?;
    let at = compared.findings.iter().position(|finding| finding.id == id)?;
    result.summary.findings.retain(|of| of != id);
    Some(compared.findings.remove(at))
}

/// Counts what another function shows of the same cause.
fn add(finding: &mut Finding, function: String, other: &Finding) {
    finding.count += other.count;
    let more = other.difference().map_or(0, |details| details.divergences);
    if let Some(details) = finding.difference_mut() {
        details.divergences += more;
        details.also_in.push(function);
    }
}

#[cfg(test)]
mod tests {
    use labrys_report::{
        Cause, CauseKind, Counts, Details, DifferenceDetails, FoundBy, FunctionSummary, Severity, SourcePlace, Status,
        VerdictCounts,
    };

    use super::*;
    use crate::diff::compared::{Compared, Times};

    fn finding(severity: Severity, line: Option<u32>) -> Finding {
        let cause = Cause {
            kind: CauseKind::Operation,
            place: SourcePlace { file: line.map(|_| "callee.c".to_owned()), line, column: Some(7) },
            operator: "fmul".to_owned(),
        };
        let between = vec!["baseline".to_owned(), "variant".to_owned()];
        let cause = Some(cause);
        Finding {
            id: String::new(),
            severity,
            found_by: FoundBy::Random,
            count: 10,
            summary: String::new(),
            inputs: Vec::new(),
            observations: Vec::new(),
            command: None,
            called_at: Vec::new(),
            details: Details::Difference(DifferenceDetails {
                between,
                cause,
                is_grouped: true,
                ..DifferenceDetails::default()
            }),
            notes: Vec::new(),
        }
    }

    fn result(function: &str, mut findings: Vec<Finding>) -> FunctionResult {
        assign_ids(function, &mut findings);
        let summary = FunctionSummary {
            function: function.to_owned(),
            file: None,
            line: None,
            is_public: true,
            parameters: Vec::new(),
            status: Status::Complete,
            all_paths: true,
            failure: None,
            sites: VerdictCounts::default(),
            findings: findings.iter().map(|finding| finding.id.clone()).collect(),
        };
        let compared = Compared {
            status: Status::Complete,
            findings,
            notes: Vec::new(),
            proofs: Vec::new(),
            contradictions: Vec::new(),
            counts: Counts::default(),
            startup: Vec::new(),
            times: Times::default(),
        };
        FunctionResult { summary, compared: Some(compared) }
    }

    /// What a helper does differently was a finding of every public function that calls it.
    #[test]
    fn a_cause_in_a_callee_is_one_finding_that_names_the_functions() {
        let mut results = [
            result("first", vec![finding(Severity::Masked, Some(3)), finding(Severity::Ulps, None)]),
            result("second", vec![finding(Severity::Introduced, Some(3)), finding(Severity::Ulps, Some(9))]),
            result("third", vec![finding(Severity::Masked, Some(3)), finding(Severity::Ulps, None)]),
        ];
        merge(&mut results);
        let counts = results.each_ref().map(|result| findings(result).count());
        assert_eq!(counts, [1, 2, 1], "causes without a place stay each function's own");
        let worst = findings(&results[1]).next().expect("the function that shows it worst has it");
        let details = worst.difference().expect("a difference");
        assert_eq!(details.also_in, ["first", "third"]);
        assert_eq!((worst.count, details.divergences), (30, 3));
        for result in &results {
            let ids: Vec<&String> = findings(result).map(|finding| &finding.id).collect();
            assert_eq!(ids, result.summary.findings.iter().collect::<Vec<_>>());
        }
    }
}
