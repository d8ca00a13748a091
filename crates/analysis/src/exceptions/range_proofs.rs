//! Proofs without paths: what abstract interpretation rules out for all inputs.

use std::time::Instant;

use labrys_float::Flags;
use labrys_program::Leaf;
use labrys_ranges::{RangeOptions, analyse};
use labrys_symex::Site;
use rustc_hash::FxHashMap;

use super::pairs::{PairKey, Pairs, Proof, Scope};
use super::request::Request;
use crate::inputs::domain::Domain as SearchDomain;
use crate::solving::paths;
use crate::target::unit::Unit;

/// Parts of the inputs: as many as there is time for, but no more than fit into memory.
const MAX_BOXES: usize = 1 << 14;

/// Proves what can be proved; remarks for the report.
pub fn prove(
    request: &Request,
    unit: &Unit,
    domain: &SearchDomain,
    pairs: &mut Pairs,
    deadline: Option<Instant>,
) -> Option<String> {
    let Ok(analysed) = &unit.analysed else { return None };
    let settled = |site: &Site| pairs.settled(site);
    let options = RangeOptions {
        settled: Some(&settled),
        deadline,
        max_boxes: MAX_BOXES,
        ulps: request.libm_ulps,
        init: unit.init.as_deref().and_then(|symbol| analysed.program.function(symbol)),
        ..RangeOptions::default()
    };
    let inputs = |leaf: &Leaf| paths::values_of(domain, leaf);
    let ranges = analyse(&analysed.program, analysed.function, &analysed.binding, &unit.signature, &inputs, &options);
    if let Some(why) = &ranges.incomplete {
        return Some(format!("value ranges prove nothing: {why}"));
    }
    // A site of the source is several of the IR: what any of them may raise counts.
    let mut may: FxHashMap<labrys_report::SiteKey, Flags> = FxHashMap::default();
    for site in &ranges.sites {
        if let Some(key) = pairs.key_of(&site.site) {
            *may.entry(key.clone()).or_default() |= site.may_raise;
        }
    }
    let listed: FxHashMap<_, ()> = ranges.sites.iter().map(|site| (site.site.clone(), ())).collect();
    for key in pairs.unproved() {
        let (site, exception): &PairKey = &key;
        // What the ranges leave out.
        if *exception == Flags::INEXACT {
            continue;
        }
        let all_listed = pairs.sites_of(site).all(|site| listed.contains_key(site));
        if all_listed && may.get(site).is_some_and(|flags| !flags.contains(*exception)) {
            let assumptions = ranges.assumptions.clone();
            pairs.prove(&key, Proof { engine: "ranges", scope: Scope::Ir, assumptions, loop_bound: None });
        }
    }
    None
}
