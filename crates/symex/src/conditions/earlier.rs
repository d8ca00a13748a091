//! The paper's termination rule over the reals: a program stops at its first exception (Barr, Vo, Le, Su: Automatic
//! Detection of Floating-Point Exceptions, POPL 2013, section 3).
//!
//! The reals have no infinities and no NaN, so that what they say of an operation is only about runs in which nothing
//! was raised before it.

use labrys_float::Flags;
use labrys_term::reals::Abstraction;
use labrys_term::{Op, Store, TermId};
use rustc_hash::FxHashSet;

use super::{Form, real_condition};
use crate::SiteExecution;

/// One term for each of the last `most` operations before `executions[index]` on its path that can raise one of
/// `exceptions`: it raises none of them.
///
/// Operations whose conditions have no reading over the reals are left out: the conjunction then promises less, which a
/// candidate may. An operation is on the path if its own path condition is the start of the other's.
pub fn no_earlier_exception(
    store: &mut Store,
    abstraction: &mut Abstraction,
    executions: &[SiteExecution],
    index: usize,
    exceptions: Flags,
    most: usize,
) -> Vec<TermId> {
    let Some(execution) = executions.get(index) else { return Vec::new() };
    let prefixes = prefixes(store, execution.path);
    let (mut clean, mut seen) = (Vec::new(), FxHashSet::default());
    for earlier in executions[..index].iter().rev().filter(|earlier| prefixes.contains(&earlier.path)) {
        if clean.len() >= most {
            break;
        }
        // The path holds already; the operation's own condition is what must not.
        let truth = store.bool_const(true);
        let alone = SiteExecution { path: truth, ..earlier.clone() };
        let raised: Vec<TermId> = exceptions
            .iter()
            .filter_map(|exception| real_condition(store, abstraction, &alone, exception, Form::Draft)?.ok())
            .collect();
        if !raised.is_empty() {
            let raised = store.or(&raised);
            if seen.insert(raised) {
                clean.push(store.not(raised));
            }
        }
    }
    clean
}

/// The path conditions that a path went through: conjunctions grow to the right, from `true`.
fn prefixes(store: &mut Store, path: TermId) -> FxHashSet<TermId> {
    let mut found = FxHashSet::from_iter([path, store.bool_const(true)]);
    let mut prefix = path;
    while let (Op::And, &[before, _]) = (&store.node(prefix).op, store.node(prefix).args.as_slice()) {
        found.insert(before);
        prefix = before;
    }
    found
}

#[cfg(test)]
mod tests {
    use labrys_float::Format;
    use labrys_term::Sort;

    use super::*;
    use crate::SiteOperator;

    #[test]
    fn only_operations_on_the_way_count() {
        let mut store = Store::new();
        let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::Float(Format::BINARY64)));
        let (less, more) = (store.mk(Op::FpLt, &[x, y]), store.mk(Op::FpLt, &[y, x]));
        let truth = store.bool_const(true);
        let both = store.and(&[less, more]);
        let at = |path, operator, operands: &[TermId]| {
            SiteExecution::anywhere(operator, path, operands, x, Format::BINARY64)
        };
        let executions = [
            at(truth, SiteOperator::Div, &[x, y]),
            at(more, SiteOperator::Mul, &[x, x]),
            at(less, SiteOperator::Mul, &[y, y]),
            at(both, SiteOperator::Mul, &[x, y]),
        ];
        let mut abstraction = Abstraction::default();
        let mut count = |exceptions, most| {
            no_earlier_exception(&mut store, &mut abstraction, &executions, 3, exceptions, most).len()
        };
        // The quotient and the product on `less`, not the one on the other branch.
        assert_eq!(count(Flags::NOTABLE, 9), 2);
        assert_eq!(count(Flags::NOTABLE, 1), 1);
        assert_eq!(count(Flags::DIVBYZERO, 9), 1);
    }
}
