//! Guards that keep a model over the reals meaningful over the floats.

use labrys_term::{Op, Store, TermId};
use num_traits::Signed;

use super::number::is_zero;
use super::real::no_cancellation;

/// y ≠ 0 for each division x/y below `roots`: the reals leave x/0 open, and a solver would choose it as it likes.
pub(super) fn divisors_not_zero(store: &mut Store, roots: &[TermId]) -> Vec<TermId> {
    let mut divisors: Vec<TermId> = Vec::new();
    for term in store.reachable(roots) {
        let node = store.node(term);
        if node.op == Op::RealDiv && !matches!(store.node(node.args[1]).op, Op::RealConst(_)) {
            divisors.push(node.args[1]);
        }
    }
    divisors.sort_unstable();
    divisors.dedup();
    // Each guard costs: a polynomial more to take apart.
    divisors.retain(|divisor| sign(store, *divisor) != Some(Sign::Positive));
    let mut guard = |divisor: TermId| {
        let zero = is_zero(store, divisor);
        store.not(zero)
    };
    divisors.into_iter().map(&mut guard).collect()
}

/// What is plain to see of a term's value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Positive,
    NotNegative,
}

/// Squares are not negative, positive constants are positive, and so are sums of these.
fn sign(store: &Store, term: TermId) -> Option<Sign> {
    let node = store.node(term);
    match (&node.op, node.args.as_slice()) {
        (Op::RealConst(value), _) if value.is_positive() => Some(Sign::Positive),
        (Op::RealMul, [x, y]) if x == y => Some(Sign::NotNegative),
        // One level is enough for 1 + x², and bounds the recursion.
        (Op::RealAdd, &[x, y]) => {
            let plain = |term: TermId| match store.node(term).op {
                Op::RealAdd => None,
                _ => sign(store, term),
            };
            match (plain(x)?, plain(y)?) {
                (Sign::NotNegative, Sign::NotNegative) => Some(Sign::NotNegative),
                _ => Some(Sign::Positive),
            }
        }
        _ => None,
    }
}

/// For each sum below `root`: it does not cancel by more than 40 bits.
pub(super) fn sums_do_not_cancel(store: &mut Store, root: TermId) -> Vec<TermId> {
    let mut guards = Vec::new();
    for term in store.reachable(&[root]) {
        let node = store.node(term);
        if !matches!(node.op, Op::RealAdd | Op::RealSub) || node.args.len() != 2 {
            continue;
        }
        let (x, y) = (node.args[0], node.args[1]);
        guards.push(no_cancellation(store, term, x, y));
    }
    guards
}
