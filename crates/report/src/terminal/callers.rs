//! From where a finding can happen: what is known of the public functions that lead to its function.

use super::observed::{SCALARS_SHOWN, is_plain_zero};
use super::summary::plural;
use crate::{Finding, NotSeen, Reach, Report, Route, Value, Verdict};

/// More public functions than these are counted only.
const ROUTES_SHOWN: usize = 3;

/// What is known of a finding's callers.
pub(super) struct CallerWords<'a> {
    /// Where it was observed.
    pub reachable_from: &'a [Route],
    /// Where it was not.
    pub not_seen_from: &'a [NotSeen],
    /// The proof that it occurs in direct calls alone.
    pub only_direct: Option<&'a Verdict>,
    /// What proofs are about, where it is not the finding itself.
    pub proved: Option<&'static str>,
}

/// Remarks on a divergence or an error of a function that only others of its library can call.
pub(super) fn remarks(report: &Report, finding: &Finding, callers: Option<&Reach>) -> Vec<String> {
    let Some(Reach { reachable_from, not_seen_from, only_direct }) = callers else { return Vec::new() };
    let proved = Some("it makes no call with such numbers, up to a factor of 16");
    CallerWords { reachable_from, not_seen_from, only_direct: only_direct.as_ref(), proved }.remarks(report, finding)
}

impl CallerWords<'_> {
    /// All of it.
    pub fn remarks(&self, report: &Report, finding: &Finding) -> Vec<String> {
        let mut remarks: Vec<String> = Vec::new();
        let routes = self.reachable_from;
        remarks.extend(routes.iter().take(ROUTES_SHOWN).map(|route| format!("reachable from {}", route_words(route))));
        if routes.len() > ROUTES_SHOWN {
            let others =
                plural((routes.len() - ROUTES_SHOWN) as u64, "other public function", "other public functions");
            remarks.push(format!("reachable from {others} too"));
        }
        remarks.extend(self.elsewhere(report, finding));
        remarks
    }

    /// What is known of public functions from which it was not observed.
    fn elsewhere(&self, report: &Report, finding: &Finding) -> Vec<String> {
        if let Some(Verdict::Unreachable { engine, .. }) = self.only_direct {
            let what = self.proved.map(|what| format!(": {what}")).unwrap_or_default();
            return vec![format!(
                "only if called directly: proved of every public function that leads to it{what} ({engine})"
            )];
        }
        let of = |not_seen: &NotSeen| {
            let chain = not_seen.chain.join(" → ");
            match &not_seen.verdict {
                Verdict::Unreachable { engine, .. } => match self.proved {
                    Some(what) => format!("proved of {chain}: {what} ({engine})"),
                    None => format!("proved impossible from {chain} ({engine})"),
                },
                Verdict::UnreachableWithinBound { loop_bound, .. } => {
                    format!("not seen from {chain}: proved impossible within the loop bound of {loop_bound} only")
                }
                Verdict::Unknown { why } => format!("not seen from {chain}: {why}"),
                Verdict::Reachable { .. } => format!("reachable from {chain}"),
            }
        };
        // Where it is reached from is shown: who does not matters less.
        let shown = if self.reachable_from.is_empty() { ROUTES_SHOWN } else { 0 };
        let mut remarks: Vec<String> = self.not_seen_from.iter().take(shown).map(of).collect();
        let more = self.not_seen_from.len().saturating_sub(shown);
        if more > 0 {
            let others = plural(more as u64, "other public function", "other public functions");
            remarks.push(format!("not seen from {others} that call it"));
        }
        let unit = report.functions.iter().find(|of| of.findings.contains(&finding.id));
        let is_static = unit.is_some_and(|unit| !unit.is_public);
        if self.reachable_from.is_empty() && self.not_seen_from.is_empty() && is_static {
            remarks.push("no public function is known to lead to it: seen only when called directly".to_owned());
        }
        remarks
    }
}

/// A route in words: `a → b → c with x = 1, y = 2`.
fn route_words(route: &Route) -> String {
    let named = |value: &&Value| value.name.is_some() && value.decimal.is_some();
    let scalars: Vec<&Value> = route.inputs.iter().flat_map(Value::scalars).filter(named).collect();
    // As of witnesses.
    let is_shown = |value: &&&Value| scalars.len() <= SCALARS_SHOWN || !is_plain_zero(value);
    let mut inputs: Vec<String> = scalars
        .iter()
        .filter(is_shown)
        .map(|value| {
            let [name, decimal] = [&value.name, &value.decimal].map(|part| part.as_deref().unwrap_or_default());
            format!("{name} = {decimal}")
        })
        .collect();
    let zeros = scalars.len() - inputs.len();
    inputs.extend((zeros > 0).then(|| format!("and {zeros} more that are 0")));
    let with = if inputs.is_empty() { String::new() } else { format!(" with {}", inputs.join(", ")) };
    let chain = if route.chain.is_empty() { route.entry.clone() } else { route.chain.join(" → ") };
    format!("{chain}{with}")
}
