//! Which memory behind a pointer parameter a function reads before it has written it.
//!
//! C's out-parameters (`gsl_sf_result *result`) are pointers like any other to debug information. One of which no byte can be
//! read before the function itself has written it is an output: nothing that it holds at the start can matter.
//!
//! Why that is sound. For each function and pointer parameter a forward data-flow analysis over the blocks computes the
//! bytes that have been written on every way to a point; a load of others counts as reading first. What a call does to
//! the memory it is handed is its callee's summary. Summaries begin with the best that is possible (nothing read
//! first, everything written) and are recomputed until none changes, so that the result holds for recursion, too: it is an
//! induction over the length of executions. Whatever is not understood (an address that is stored, compared as a number,
//! merged with another, or computed with a variable offset; an unknown callee) counts as reading everything first.
//! The memory of one parameter cannot be reached through another: whoever drives the function gives each its own.
//!
//! What it may miss: outputs whose addresses are computed, such as arrays written in a loop.

use rustc_hash::FxHashMap;

use crate::{
    Callee, Constant, Function, FunctionId, InstructionKind, IntrinsicKind, Operand, Program, Terminator, Type, ValueId,
};

/// Bytes of a parameter's memory that are followed: one bit each.
type Bytes = u128;

/// How much memory is followed.
const FOLLOWED: u64 = 128;

/// What a function does with the memory behind one parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FirstUse {
    /// Bytes that may be read before they are written.
    read_first: Bytes,
    /// Bytes that are written whenever the function returns.
    written: Bytes,
    /// Whether it may write any.
    writes: bool,
}

impl FirstUse {
    const BEST: FirstUse = FirstUse { read_first: 0, written: Bytes::MAX, writes: false };
    const WORST: FirstUse = FirstUse { read_first: Bytes::MAX, written: 0, writes: true };

    /// Whether nothing is read of memory of that size, in bytes, before it is written.
    pub(super) fn is_output(self, size: u64) -> bool {
        size <= FOLLOWED && self.writes && self.read_first & mask(0, size) == 0
    }

    /// Whether memory is read and never written.
    pub(super) fn is_input(self) -> bool {
        !self.writes
    }
}

/// Summaries of the functions of a program.
pub(super) struct FirstUses<'p> {
    program: &'p Program,
    known: FxHashMap<(FunctionId, usize), FirstUse>,
}

impl<'p> FirstUses<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        FirstUses { program, known: FxHashMap::default() }
    }

    /// What `function` does with the memory behind its IR parameter of that index.
    pub(super) fn of(&mut self, function: FunctionId, parameter: usize) -> FirstUse {
        let wanted = (function, parameter);
        if let Some(known) = self.known.get(&wanted) {
            return *known;
        }
        // Those that this one's summary may depend on, itself first. All others are final.
        let mut open = vec![wanted];
        self.known.insert(wanted, FirstUse::BEST);
        let mut changed = true;
        while changed {
            changed = false;
            let mut index = 0;
            while let Some(&(function, parameter)) = open.get(index) {
                index += 1;
                let summary = self.summarise(function, parameter, &mut open);
                let before = self.known.insert((function, parameter), summary);
                changed |= before != Some(summary);
            }
        }
        self.known.get(&wanted).copied().unwrap_or(FirstUse::WORST)
    }

    fn summarise(&mut self, id: FunctionId, parameter: usize, open: &mut Vec<(FunctionId, usize)>) -> FirstUse {
        let program = self.program;
        let Some(function) = program.functions.get(id.index()).filter(|function| !function.blocks.is_empty()) else {
            return FirstUse::WORST;
        };
        let Some(value) = function.parameters.get(parameter).filter(|it| it.by_value.is_none()).map(|it| it.value)
        else {
            return FirstUse::WORST;
        };
        let Some(offsets) = offsets(function, value) else { return FirstUse::WORST };
        let mut walk = Walk { uses: self, open, function, offsets, read_first: 0, writes: false };
        match walk.run() {
            Some(written) => FirstUse { read_first: walk.read_first, written, writes: walk.writes },
            None => FirstUse::WORST,
        }
    }

    /// A callee's summary as known so far; one that is new joins the open ones.
    fn callee(&mut self, function: FunctionId, parameter: usize, open: &mut Vec<(FunctionId, usize)>) -> FirstUse {
        *self.known.entry((function, parameter)).or_insert_with(|| {
            open.push((function, parameter));
            FirstUse::BEST
        })
    }
}

/// The values that are the parameter plus a constant, with that constant in bytes. `None` where one is used otherwise than
/// for loads, stores, calls, and comparisons, or the function has instructions whose operands are not known.
fn offsets(function: &Function, parameter: ValueId) -> Option<FxHashMap<ValueId, u64>> {
    let mut offsets: FxHashMap<ValueId, u64> = FxHashMap::default();
    offsets.insert(parameter, 0);
    // Blocks need not stand in the order of dominance.
    let mut grown = true;
    while grown {
        grown = false;
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            if let (InstructionKind::PointerOffset { base: Operand::Value(base), offset, scaled }, Some(result)) =
                (&instruction.kind, instruction.result)
                && let Some(start) = offsets.get(base).copied()
            {
                if !scaled.is_empty() || instruction.ty != Type::Pointer {
                    return None;
                }
                let offset = start.checked_add_signed(*offset).filter(|offset| *offset <= FOLLOWED)?;
                grown |= offsets.insert(result, offset).is_none();
            }
        }
    }
    let is_derived = |operand: &Operand| matches!(operand, Operand::Value(value) if offsets.contains_key(value));
    for block in &function.blocks {
        for instruction in &block.instructions {
            let escapes = match &instruction.kind {
                InstructionKind::Unsupported(_) => true,
                InstructionKind::PointerOffset { scaled, .. } => scaled.iter().any(|(index, _)| is_derived(index)),
                InstructionKind::Load { .. } | InstructionKind::IntCompare(..) => false,
                InstructionKind::Store { value, .. } => is_derived(value),
                // Arguments are looked at by the walk.
                InstructionKind::Call(callee, _) => matches!(callee, Callee::Indirect(address) if is_derived(address)),
                other => {
                    let mut reads = false;
                    other.for_each_operand(|operand| reads |= is_derived(operand));
                    reads
                }
            };
            if escapes {
                return None;
            }
        }
        match &block.terminator {
            Terminator::Return(Some(value)) if is_derived(value) => return None,
            Terminator::Unsupported(_) | Terminator::Resume(_) => return None,
            _ => {}
        }
    }
    Some(offsets)
}

/// `size` bytes from `offset`; none of them beyond what is followed.
fn mask(offset: u64, size: u64) -> Bytes {
    let (first, end) = (offset.min(FOLLOWED), offset.saturating_add(size).min(FOLLOWED));
    let below = |count: u64| if count >= FOLLOWED { Bytes::MAX } else { (1 << count) - 1 };
    below(end) & !below(first)
}

/// The data-flow analysis of one function.
struct Walk<'w, 'p> {
    uses: &'w mut FirstUses<'p>,
    open: &'w mut Vec<(FunctionId, usize)>,
    function: &'p Function,
    offsets: FxHashMap<ValueId, u64>,
    read_first: Bytes,
    writes: bool,
}

impl Walk<'_, '_> {
    /// The bytes that are written whenever the function returns; `None` where a use is not understood.
    fn run(&mut self) -> Option<Bytes> {
        let function = self.function;
        // What is written before each block on every way that was found so far.
        let mut before: Vec<Option<Bytes>> = vec![None; function.blocks.len()];
        before[0] = Some(0);
        let mut pending = vec![0usize];
        let mut written_at_return = Bytes::MAX;
        while let Some(index) = pending.pop() {
            let mut written = before[index]?;
            let block = function.blocks.get(index)?;
            for instruction in &block.instructions {
                written = self.step(&instruction.kind, &instruction.ty, written)?;
            }
            if matches!(block.terminator, Terminator::Return(_)) {
                written_at_return &= written;
            }
            for successor in function.targets(block) {
                let successor = successor.index();
                let slot = before.get_mut(successor)?;
                let merged = slot.map_or(written, |old| old & written);
                if *slot != Some(merged) {
                    *slot = Some(merged);
                    pending.push(successor);
                }
            }
        }
        Some(written_at_return)
    }

    fn offset(&self, operand: &Operand) -> Option<u64> {
        match operand {
            Operand::Value(value) => self.offsets.get(value).copied(),
            Operand::Constant(_) => None,
        }
    }

    /// The bytes written after an instruction.
    fn step(&mut self, kind: &InstructionKind, ty: &Type, written: Bytes) -> Option<Bytes> {
        match kind {
            InstructionKind::Load { pointer, .. } => {
                if let Some(offset) = self.offset(pointer) {
                    self.read(offset, ty.store_size(), written);
                }
                Some(written)
            }
            InstructionKind::Store { ty, pointer, .. } => Some(match self.offset(pointer) {
                Some(offset) => self.write(offset, ty.store_size(), written),
                None => written,
            }),
            InstructionKind::Call(callee, arguments) => self.call(callee, arguments, written),
            _ => Some(written),
        }
    }

    fn read(&mut self, offset: u64, size: u64, written: Bytes) {
        self.read_first |= mask(offset, size) & !written;
    }

    fn write(&mut self, offset: u64, size: u64, written: Bytes) -> Bytes {
        self.writes = true;
        written | mask(offset, size)
    }

    fn call(&mut self, callee: &Callee, arguments: &[Operand], written: Bytes) -> Option<Bytes> {
        let handed: Vec<(usize, u64)> =
            arguments.iter().enumerate().filter_map(|(index, it)| Some((index, self.offset(it)?))).collect();
        if handed.is_empty() {
            return Some(written);
        }
        match callee {
            Callee::Function(id) => {
                let mut after = written;
                for (index, offset) in &handed {
                    let summary = self.uses.callee(*id, *index, self.open);
                    let shift = u32::try_from(*offset).ok()?;
                    self.read_first |= summary.read_first.checked_shl(shift).unwrap_or(0) & !written;
                    after |= summary.written.checked_shl(shift).unwrap_or(0);
                    self.writes |= summary.writes;
                }
                Some(after)
            }
            Callee::Intrinsic(called) => self.intrinsic(called.kind(), arguments, written),
            Callee::Indirect(_) | Callee::InlineAsm(_) => None,
        }
    }

    fn intrinsic(&mut self, called: IntrinsicKind, arguments: &[Operand], written: Bytes) -> Option<Bytes> {
        if called.is_hint() {
            return Some(written);
        }
        let size = match arguments.get(2) {
            Some(Operand::Constant(Constant::Int { value, .. })) => u64::try_from(value).ok()?,
            _ => return None,
        };
        let target = self.offset(arguments.first()?);
        let source = self.offset(arguments.get(1)?);
        match called {
            IntrinsicKind::Copy | IntrinsicKind::Fill => {
                if let Some(offset) = source {
                    self.read(offset, size, written);
                }
                Some(target.map_or(written, |offset| self.write(offset, size, written)))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(text: &str, function: &str, parameter: usize) -> FirstUse {
        let program = Program::from_bytes(text.as_bytes(), "test.ll").unwrap();
        let id = program.function(function).unwrap();
        FirstUses::new(&program).of(id, parameter)
    }

    const TEXT: &str = "
        define void @both(ptr %r, double %x) {
            store double %x, ptr %r
            %e = getelementptr i8, ptr %r, i64 8
            store double 0.0, ptr %e
            %again = load double, ptr %e
            ret void
        }
        define void @first(ptr %r, double %x) {
            store double %x, ptr %r
            %e = getelementptr i8, ptr %r, i64 8
            %old = load double, ptr %e
            ret void
        }
        define void @half(ptr %r, i1 %c) {
            br i1 %c, label %a, label %b
        a:
            store double 1.0, ptr %r
            br label %b
        b:
            ret void
        }
        define void @reader(ptr %r, i1 %c) {
            call void @half(ptr %r, i1 %c)
            %v = load double, ptr %r
            ret void
        }
        define void @caller(ptr %r, double %x) {
            call void @both(ptr %r, double %x)
            %v = load double, ptr %r
            ret void
        }
        define void @recursive(ptr %r, i1 %c) {
            br i1 %c, label %a, label %b
        a:
            call void @recursive(ptr %r, i1 false)
            %v = load double, ptr %r
            ret void
        b:
            store double 1.0, ptr %r
            ret void
        }
        define void @keeps(ptr %r, ptr %where) {
            store ptr %r, ptr %where
            ret void
        }
        define double @looks(ptr %r) {
            %v = load double, ptr %r
            ret double %v
        }";

    #[test]
    fn outputs_are_written_before_they_are_read() {
        for function in ["both", "caller", "recursive", "half"] {
            let used = uses(TEXT, function, 0);
            assert!(used.is_output(if function == "both" || function == "caller" { 16 } else { 8 }), "{function}");
        }
    }

    #[test]
    fn what_may_be_read_first_is_no_output() {
        for function in ["first", "reader", "keeps"] {
            assert!(!uses(TEXT, function, 0).is_output(16), "{function}");
        }
        assert!(uses(TEXT, "first", 0).is_output(8));
        assert!(uses(TEXT, "looks", 0).is_input());
        assert!(!uses(TEXT, "both", 0).is_output(FOLLOWED + 1));
    }
}
