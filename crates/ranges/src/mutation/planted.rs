//! The fault that is planted in this thread, and what it makes of results.

use std::cell::{Cell, RefCell};

use labrys_float::Flags;
use labrys_interp::FloatOperation;
use labrys_solver::domain::FloatDomain;
use smallvec::SmallVec;

use super::fault::{Direction, Fault};
use crate::graph::{Domain, NodeId, Op};
use crate::integer::IntDomain;

thread_local! {
    static PLANTED: RefCell<Option<(String, Direction, Fault)>> = const { RefCell::new(None) };
    /// How many results the fault has changed.
    static CHANGED: Cell<u64> = const { Cell::new(0) };
}

/// Does something while a transfer function is wrong; how many results that changed.
pub(super) fn with_fault<T>(name: &str, direction: Direction, fault: Fault, work: impl FnOnce() -> T) -> (T, u64) {
    PLANTED.set(Some((name.to_owned(), direction, fault)));
    CHANGED.set(0);
    let done = work();
    PLANTED.set(None);
    (done, CHANGED.get())
}

/// The fault of a transfer function, if it is the one that has one.
fn planted(name: &str, direction: Direction) -> Option<Fault> {
    PLANTED.with_borrow(|planted| {
        planted.as_ref().filter(|(of, at, _)| of == name && *at == direction).map(|(_, _, fault)| *fault)
    })
}

fn noted<T: PartialEq>(before: &T, after: T) -> T {
    CHANGED.set(CHANGED.get() + u64::from(after != *before));
    after
}

/// An operation's name here.
pub(crate) fn of_operation(operation: FloatOperation, same: bool) -> String {
    let name = match operation {
        // Not to which format.
        FloatOperation::Convert(_) => "Convert".to_owned(),
        operation => format!("{operation:?}"),
    };
    if same { format!("{name} of one value") } else { name }
}

/// The name of an operation of the graph.
pub(crate) fn of_op(op: Op) -> String {
    match op {
        Op::Float(operation) => of_operation(operation, false),
        Op::FloatCompare(_) => "FloatCompare".to_owned(),
        Op::Class(_) => "Class".to_owned(),
        op => format!("{op:?}"),
    }
}

/// A result and what may be raised.
pub(crate) fn raising(name: &str, (set, flags): (FloatDomain, Flags)) -> (FloatDomain, Flags) {
    let Some(fault) = planted(name, Direction::Forward) else { return (set, flags) };
    match fault {
        Fault::Exception(forgotten) => noted(&(set, flags), (set, flags - forgotten)),
        fault => noted(&(set, flags), (fault.float(&set), flags)),
    }
}

/// A result alone.
pub(crate) fn float(name: &str, set: FloatDomain) -> FloatDomain {
    match planted(name, Direction::Forward) {
        Some(fault) => noted(&set, fault.float(&set)),
        None => set,
    }
}

/// What may be raised.
pub(crate) fn flags(name: &str, flags: Flags) -> Flags {
    match planted(name, Direction::Forward) {
        Some(Fault::Exception(forgotten)) => noted(&flags, flags - forgotten),
        _ => flags,
    }
}

/// The parts of a number.
pub(crate) fn parts(name: &str, (fraction, exponent): (FloatDomain, IntDomain)) -> (FloatDomain, IntDomain) {
    match planted(name, Direction::Forward) {
        Some(fault) => noted(&(fraction, exponent), (fault.float(&fraction), fault.int(&exponent))),
        None => (fraction, exponent),
    }
}

/// A result. Those of operations on floats are broken where their flags are, too.
pub(crate) fn domain(name: &str, domain: Domain) -> Domain {
    match planted(name, Direction::Forward) {
        Some(fault) => noted(&domain, fault.domain(&domain)),
        None => domain,
    }
}

/// What is left of arguments.
pub(crate) fn narrowed(name: &str, all: SmallVec<[(NodeId, Domain); 3]>) -> SmallVec<[(NodeId, Domain); 3]> {
    match planted(name, Direction::Backward) {
        Some(fault) => {
            let broken = all.iter().map(|(node, domain)| (*node, fault.domain(domain))).collect();
            noted(&all, broken)
        }
        None => all,
    }
}
