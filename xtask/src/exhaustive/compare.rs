//! Verdicts beside what happened.

use super::claims::{Claims, Pair, Verdict};
use super::harness::{Count, Truth};
use super::place::{Place, Raised};

/// Why a verdict is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An instruction of the pairs' place raised what each of them is proved not to.
    Site,
    /// The function raised what each pair about the exception, or each pair of all, is proved not to.
    Function,
    /// An instruction raised what no pair of its place is about: nothing was claimed, but it is worth a look.
    NoPair,
}

/// Something that happened and should not have.
#[derive(Clone, Debug)]
pub struct Contradiction {
    /// What is wrong.
    pub fault: Fault,
    /// Where it happened; nowhere for [`Fault::Function`].
    pub place: Option<Place>,
    /// Who proved it.
    pub engines: String,
    /// The exception.
    pub exception: String,
    /// The first input seen to raise it, and how many do; of traced ones only where there is a place.
    pub count: Count,
}

/// Verdicts of one function beside what happened.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What happened.
    pub truth: Truth,
    /// Pairs that are proved impossible.
    pub proofs: usize,
    /// Of these, those that are certain: no input raises the exception anywhere, or every input that raises anything was traced.
    pub certain: usize,
    /// Pairs with a finding.
    pub reachable: usize,
    /// Of these, those that were seen here, too.
    pub seen: usize,
    /// Other pairs.
    pub open: usize,
    /// Of these, those that were seen here.
    pub open_seen: usize,
    /// What is wrong, and what nothing was claimed of.
    pub contradictions: Vec<Contradiction>,
    /// How to ask labrys again.
    pub command: String,
}

impl Comparison {
    /// One line.
    pub fn summary(&self) -> String {
        format!("{} proofs, {} contradicted", self.proofs, self.contradicted())
    }

    /// How many claims are contradicted.
    pub fn contradicted(&self) -> usize {
        self.contradictions.iter().filter(|contradiction| contradiction.fault != Fault::NoPair).count()
    }
}

/// Compares.
pub fn compare(truth: &Truth, raised: &Raised, claims: &Claims) -> Comparison {
    let all_traced = truth.traced == truth.raising && truth.incomplete == 0;
    let count = |verdict: Verdict, holds: &dyn Fn(&Pair) -> bool| {
        claims.pairs.iter().filter(|pair| pair.verdict == verdict && holds(pair)).count()
    };
    let seen = |pair: &Pair| raised.contains_key(&(pair.place.clone(), pair.exception.clone()));
    let mut contradictions: Vec<Contradiction> =
        raised.iter().filter_map(|((place, exception), count)| at_place(claims, place, exception, count)).collect();
    contradictions.extend(truth.exceptions.iter().filter_map(|(exception, count)| anywhere(claims, exception, count)));
    Comparison {
        truth: truth.clone(),
        proofs: count(Verdict::Unreachable, &|_| true),
        certain: count(Verdict::Unreachable, &|pair| all_traced || !truth.exceptions.contains_key(&pair.exception)),
        reachable: count(Verdict::Reachable, &|_| true),
        seen: count(Verdict::Reachable, &seen),
        open: count(Verdict::Open, &|_| true),
        open_seen: count(Verdict::Open, &seen),
        contradictions,
        command: claims.command.clone(),
    }
}

/// What is wrong with the pairs of a place where an exception was raised.
fn at_place(claims: &Claims, place: &Place, exception: &str, count: &Count) -> Option<Contradiction> {
    let pairs: Vec<&Pair> =
        claims.pairs.iter().filter(|pair| pair.place == *place && pair.exception == exception).collect();
    let fault = if pairs.is_empty() { Fault::NoPair } else { Fault::Site };
    all_proved(&pairs).then(|| contradiction(fault, Some(place.clone()), &pairs, exception, count))
}

/// What is wrong with all pairs about an exception that the function raised.
fn anywhere(claims: &Claims, exception: &str, count: &Count) -> Option<Contradiction> {
    let about: Vec<&Pair> = claims.pairs.iter().filter(|pair| pair.exception == exception).collect();
    // Where every pair of any exception is proved impossible, labrys says that no exception can occur. Without pairs it says nothing.
    let pairs = if about.is_empty() { claims.pairs.iter().collect() } else { about };
    let is_claimed = !pairs.is_empty() && all_proved(&pairs);
    is_claimed.then(|| contradiction(Fault::Function, None, &pairs, exception, count))
}

fn all_proved(pairs: &[&Pair]) -> bool {
    pairs.iter().all(|pair| pair.verdict == Verdict::Unreachable)
}

fn contradiction(fault: Fault, place: Option<Place>, pairs: &[&Pair], exception: &str, count: &Count) -> Contradiction {
    let mut engines: Vec<String> = pairs.iter().map(|pair| format!("{} by {}", pair.operator, pair.engine)).collect();
    engines.sort_unstable();
    engines.dedup();
    Contradiction { fault, place, engines: engines.join(", "), exception: exception.to_owned(), count: count.clone() }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde_json::json;

    use super::super::claims;
    use super::super::function::Function;
    use super::super::harness::{Harness, Inputs};
    use super::super::place::locate;
    use super::*;

    const SOURCE: &str = "float double_reciprocal(float x) { return 1.0f / (x * 2.0f); }\n";

    /// What labrys would say of it, but for the verdicts given: by operator and exception. `nothing` leaves a pair out.
    fn claims(changes: &[(&str, &str, &str)]) -> Claims {
        let sites = [
            (53, "fmul", "invalid", "unreachable"),
            (53, "fmul", "overflow", "reachable"),
            (53, "fmul", "underflow", "unreachable"),
            (48, "fdiv", "invalid", "unreachable"),
            (48, "fdiv", "divbyzero", "reachable"),
            (48, "fdiv", "overflow", "unknown"),
            (48, "fdiv", "underflow", "reachable"),
        ];
        let changed = |operator: &str, exception: &str, own| {
            changes.iter().find(|change| (change.0, change.1) == (operator, exception)).map_or(own, |change| change.2)
        };
        let sites: Vec<_> = sites
            .iter()
            .map(|&(column, operator, exception, own)| (column, operator, exception, changed(operator, exception, own)))
            .filter(|site| site.3 != "nothing")
            .map(|(column, operator, exception, verdict)| {
                json!({ "file": "some/where/reciprocal.c", "line": 1, "column": column, "function": "double_reciprocal",
                    "operator": operator, "exception": exception, "verdict": verdict, "engine": "ranges" })
            })
            .collect();
        Claims { pairs: claims::pairs(&json!({ "sites": sites })), command: String::new() }
    }

    /// Compiles and calls it on the floats of a block of encodings between two.
    fn truth(first: u32, last: u32) -> (Truth, Raised) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace is there");
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("reciprocal.c"), SOURCE).expect("it can be written");
        let function = Function {
            name: "double_reciprocal".into(),
            folder: folder.path().to_owned(),
            sources: vec!["reciprocal.c".into()],
            build: "-O0".into(),
            flags: Vec::new(),
            range: None,
        };
        let library = function.build(folder.path()).expect("it compiles");
        let inputs = Inputs { first, last, range: Some((f32::from_bits(first), f32::from_bits(last))) };
        let harness = Harness::build(&root, folder.path(), false).expect("it compiles");
        let truth = harness.run(&library, &function.name, &inputs).expect("it runs");
        let raised = locate(&library, &truth).expect("the symboliser answers");
        (truth, raised)
    }

    /// Faults and exceptions.
    fn faults(truth: &(Truth, Raised), claims: &Claims) -> Vec<(Fault, String)> {
        let comparison = compare(&truth.0, &truth.1, claims);
        comparison
            .contradictions
            .into_iter()
            .map(|contradiction| (contradiction.fault, contradiction.exception))
            .collect()
    }

    #[test]
    fn what_happens_is_counted_and_found_at_its_place() {
        // 2 x overflows from 2^127 on. Below, 1 / (2 x) is subnormal, and not exact.
        let (truth, raised) = truth(0x7eff_ff00, 0x7f00_00ff);
        let counts: Vec<(&str, u64, &str)> =
            truth.exceptions.iter().map(|(name, count)| (name.as_str(), count.count, count.input.as_str())).collect();
        assert_eq!(counts, [("overflow", 256, "0x7f000000"), ("underflow", 256, "0x7effff00")]);
        assert_eq!((truth.calls, truth.raising, truth.traced, truth.incomplete), (512, 512, 512, 0));
        let places: Vec<(u32, &str, u64)> =
            raised.iter().map(|((place, name), count)| (place.2, name.as_str(), count.count)).collect();
        assert_eq!(places, [(48, "underflow", 256), (53, "overflow", 256)]);
    }

    #[test]
    fn right_verdicts_are_not_contradicted() {
        for (first, last) in [(0x7eff_ff00, 0x7f00_00ff), (0, 0xff)] {
            assert_eq!(faults(&truth(first, last), &claims(&[])), []);
        }
    }

    /// Were the comparison blind, a report with a verdict turned around would agree, too.
    #[test]
    fn a_verdict_turned_around_is_found() {
        let small = truth(0, 0xff);
        let wrong = claims(&[("fdiv", "divbyzero", "unreachable")]);
        assert_eq!(
            faults(&small, &wrong),
            [(Fault::Site, "divbyzero".to_owned()), (Fault::Function, "divbyzero".to_owned())]
        );
        let large = truth(0x7eff_ff00, 0x7f00_00ff);
        let wrong = claims(&[("fmul", "overflow", "unreachable")]);
        assert_eq!(faults(&large, &wrong), [(Fault::Site, "overflow".to_owned())]);
        let missing = claims(&[("fmul", "overflow", "nothing")]);
        assert_eq!(faults(&large, &missing), [(Fault::NoPair, "overflow".to_owned())]);
    }

    #[test]
    fn without_pairs_nothing_is_claimed() {
        let large = truth(0x7eff_ff00, 0x7f00_00ff);
        let none = Claims { pairs: Vec::new(), command: String::new() };
        assert!(faults(&large, &none).iter().all(|(fault, _)| *fault == Fault::NoPair));
        // With pairs of another exception only, all of them proved, it is claimed that no exception can occur.
        let invalid = Claims {
            pairs: claims(&[]).pairs.into_iter().filter(|pair| pair.exception == "invalid").collect(),
            command: String::new(),
        };
        assert!(faults(&large, &invalid).contains(&(Fault::Function, "overflow".to_owned())));
    }

    #[test]
    fn proofs_are_certain_where_nothing_is_raised_or_all_is_traced() {
        let (mut truth, raised) = truth(0x7eff_ff00, 0x7f00_00ff);
        let certain = |truth: &Truth| compare(truth, &raised, &claims(&[])).certain;
        assert_eq!(certain(&truth), 3);
        truth.traced -= 1;
        // The product may have underflowed on the input that was not traced.
        assert_eq!(certain(&truth), 2);
        let comparison = compare(&truth, &raised, &claims(&[]));
        assert_eq!((comparison.proofs, comparison.reachable, comparison.seen, comparison.open), (3, 3, 2, 1));
    }
}
