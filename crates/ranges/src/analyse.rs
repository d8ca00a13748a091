//! The front door: a function, its inputs' domains, and what comes of it.

use std::rc::Rc;
use std::time::Instant;

use labrys_float::Flags;
use labrys_program::{CallGraph, FunctionId, IrBinding, Leaf, Program, ScalarType, Signature};
use labrys_solver::domain::{BitVecDomain, BoolDomain, Domain, FloatDomain};
use labrys_symex::Site;
use rustc_hash::{FxHashMap, FxHashSet};
use tracing::debug;

use crate::assumptions::{QUIET_NANS, ROUNDING, globals};
use crate::entry::{Input, Subject, leaf_top};
use crate::graph;
use crate::integer::{IntDomain, signed};
use crate::options::RangeOptions;
use crate::split::{self, Found};
use crate::stop::{Stop, unsupported};

/// The name of this crate in the log.
pub(crate) const LOG: &str = "ranges";

/// One site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteRange {
    /// The site, named as symbolic execution names it.
    pub site: Site,
    /// A superset of the exceptions that it raises in any run (inexact left out).
    pub may_raise: Flags,
    /// Whether some run may execute it.
    pub is_reached: bool,
}

/// What an analysis found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    /// Every site of the function and of all that it can call.
    pub sites: Vec<SiteRange>,
    /// What the supersets rest on.
    pub assumptions: Vec<String>,
    /// Functions that were taken to do anything, by name, and why.
    pub opaque: Vec<(String, String)>,
    /// Why nothing is proved at all: then every site may raise everything.
    pub incomplete: Option<String>,
    /// Boxes that the inputs were split into.
    pub boxes: usize,
}

/// Every value of an input's type.
pub fn any_input(leaf: &Leaf) -> Domain {
    match leaf.scalar {
        ScalarType::Float(float) => Domain::Float(FloatDomain::top(float.format())),
        ScalarType::Int { bits, .. } => Domain::BitVec(BitVecDomain::top(bits)),
        ScalarType::Bool => Domain::Bool(BoolDomain::Any),
    }
}

/// Which exceptions each site may raise in a call of `function`, for inputs from the domains that `inputs` gives.
///
/// Loops are analysed without a bound, calls in their contexts. A function that cannot be analysed is taken to do
/// anything; if it is the one asked for, or time is up before the first run ends, the result is incomplete.
pub fn analyse(
    program: &Program,
    function: FunctionId,
    binding: &IrBinding,
    signature: &Signature,
    inputs: &dyn Fn(&Leaf) -> Domain,
    options: &RangeOptions<'_>,
) -> Ranges {
    let begun = Instant::now();
    let calls = CallGraph::new(program);
    let layout = signature.input_layout();
    let inputs: Vec<Input> = layout
        .leaves
        .iter()
        .filter_map(|leaf| Some(Input { leaf: leaf.clone(), domain: input_domain(leaf, &inputs(leaf))? }))
        .collect();
    let functions = calls.reachable(function);
    let mut sites = labrys_symex::static_sites_in(program, &functions);
    if inputs.len() < layout.leaves.len() {
        // No input at all: nothing is executed.
        return finish(sites, Found::default(), program, options);
    }
    let subject = Subject { function, binding, signature, init: options.init };
    let found = on_large_stack(|| split::search(program, Rc::new(calls), &subject, inputs, options));
    let ranges = match found {
        Ok(found) => finish(sites, found, program, options),
        Err(why) => {
            let all = |site: Site| SiteRange { may_raise: site.operator.possible(), site, is_reached: true };
            Ranges { sites: sites.drain(..).map(all).collect(), incomplete: Some(why.to_string()), ..Ranges::default() }
        }
    };
    tell(&signature.name, &ranges, begun);
    ranges
}

/// Tells the log what was found, and what kept it from being more.
fn tell(function: &str, ranges: &Ranges, begun: Instant) {
    debug!(
        target: LOG,
        function,
        sites = ranges.sites.len(),
        harmless = ranges.sites.iter().filter(|site| site.may_raise.is_empty()).count(),
        boxes = ranges.boxes,
        seconds = begun.elapsed().as_secs_f64(),
        "{}",
        ranges.incomplete.as_deref().unwrap_or("complete")
    );
    for (name, why) in &ranges.opaque {
        debug!(target: LOG, function, "{name} is taken to do anything: {why}");
    }
}

/// The domain of an input; `None` if it is empty.
fn input_domain(leaf: &Leaf, given: &Domain) -> Option<graph::Domain> {
    let top = leaf_top(leaf);
    let given = match (given, &top) {
        (Domain::Float(set), graph::Domain::Float(own)) if set.format == own.format => graph::Domain::Float(*set),
        (Domain::BitVec(set), graph::Domain::Int(own)) if set.width == own.bits && set.low <= set.high => {
            graph::Domain::Int(of_vectors(set))
        }
        (Domain::BitVec(set), _) if set.low > set.high => return None,
        (Domain::Bool(set), graph::Domain::Int(own)) => graph::Domain::Int(match set {
            BoolDomain::Empty => return None,
            BoolDomain::True => IntDomain::only(own.bits, 1),
            BoolDomain::False => IntDomain::only(own.bits, 0),
            BoolDomain::Any => IntDomain::between(own.bits, 0, 1),
        }),
        _ => return Some(top),
    };
    top.intersect(&given)
}

/// An interval of bit vectors; one that wraps from all ones to zero, in the signed reading, is kept whole.
fn of_vectors(set: &BitVecDomain) -> IntDomain {
    let (low, high) = (signed(set.width, set.low), signed(set.width, set.high));
    if low <= high { IntDomain::between(set.width, low, high) } else { IntDomain::top(set.width) }
}

fn finish(sites: Vec<Site>, found: Found, program: &Program, options: &RangeOptions<'_>) -> Ranges {
    let place = |site: &Site| (site.function.clone(), site.block, site.instruction);
    // An execution by a name that the list does not have counts for every site of its instruction.
    let listed: FxHashSet<&Site> = sites.iter().collect();
    let mut unlisted: FxHashMap<(String, u32, u32), Flags> = FxHashMap::default();
    for (site, flags) in found.sites.iter().filter(|(site, _)| !listed.contains(site)) {
        *unlisted.entry(place(site)).or_insert(Flags::empty()) |= *flags;
    }
    drop(listed);
    let reached = |site: Site| {
        let raised = [found.sites.get(&site), unlisted.get(&place(&site))];
        let may_raise = raised.iter().flatten().fold(Flags::empty(), |all, flags| all | **flags);
        SiteRange { is_reached: raised.iter().any(Option::is_some), may_raise, site }
    };
    let always = [ROUNDING, QUIET_NANS, globals(options.init.is_some())];
    let assumptions = always.iter().chain(&found.assumptions).map(|text| (*text).to_owned()).collect();
    let opaque = found.opaque.iter().map(|(id, why)| (program.functions[id.index()].name.clone(), why.clone()));
    Ranges {
        opaque: opaque.collect(),
        sites: sites.into_iter().map(reached).collect(),
        assumptions,
        incomplete: None,
        boxes: found.boxes,
    }
}

/// Calls nest on the machine's stack: each takes some kilobytes for its blocks and loops.
const STACK: usize = 1 << 28;

/// Runs something on a stack of its own; a thread that cannot be had, or that panics, is a reason like others.
pub(crate) fn on_large_stack<T: Send>(work: impl FnOnce() -> Result<T, Stop> + Send) -> Result<T, Stop> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match thread {
            Ok(thread) => thread.join().unwrap_or_else(|_| Err(unsupported("range analysis broke off"))),
            Err(error) => Err(unsupported(format!("no thread for range analysis: {error}"))),
        }
    })
}
