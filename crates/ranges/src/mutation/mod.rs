//! Planted faults: transfer functions are made wrong, one at a time, and some check must notice.
//!
//! A transfer function that no check would find wrong is one of which nobody knows that it is right. Here each is broken in each way
//! in which one may be: an end of a result is dropped, a zero, an infinity, NaN or an exception is forgotten. What changes no result
//! on any sample is no fault. Every other one must show when the functions are compared with the operations themselves on all members
//! of small sets (`checks`).

mod checks;
mod sample;

use std::cell::{Cell, RefCell};

use labrys_float::Flags;
use labrys_interp::FloatOperation;
use labrys_solver::domain::{FloatDomain, Range};
use smallvec::SmallVec;

use crate::graph::{Domain, NodeId, Op};
use crate::integer::IntDomain;

/// A way to be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The member with the least magnitude, or the least integer, is dropped.
    Least,
    /// The member with the greatest magnitude, or the greatest integer, is dropped.
    Greatest,
    /// No zeros.
    Zeros,
    /// No infinities.
    Infinities,
    /// No NaN.
    Nan,
    /// An exception is forgotten.
    Exception(Flags),
}

/// What is wrong of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Backward,
}

impl Fault {
    const RESULT: [Fault; 5] = [Fault::Least, Fault::Greatest, Fault::Zeros, Fault::Infinities, Fault::Nan];
    const EXCEPTIONS: [Fault; 4] = [
        Fault::Exception(Flags::INVALID),
        Fault::Exception(Flags::DIVBYZERO),
        Fault::Exception(Flags::OVERFLOW),
        Fault::Exception(Flags::UNDERFLOW),
    ];

    fn range(self, range: Option<Range>) -> Option<Range> {
        let Range { low, high } = range?;
        let kept = match self {
            Fault::Least => Range { low: low + 1, high },
            Fault::Greatest => Range { low, high: high - 1 },
            _ => Range { low, high },
        };
        (kept.low <= kept.high).then_some(kept)
    }

    fn float(self, set: &FloatDomain) -> FloatDomain {
        let mut set = FloatDomain { negative: self.range(set.negative), positive: self.range(set.positive), ..*set };
        match self {
            Fault::Zeros => (set.minus_zero, set.plus_zero) = (false, false),
            Fault::Infinities => (set.minus_infinity, set.plus_infinity) = (false, false),
            Fault::Nan => set.nan = false,
            _ => {}
        }
        set
    }

    /// There is no empty set of integers: the last member becomes another one.
    fn int(self, set: &IntDomain) -> IntDomain {
        match (self, set.single()) {
            (Fault::Least, Some(value)) => IntDomain::only(set.bits, (value + 1) as u128),
            (Fault::Greatest, Some(value)) => IntDomain::only(set.bits, (value - 1) as u128),
            (Fault::Least, None) => set.clip(set.low + 1, set.high).unwrap_or(*set),
            (Fault::Greatest, None) => set.clip(set.low, set.high - 1).unwrap_or(*set),
            _ => *set,
        }
    }

    fn domain(self, domain: &Domain) -> Domain {
        match domain {
            Domain::Float(set) => Domain::Float(self.float(set)),
            Domain::Int(set) => Domain::Int(self.int(set)),
            Domain::Pointer(_) => domain.clone(),
        }
    }
}

thread_local! {
    static PLANTED: RefCell<Option<(String, Direction, Fault)>> = const { RefCell::new(None) };
    /// How many results the fault has changed.
    static CHANGED: Cell<u64> = const { Cell::new(0) };
}

/// Does something while a transfer function is wrong; how many results that changed.
fn with_fault<T>(name: &str, direction: Direction, fault: Fault, work: impl FnOnce() -> T) -> (T, u64) {
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
