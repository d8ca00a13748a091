//! Whole programs: whether anything can go wrong, without following paths.
//!
//! **Claim.** Where [`prove`] succeeds, no run of the program does what [`Checked`] lists, whatever its inputs are.
//! **Argument.** A run over the code describes all runs up to the first thing that goes wrong ([`crate::whole`]). Wherever one could go
//! wrong in a described state, the machine says so ([`Machine::may_fail`]); if it never does, none goes wrong first, and so none at all. What takes
//! something for granted elsewhere is a failure here. Blocks that no state enters no run enters before it goes wrong.
//!
//! **What it gives up.** Heaps, strings, computed calls, long doubles (encodings that are no numbers), libm's functions but for exact ones, calls that
//! throw, arrays that are filled by loops too long to be followed: never a wrong proof, often none.

use std::time::Instant;

use labrys_float::{Flags, Format};
use labrys_interp::Facts;
use labrys_program::{
    BlockId, Callee, Constant, Ending, FloatCall, Function, FunctionId, InstructionKind, IntBinary, IntPredicate,
    KnownFunction, Operand, Program, Type,
};
use rustc_hash::FxHashSet;
use tracing::debug;

use crate::analyse::{LOG, on_large_stack};
use crate::assumptions::{CONSTANTS, IN_BOUNDS};
use crate::care::cares;
use crate::graph::{Domain, NodeId};
use crate::integer::IntDomain;
use crate::machine::Machine;
use crate::memory::Object;
use crate::options::RangeOptions;
use crate::pointer::{Base, ObjectId, Target};
use crate::record::At;
use crate::snapshot::Snapshot;
use crate::stop::Stop;
use crate::whole::{VerifierCalls, Whole};

/// Failures at which every path ends that meets them, so that what is described behind them is what paths do.
const ENDS: [&str; 11] = [
    ERROR,
    ASSERTION,
    DIVISION,
    DIVISION_OVERFLOW,
    UNREACHABLE,
    TRAP,
    IN_BOUNDS,
    CONSTANTS,
    ANYWHERE,
    UNWRITTEN,
    ANYTHING,
];

pub(crate) const ERROR: &str = "an error may be reached";
pub(crate) const ASSERTION: &str = "an assertion may fail";
const DIVISION: &str = "an integer may be divided by zero";
const DIVISION_OVERFLOW: &str = "the smallest integer may be divided by -1";
pub(crate) const UNREACHABLE: &str = "unreachable code may be reached";
pub(crate) const TRAP: &str = "the program may be ended by a trap";
pub(crate) const ANYWHERE: &str = "an access may be anywhere";
pub(crate) const UNWRITTEN: &str = "memory may be read that was never written";
/// Of a call that was not looked into: what is described behind it is all that it may have done.
pub(crate) const ANYTHING: &str = "a call may do anything";

/// What is checked beside what is always an error: failed assertions, errors and unreachable code that are reached, accesses outside objects that live, reads
/// of what was never written, integer divisions that trap, shifts too far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Whether signed integers overflow.
    pub signed_overflow: bool,
}

/// What is known of a program that is not proved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Open {
    /// Why it is not.
    pub why: String,
    /// What is known all the same.
    pub facts: Facts,
}

/// Proves that nothing goes wrong in a program that begins with `entry`, whatever its inputs are: first with little care, then with more.
///
/// # Errors
///
/// Why it is not proved, and what is known all the same.
pub fn prove(
    program: &Program,
    entry: FunctionId,
    verifier: &VerifierCalls<'_>,
    checked: Checked,
    deadline: Option<Instant>,
) -> Result<(), Open> {
    let nothing = |stop: Stop| Open { why: stop.to_string(), facts: Facts::default() };
    on_large_stack(|| proved(program, entry, verifier, checked, deadline)).map_err(nothing)?.map_or(Ok(()), Err)
}

fn proved(
    program: &Program,
    entry: FunctionId,
    verifier: &VerifierCalls<'_>,
    checked: Checked,
    deadline: Option<Instant>,
) -> Result<Option<Open>, Stop> {
    let whole = Whole::of(program, entry, verifier)?;
    if let Some(why) = whole.functions().find_map(|(_, function)| obstacle(function)) {
        return Err(Stop::Unsupported(why.into()));
    }
    let options = RangeOptions { deadline, ..RangeOptions::default() };
    let mut open = Open { why: "no run".to_owned(), facts: Facts::default() };
    for care in cares(&options).into_iter().rev().filter(|care| !care.is_shared) {
        match whole.run(care, &options, |machine| machine.checked = Some(checked)) {
            Ok(machine) => {
                let Some(why) = failure(&machine) else { return Ok(None) };
                // More care knows more.
                open = Open { why, facts: facts(&whole, &machine) };
            }
            Err(Stop::Unsupported(why)) => return Err(Stop::Unsupported(why)),
            Err(Stop::Budget(why)) => open.why = why.to_string(),
        }
        debug!(target: LOG, disjuncts = care.disjuncts, "nothing is proved: {}", open.why);
    }
    Ok(Some(open))
}

/// What a machine did not enter, and what it saw nothing go wrong at, if what it found otherwise is where paths end, too.
fn facts(whole: &Whole<'_>, machine: &Machine<'_>) -> Facts {
    let record = &machine.record;
    let mut facts = Facts::default();
    if !record.failing.iter().all(|(why, _)| ENDS.contains(why)) || !machine.assumptions.is_empty() {
        return facts;
    }
    let failing: FxHashSet<At> = record.failing.iter().map(|(_, at)| *at).collect();
    for (id, function) in whole.functions() {
        for (index, block) in function.blocks.iter().enumerate() {
            let block_id = BlockId(index as u32);
            if !record.entered.contains(&(id, block_id)) {
                facts.unreached.insert((id, block_id));
                continue;
            }
            for (index, instruction) in block.instructions.iter().enumerate() {
                let at = (id, block_id, index as u32);
                if is_looked_at(&instruction.kind) && !failing.contains(&at) {
                    facts.safe.insert(at);
                }
            }
        }
    }
    facts
}

/// Whether all that can go wrong at an instruction is seen here; of calls it is not.
fn is_looked_at(kind: &InstructionKind) -> bool {
    matches!(kind, InstructionKind::Load { .. } | InstructionKind::Store { .. } | InstructionKind::IntBinary { .. })
}

/// What may go wrong in a program that a machine has been run over.
fn failure(machine: &Machine<'_>) -> Option<String> {
    if !machine.completes && machine.has_excluded {
        return Some("assumptions may exclude every run".to_owned());
    }
    let opaque = machine.record.opaque.iter().next();
    let opaque = opaque.map(|(id, why)| format!("{}: {why}", machine.program.functions[id.index()].name));
    let failing = || {
        let failing = machine.record.failing.iter().map(|(why, _)| why);
        failing.chain(&machine.assumptions).next().map(|why| (*why).to_owned())
    };
    opaque.or_else(failing)
}

/// What keeps a function from being looked at here.
fn obstacle(function: &Function) -> Option<&'static str> {
    let is_x87 = |ty: &Type| ty.has_float(Format::X87);
    if function.values.iter().any(is_x87) || is_x87(&function.result) {
        return Some("long doubles may be encodings of no number");
    }
    let blocks = || function.blocks.iter();
    if let Some(why) = function.values.iter().find_map(|ty| match ty {
        Type::Vector(..) => Some("vectors"),
        Type::Int(65..) => Some("wide integers"),
        _ => None,
    }) {
        return Some(why);
    }
    if blocks().any(|block| block.unwind.is_some()) {
        return Some("calls may throw");
    }
    let instructions = || blocks().flat_map(|block| &block.instructions);
    if instructions().any(|instruction| has_undefined(&instruction.kind)) {
        return Some("undefined values");
    }
    let later = blocks().skip(1).flat_map(|block| &block.instructions);
    if later.into_iter().any(|instruction| matches!(instruction.kind, InstructionKind::Alloca(..))) {
        return Some("stack memory that is made more than once in a call");
    }
    let is_computed = |kind: &InstructionKind| matches!(kind, InstructionKind::Call(Callee::Indirect(_), _));
    instructions().any(|instruction| is_computed(&instruction.kind)).then_some("computed calls")
}

/// Whether an operand is undefined, but for structs that are built member by member.
fn has_undefined(kind: &InstructionKind) -> bool {
    let is_struct = |operand: &Operand| {
        matches!(operand, Operand::Constant(Constant::Undef(Type::Struct(_)) | Constant::Poison(Type::Struct(_))))
    };
    if let InstructionKind::InsertValue(aggregate, element, _) = kind {
        return !is_struct(aggregate) && is_undefined(aggregate) || is_undefined(element);
    }
    let mut found = false;
    kind.for_each_operand(|operand| found |= is_undefined(operand));
    found
}

fn is_undefined(operand: &Operand) -> bool {
    match operand {
        Operand::Constant(constant) => has_hole(constant),
        Operand::Value(_) => false,
    }
}

fn has_hole(constant: &Constant) -> bool {
    match constant {
        Constant::Undef(_) | Constant::Poison(_) | Constant::Unsupported(..) => true,
        Constant::Aggregate(_, members) => members.iter().any(has_hole),
        _ => false,
    }
}

impl Machine<'_> {
    /// A block is entered.
    pub fn note_entered(&mut self, function: FunctionId, block: BlockId) {
        if self.is_recording && self.checked.is_some() {
            self.record.entered.insert((function, block));
        }
    }

    /// Something may go wrong here, of which a proof says that it does not.
    pub fn may_fail(&mut self, what: &'static str) {
        if self.is_recording && self.checked.is_some() {
            self.record.failing.insert((what, self.at));
        }
    }

    /// Takes something for granted; in a proof nothing is.
    pub fn assume(&mut self, what: &'static str) {
        match self.checked {
            Some(_) => self.may_fail(what),
            None => drop(self.assumptions.insert(what)),
        }
    }

    /// Looks at an operation on integers.
    pub fn check_integers(&mut self, op: IntBinary, may_poison: bool, x: &IntDomain, y: &IntDomain) {
        let Some(checked) = self.checked else { return };
        let least = IntDomain::top(x.bits).low;
        match op {
            IntBinary::UDiv | IntBinary::URem | IntBinary::SDiv | IntBinary::SRem => {
                let is_signed = matches!(op, IntBinary::SDiv | IntBinary::SRem);
                if y.contains(0) {
                    self.may_fail(DIVISION);
                } else if is_signed && x.contains(least) && y.contains(-1) {
                    self.may_fail(DIVISION_OVERFLOW);
                }
            }
            IntBinary::Shl | IntBinary::LShr | IntBinary::AShr => {
                let (_, most) = y.unsigned_bounds();
                if most >= u128::from(x.bits) {
                    self.may_fail("a shift may be too far");
                }
            }
            _ => {}
        }
        if checked.signed_overflow && may_poison && may_overflow(op, x, y) {
            self.may_fail("a signed integer may overflow");
        }
    }

    /// Looks at a comparison: what it says of addresses in different objects, or beyond one, hangs on where these lie.
    pub fn check_addresses(&mut self, snapshot: &Snapshot, predicate: IntPredicate, a: NodeId, b: NodeId) {
        if self.checked.is_none() {
            return;
        }
        let (Domain::Pointer(x), Domain::Pointer(y)) = (self.domain(snapshot, a), self.domain(snapshot, b)) else {
            return;
        };
        let pairs = x.targets().zip(y.targets());
        let are_known = pairs.is_some_and(|(x, y)| {
            x.iter().all(|x| y.iter().all(|y| self.is_same_everywhere(snapshot, predicate, [x, y])))
        });
        if !are_known {
            self.may_fail("addresses are compared that lie in different objects, or in none");
        }
    }

    fn is_same_everywhere(&mut self, snapshot: &Snapshot, predicate: IntPredicate, [x, y]: [&Target; 2]) -> bool {
        // Up to the end of an object, or of its last byte.
        let mut is_within = |target: &Target, with_end: bool| match target.base {
            Base::Absolute => target.offset.single() == Some(0),
            Base::Function(_) => target.offset.single() == Some(0),
            Base::Object(id) => self.object(snapshot, id).is_some_and(|object| {
                let last = i128::from(object.size) - i128::from(!with_end);
                0 <= target.offset.low && target.offset.high <= last
            }),
        };
        if x.base == y.base {
            return is_within(x, true) && is_within(y, true);
        }
        let has_null = [x, y].iter().any(|target| target.base == Base::Absolute);
        let is_equality = matches!(predicate, IntPredicate::Eq | IntPredicate::Ne);
        is_equality && is_within(x, has_null) && is_within(y, has_null)
    }

    /// Looks at a conversion to an integer: one that does not fit C leaves open.
    pub fn check_conversion(&mut self, raises: Flags) {
        if !raises.is_empty() {
            self.may_fail("a number may be converted to an integer that has no such");
        }
    }

    /// Looks at what a known function does.
    pub fn check_library(&mut self, known: KnownFunction, (function, operands): (&Function, &[Operand])) {
        let is_number_or_constant = |operand: &Operand| {
            matches!(operand, Operand::Constant(_)) || function.type_of(operand).is_some_and(|ty| !ty.has_addresses())
        };
        let why = match known {
            KnownFunction::End(Ending::Exit) => return,
            KnownFunction::End(_) => ERROR,
            KnownFunction::Float(FloatCall::Operation(_) | FloatCall::MultiplyAdd | FloatCall::PositiveDifference) => {
                return;
            }
            KnownFunction::Class(..)
            | KnownFunction::Classification
            | KnownFunction::AbsoluteInteger
            | KnownFunction::ErrorNumber
            | KnownFunction::Nothing => return,
            // Where it goes is looked at in the access.
            KnownFunction::Fill => return,
            // Nothing is printed but numbers and constants.
            KnownFunction::Print { .. } if operands.iter().all(is_number_or_constant) => return,
            _ => "functions of the library that are not followed",
        };
        self.may_fail(why);
    }

    /// The life of a local variable begins, or ends: then it holds nothing and can be given nothing.
    pub fn mark_life(&mut self, snapshot: &mut Snapshot, operands: &[Operand], begins: bool) -> Result<(), Stop> {
        let Some(pointer) = operands.last() else { return Ok(()) };
        let pointer = self.scalar(snapshot, pointer)?;
        let found = self.local(snapshot, pointer);
        let Some((id, size)) = found else {
            self.may_fail("a variable whose life is not known");
            return Ok(());
        };
        let object = Object { is_writable: begins, ..Object::new(size, false) };
        snapshot.state.memory.objects.insert(id, std::sync::Arc::new(object));
        Ok(())
    }

    /// The one object of the stack whose beginning a pointer is.
    fn local(&self, snapshot: &Snapshot, pointer: NodeId) -> Option<(ObjectId, u64)> {
        let Domain::Pointer(pointer) = self.domain(snapshot, pointer) else { return None };
        let [target] = pointer.targets()? else { return None };
        let Base::Object(id @ ObjectId::Dynamic(_)) = target.base else { return None };
        let object = snapshot.state.memory.objects.get(&id)?;
        (target.offset.single() == Some(0)).then_some((id, object.size))
    }
}

/// Whether a sum, difference or product may be beyond its signed type.
fn may_overflow(op: IntBinary, x: &IntDomain, y: &IntDomain) -> bool {
    let top = IntDomain::top(x.bits);
    if x.bits > 64 {
        return true;
    }
    let (least, greatest) = match op {
        IntBinary::Add => (x.low + y.low, x.high + y.high),
        IntBinary::Sub => (x.low - y.high, x.high - y.low),
        IntBinary::Mul => {
            let products = [x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high];
            (products.into_iter().min().unwrap_or(top.low), products.into_iter().max().unwrap_or(top.high))
        }
        // A shift left loses what does not fit.
        IntBinary::Shl => return true,
        _ => return false,
    };
    least < top.low || greatest > top.high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overflow_is_possible_exactly_where_an_extreme_is_beyond_the_type() {
        let range = |low, high| IntDomain::between(8, low, high);
        for op in [IntBinary::Add, IntBinary::Sub, IntBinary::Mul] {
            for (a, b) in [(-128, 127), (-5, 60), (3, 11), (-12, -1), (0, 0)] {
                for (c, d) in [(-128, 127), (-1, 1), (5, 9), (-60, 10), (0, 67)] {
                    let exact = |x: i128, y: i128| match op {
                        IntBinary::Add => x + y,
                        IntBinary::Sub => x - y,
                        _ => x * y,
                    };
                    let all = (a..=b).flat_map(|x| (c..=d).map(move |y| (x, y)));
                    let overflows = all.into_iter().any(|(x, y)| !(-128..=127).contains(&exact(x, y)));
                    assert_eq!(may_overflow(op, &range(a, b), &range(c, d)), overflows, "{op:?} {a} {b} {c} {d}");
                }
            }
        }
    }
}
