//! Verdicts by site, as the page has them: a site once, and what most sites have in common once.

use std::collections::HashMap;

use labrys_float::Flags;
use serde::Serialize;

use crate::{SiteKey, SiteRecord, Verdict, exceptions};

/// A site with its exceptions.
#[derive(Serialize)]
pub(super) struct Site<'a> {
    #[serde(flatten)]
    key: &'a SiteKey,
    pairs: Vec<Pair<'a>>,
}

/// An exception with its verdict: of most sites the same.
#[derive(Serialize)]
struct Pair<'a> {
    #[serde(with = "exceptions::one")]
    exception: Flags,
    #[serde(flatten)]
    verdict: &'a Verdict,
}

/// Records by site, in the order in which sites are first named.
pub(super) fn by_site(records: &[SiteRecord]) -> Vec<Site<'_>> {
    let mut places: HashMap<&SiteKey, usize> = HashMap::new();
    let mut sites: Vec<Site<'_>> = Vec::new();
    for record in records {
        let place = *places.entry(&record.site).or_insert(sites.len());
        if place == sites.len() {
            sites.push(Site { key: &record.site, pairs: Vec::new() });
        }
        sites[place].pairs.push(Pair { exception: record.exception, verdict: &record.verdict });
    }
    sites
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_stands_once() {
        let record = |function: &str, exception| SiteRecord {
            site: SiteKey { function: function.to_owned(), operator: "fadd".to_owned(), ..SiteKey::default() },
            exception,
            verdict: Verdict::Unknown { why: "no time was left".to_owned() },
        };
        let records = [record("g", Flags::INVALID), record("f", Flags::INVALID), record("g", Flags::OVERFLOW)];
        let sites = serde_json::to_value(by_site(&records)).expect("serialises");
        let why = |exception: &str| serde_json::json!({"exception": exception, "verdict": "unknown", "why": "no time was left"});
        assert_eq!(
            sites,
            serde_json::json!([
                {"function": "g", "operator": "fadd", "pairs": [why("invalid"), why("overflow")]},
                {"function": "f", "operator": "fadd", "pairs": [why("invalid")]},
            ])
        );
    }
}
