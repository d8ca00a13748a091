//! Proofs without paths: what abstract interpretation rules out for all inputs.

use std::time::Instant;

use labrys_float::{Flags, Float};
use labrys_program::Leaf;
use labrys_ranges::{RangeOptions, analyse};
use labrys_solver::domain::{BitVecDomain, BoolDomain, Domain, FloatDomain};
use labrys_symex::{Intervals, Site, leaf_sort, leaf_variable};
use labrys_term::{Sort, Store};
use rustc_hash::FxHashMap;

use super::pairs::{PairKey, Pairs, Proof, Scope};
use super::request::Request;
use crate::inputs::domain::Domain as SearchDomain;
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
    let inputs = |leaf: &Leaf| input_domain(domain, leaf);
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

/// The oracle that prunes paths: by the same sets of inputs.
pub fn oracle(domain: &SearchDomain, store: &mut Store) -> Intervals {
    let leaves = domain.inputs.leaves.iter();
    let floats = leaves.filter_map(|leaf| match input_domain(domain, leaf) {
        Domain::Float(values) => Some((leaf_variable(store, leaf), values)),
        _ => None,
    });
    Intervals::new(floats.collect::<Vec<_>>())
}

/// The values that an input leaf takes.
fn input_domain(domain: &SearchDomain, leaf: &Leaf) -> Domain {
    let index = domain.inputs.leaves.iter().position(|other| other.path == leaf.path);
    let bounds = index.and_then(|index| domain.space.bounds(index));
    match (leaf_sort(leaf.scalar), bounds) {
        (Sort::Float(format), Some((low, high, nan))) => {
            let numbers = FloatDomain::between(&Float::from_bits(format, low), &Float::from_bits(format, high));
            Domain::Float(if nan { numbers.hull(&FloatDomain::only(&Float::nan(format))) } else { numbers })
        }
        (Sort::Float(format), None) => Domain::Float(FloatDomain::top(format)),
        (Sort::Bool, _) => Domain::Bool(BoolDomain::Any),
        // The encodings of a signed interval around zero are no interval.
        (_, Some((low, high, _))) if low <= high => Domain::BitVec(BitVecDomain::between(width(leaf), low, high)),
        _ => Domain::BitVec(BitVecDomain::top(width(leaf))),
    }
}

fn width(leaf: &Leaf) -> u32 {
    8 * leaf.scalar.size() as u32
}
