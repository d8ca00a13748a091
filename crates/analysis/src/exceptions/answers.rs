//! What asking a public function came to, entered into its result.

use labrys_report::Verdict;
use rustc_hash::FxHashMap;

use super::function::FunctionResult;
use super::pairs::PairKey;
use super::questions::Question;

/// Enters an answer: it takes the place of what the result said of these pairs, so that each stays there once.
pub fn enter(result: &mut FunctionResult, question: &Question, mut answer: FunctionResult) {
    let place: FxHashMap<PairKey, usize> =
        result.sites.iter().enumerate().map(|(at, record)| ((record.site.clone(), record.exception), at)).collect();
    for record in answer.sites {
        let pair = (record.site, record.exception);
        let is_asked = question.sought.contains(&pair);
        let Some(&at) = place.get(&pair) else { continue };
        let is_settled = matches!(result.sites[at].verdict, Verdict::Reachable { .. } | Verdict::Unreachable { .. });
        // A proof is one whoever asked for it.
        let is_proved = matches!(record.verdict, Verdict::Unreachable { .. });
        if is_settled || !(is_proved || is_asked || question.noticed.contains(&pair)) {
            continue;
        }
        let mut verdict = record.verdict;
        match &mut verdict {
            Verdict::Reachable { finding } => {
                let Some(at) = answer.findings.iter().position(|known| known.id == *finding) else { continue };
                let mut found = answer.findings.swap_remove(at);
                // Ids are counted within one analysis, and this is the function's second.
                while result.findings.iter().any(|known| known.id == found.id) {
                    found.id.push_str("-a");
                }
                finding.clone_from(&found.id);
                result.summary.findings.push(found.id.clone());
                result.findings.push(found);
            }
            // What was only to be noticed was not looked for: nothing new is known.
            Verdict::Unknown { .. } | Verdict::UnreachableWithinBound { .. } if !is_asked => continue,
            _ => {}
        }
        result.sites[at].verdict = verdict;
    }
    result.contradictions.append(&mut answer.contradictions);
    result.work.add(&answer.work);
}

#[cfg(test)]
mod tests {
    use super::super::caller_goal::CallerGoal;
    use super::super::samples::{Sample, Says, pair};
    use super::*;

    const LIBRARY: &str = "
        define internal double @a(double %x) { ret double %x }
        define internal double @b(double %x) { ret double %x }
        define internal double @c(double %x) { ret double %x }
        define double @entry(double %x) { ret double %x }";

    #[test]
    fn an_answer_takes_the_place_of_what_was_said() {
        let sample = Sample::new(LIBRARY);
        let nothing = Says::Nothing;
        let says = [("a", nothing), ("b", nothing), ("c", nothing), ("d", nothing), ("entry", Says::Seen(1.0))];
        let mut result = sample.result("entry", &says);
        // The ids of two analyses may be the same.
        result.findings[0].id = "entry-a".to_owned();
        // Nobody asked for the last two, but a proof is a proof; the function's own pair is observed, whatever is said now.
        let said = [("a", Says::Seen(2.0)), ("b", Says::Proved), ("c", nothing), ("d", Says::Proved)];
        let mut answer = sample.result("entry", &said);
        answer.sites.extend(sample.result("entry", &[("entry", Says::Proved)]).sites);
        let question =
            Question { job: 0, sought: vec![pair("a")], noticed: vec![pair("b")], goal: CallerGoal::default() };
        enter(&mut result, &question, answer);
        let words: Vec<(&str, &str)> =
            result.sites.iter().map(|record| (record.site.function.as_str(), record.verdict.name())).collect();
        let expected = ["reachable", "unreachable", "unknown", "unreachable", "reachable"];
        assert_eq!(words, ["a", "b", "c", "d", "entry"].into_iter().zip(expected).collect::<Vec<_>>());
        let Verdict::Reachable { finding } = &result.sites[0].verdict else { panic!("{:?}", result.sites) };
        let found: Vec<_> = result.findings.iter().filter(|known| known.id == *finding).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].exception().map(|details| &details.site), Some(&pair("a").0));
        assert!(result.summary.findings.contains(finding));
    }
}
