//! The values of bit-precise symbolic execution.
//!
//! [`Values`] is the machine's [`Domain`]. Integers that are not known are terms (`labrys_symex::int_terms`: Bool for one bit,
//! BitVec for more); floats are known encodings or Float terms ([`FloatValue`]), whose encodings are functions of the terms, so
//! that nothing goes through bits that the program does not take as bits. A path has a rounding mode and exception flags
//! ([`FloatEnvironment`], in [`crate::Path::environment`]).
//!
//! For the driver:
//!
//! - [`Values::new`] over a store, with whether anything in the program can read flags ([`Values::may_read_flags`]);
//! - [`Values::input`]: an input of a number of bits, as a variable; floats are made of them by `float_from_bits`;
//! - `FloatEnvironment::{rounding, set_rounding}` with fenv.h's constants on x86-64;
//!   `Values::{test_exceptions, clear_exceptions, raise_exceptions, set_exceptions}` with fenv.h's bits, masks known or symbolic;
//! - [`Values::is_out_of_range`] before a conversion to an integer, to check it;
//! - [`Values::term`] and [`Values::as_term`]: any value as a term, for the solver;
//! - [`ASSUMPTIONS`]: what a proof takes for granted of floats.
//!
//! What is not modelled exactly ends the path with a reason.

mod arithmetic;
mod classes;
mod concrete;
mod conversions;
mod double_rounding;
mod encoding;
mod environment;
mod exceptions;
mod extremes;
mod float;
mod libm;
mod nan;
mod neighbours;
mod processor;
mod raised;
mod scaling;
mod undefined;

use labrys_elementary::Function;
use labrys_float::{Flags, Float, Format, Rounded, RoundingMode};
use labrys_interp::{
    ClassMask, Domain, FloatComparison, FloatOperation, Int, IntOperation, Lookup, Place, Stop, ToInteger, call_host,
};
use labrys_program::{BlockId, FloatPredicate, FunctionId, Program};
use labrys_symex::{BackEdges, float_terms, int_facts, int_terms, known_address, lookup, possible_values};
use labrys_term::{Op, Sort, Store, TermId};
use smallvec::SmallVec;

use crate::Path;
use crate::coverage::Recorder;
use concrete::Computed;
use encoding::Encodings;
use environment::Raising;
use exceptions::FlagsRead;
use undefined::Undefined;

pub use environment::FloatEnvironment;
pub use float::FloatValue;
pub(crate) use libm::{LIBM_ASSUMPTIONS, Libm, ULPS};

/// What a proof takes for granted of floats, in words.
pub const ASSUMPTIONS: [&str; 5] = [
    "floating-point operations are x86-64's, executed in the order and with the operands' order of clang's unoptimised code: of two NaN \
     operands the first one's payload is kept (of x87's the larger one)",
    "library functions that are one operation (fma, fmod, remainder, floor, ...) give the NaNs that glibc 2.36's give",
    "fmin and fmax are clang's code for x86-64 (of two zeros the first, NaNs not quieted)",
    "tests of a number's class raise no exception, signaling NaNs' included",
    "conversions of floats beyond the integer's range, which C leaves undefined, give what clang's code for x86-64 gives",
];

/// The domain of values.
pub struct Values<'s> {
    /// All terms.
    pub store: &'s mut Store,
    encodings: Encodings,
    /// Calls of libm on operands that are not known.
    pub(crate) libm: Libm,
    /// Whether the program can read exception flags; if not, none are kept.
    reads_flags: bool,
    flags_read: FlagsRead,
    undefined: Undefined,
    /// What is covered, where somebody asks.
    pub(crate) recorder: Option<Recorder>,
    /// How often a loop may run under symbolic control, and the back edges of each function; `None` for no bound.
    loops: Option<(u32, Vec<BackEdges>)>,
}

/// Functions and intrinsics that read exception flags, or tell how they are kept.
const FLAG_READERS: [&str; 14] = [
    "fetestexcept",
    "fegetexceptflag",
    "fetestexceptflag",
    "fegetenv",
    "feholdexcept",
    "feupdateenv",
    "feenableexcept",
    "fegetmode",
    "_mm_getcsr",
    "llvm.x86.sse.stmxcsr",
    "llvm.get.fpenv",
    "__arithmetic_fenv",
    "_control87",
    "_status87",
];

impl<'s> Values<'s> {
    /// A domain over a store.
    pub fn new(store: &'s mut Store, reads_flags: bool) -> Values<'s> {
        Values {
            store,
            encodings: Encodings::default(),
            libm: Libm::default(),
            reads_flags,
            flags_read: FlagsRead::default(),
            undefined: Undefined::default(),
            recorder: None,
            loops: None,
        }
    }

    /// Whether a program has anything that can read exception flags: a call of one of fenv.h's functions, by name, or something that
    /// is not modelled and might.
    pub fn may_read_flags(program: &Program) -> bool {
        program.functions.iter().any(|function| {
            let by_name = FLAG_READERS.contains(&function.name.as_str());
            by_name
                || function.blocks.iter().flat_map(|block| &block.instructions).any(|instruction| {
                    match &instruction.kind {
                        labrys_program::InstructionKind::Call(labrys_program::Callee::Intrinsic(called), _) => {
                            FLAG_READERS.iter().any(|reader| called.name().starts_with(reader))
                        }
                        labrys_program::InstructionKind::Unsupported(_) => true,
                        _ => false,
                    }
                })
        })
    }

    /// An input of so many bits: the variable of that name, Bool for one bit.
    pub fn input(&mut self, name: &str, bits: u32) -> Int<TermId> {
        let sort = if bits == 1 { Sort::Bool } else { Sort::BitVec(bits) };
        Int::symbolic(bits, self.store.variable(name, sort))
    }

    /// Has loops end with [`Stop::LoopBound`] when they were run so often under symbolic control; back edges by function.
    pub(crate) fn bound_loops(&mut self, bound: u32, loops: Vec<BackEdges>) {
        self.loops = Some((bound, loops));
    }

    /// Whether a program can tell two environments apart, as far as that is known without a look at what happened.
    pub(crate) fn tells_apart(&self, a: &FloatEnvironment, b: &FloatEnvironment) -> bool {
        a.rounding != b.rounding || (self.reads_flags && !a.has_flags_of(b))
    }

    /// Whether something was covered that somebody waits for.
    pub(crate) fn has_found(&self) -> bool {
        self.recorder.as_ref().is_some_and(|recorder| recorder.found.is_some())
    }

    /// What that is; it is told once.
    pub(crate) fn take_found(&mut self) -> Option<usize> {
        self.recorder.as_mut().and_then(|recorder| recorder.found.take())
    }

    /// Whether a term depends on bits of memory that was never written.
    pub(crate) fn has_undefined_bits(&mut self, term: TermId) -> bool {
        self.undefined.is_in(self.store, term)
    }

    /// A float as a Float term.
    pub fn term(&mut self, value: &FloatValue) -> TermId {
        match *value {
            FloatValue::Symbolic(term) => term,
            FloatValue::Concrete { format, bits } => self.store.float_const(Float::from_bits(format, bits)),
        }
    }

    /// An integer as a term: Bool for one bit, else BitVec.
    pub fn as_term(&mut self, int: &Int<TermId>) -> TermId {
        int_terms::as_term(self.store, int)
    }

    /// A Float term as a value: known if it is a literal.
    fn float(&self, term: TermId) -> FloatValue {
        match &self.store.node(term).op {
            Op::FloatConst(value) => FloatValue::of(value),
            _ => FloatValue::Symbolic(term),
        }
    }

    /// The format of a value.
    fn format_of(&self, value: &FloatValue) -> Format {
        match *value {
            FloatValue::Concrete { format, .. } => format,
            FloatValue::Symbolic(term) => encoding::format(self.store, term),
        }
    }

    /// An operation in a path's environment.
    fn operate(
        &mut self,
        environment: &mut FloatEnvironment,
        operation: FloatOperation,
        operands: &[FloatValue],
    ) -> Result<FloatValue, Stop> {
        let mut known = [0; 3];
        let mut format = None;
        let mut all_known = operands.len() <= 3;
        for (index, operand) in operands.iter().enumerate() {
            match *operand {
                FloatValue::Concrete { format: of, bits } if index < 3 => {
                    known[index] = bits;
                    format = format.or(Some(of));
                }
                _ => all_known = false,
            }
        }
        if all_known
            && let Some(format) = format
            && format != Format::BINARY16
        {
            return self.compute(environment, operation, format, &known[..operands.len()]);
        }
        if operands.iter().any(|operand| self.format_of(operand) == Format::BINARY16) && !is_of_bits(operation) {
            return self.in_single(environment, operation, operands);
        }
        if all_known && let Some(format) = format {
            return self.compute(environment, operation, format, &known[..operands.len()]);
        }
        let terms: Vec<TermId> = operands.iter().map(|operand| self.term(operand)).collect();
        let mode = environment.rounding;
        if let (FloatOperation::Convert(to), &[wide], false) = (operation, &terms[..], self.reads_flags)
            && let Some(narrow) = double_rounding::narrowed(self.store, to, mode, wide)
        {
            return Ok(self.float(narrow));
        }
        let applied = arithmetic::operation(self.store, &mut self.encodings, operation, mode, &terms)?;
        if let Some(raising) = applied.raising {
            self.note(environment, raising);
        }
        Ok(self.float(applied.result))
    }

    /// An operation on binary16, which x86-64 has no instructions for: the operands are widened, the result is rounded again.
    fn in_single(
        &mut self,
        environment: &mut FloatEnvironment,
        operation: FloatOperation,
        operands: &[FloatValue],
    ) -> Result<FloatValue, Stop> {
        let mut wide = SmallVec::<[FloatValue; 3]>::new();
        for &operand in operands {
            wide.push(self.operate(environment, FloatOperation::Convert(Format::BINARY32), &[operand])?);
        }
        let result = self.operate(environment, operation, &wide)?;
        self.operate(environment, FloatOperation::Convert(Format::BINARY16), &[result])
    }

    /// The same on known operands.
    fn compute(
        &self,
        environment: &mut FloatEnvironment,
        operation: FloatOperation,
        format: Format,
        operands: &[u128],
    ) -> Result<FloatValue, Stop> {
        let result_format = if let FloatOperation::Convert(to) = operation { to } else { format };
        let to_nearest = environment.rounding == RoundingMode::NearestEven;
        if to_nearest
            && (!self.reads_flags || environment.raised == Flags::all())
            && let Some(bits) = concrete::hardware(operation, format, operands)
        {
            return Ok(FloatValue::Concrete { format: result_format, bits });
        }
        let Computed { bits, flags } = match processor::compute(operation, environment.rounding, format, operands) {
            Some(computed) => computed,
            None => concrete::compute(operation, environment.rounding, format, operands)?,
        };
        environment.raised |= flags;
        Ok(FloatValue::Concrete { format: result_format, bits })
    }
}

/// Whether an operation on binary16 is one on its encoding, or the widening itself.
fn is_of_bits(operation: FloatOperation) -> bool {
    matches!(
        operation,
        FloatOperation::Neg | FloatOperation::Abs | FloatOperation::CopySign | FloatOperation::Convert(_)
    )
}

impl Domain for Values<'_> {
    type Float = FloatValue;
    type Symbol = TermId;
    type Path = Path;

    fn float_constant(&mut self, value: &Float) -> FloatValue {
        FloatValue::of(value)
    }

    fn float_format(&self, value: &FloatValue) -> Format {
        self.format_of(value)
    }

    fn float_operation(
        &mut self,
        path: &mut Path,
        _: &Place,
        operation: FloatOperation,
        operands: &[FloatValue],
    ) -> Result<FloatValue, Stop> {
        self.operate(&mut path.environment, operation, operands)
    }

    fn float_compare(
        &mut self,
        path: &mut Path,
        place: &Place,
        comparison: FloatComparison,
        lhs: &FloatValue,
        rhs: &FloatValue,
    ) -> Result<Int<TermId>, Stop> {
        let FloatPredicate { less, equal, greater, unordered } = comparison.predicate;
        if !comparison.signaling && less == equal && equal == greater && greater == unordered {
            // No code is made of it, and nothing is raised.
            return Ok(Int::bool(less));
        }
        if let (FloatValue::Concrete { format, bits: a }, FloatValue::Concrete { bits: b, .. }) = (*lhs, *rhs) {
            if let Some(recorder) = &mut self.recorder {
                recorder.compare(place, (format, a, b));
            }
            let (holds, flags) = concrete::compare(comparison, format, a, b);
            path.environment.raised |= flags;
            return Ok(Int::bool(holds));
        }
        let (a, b) = (self.term(lhs), self.term(rhs));
        let raising = if comparison.signaling { Raising::Unordered(a, b) } else { Raising::Signaling(a, b) };
        self.note(&mut path.environment, raising);
        let result = float_terms::compare(self.store, comparison.predicate, a, b);
        Ok(int_terms::as_int(self.store, 1, result))
    }

    fn float_class(&mut self, value: &FloatValue, mask: ClassMask) -> Int<TermId> {
        self.is_of_class(value, mask)
    }

    fn float_to_int(
        &mut self,
        path: &mut Path,
        _: &Place,
        conversion: ToInteger,
        value: &FloatValue,
    ) -> Result<(Int<TermId>, bool), Stop> {
        self.convert_to_integer(&mut path.environment, conversion, value).map(|int| (int, false))
    }

    fn int_to_float(
        &mut self,
        path: &mut Path,
        _: &Place,
        value: &Int<TermId>,
        signed: bool,
        format: Format,
    ) -> Result<FloatValue, Stop> {
        self.convert_from_integer(&mut path.environment, value, signed, format)
    }

    fn float_scale(
        &mut self,
        path: &mut Path,
        _: &Place,
        value: &FloatValue,
        exponent: &Int<TermId>,
    ) -> Result<FloatValue, Stop> {
        self.scale(&mut path.environment, value, exponent)
    }

    fn fraction_exponent(
        &mut self,
        path: &mut Path,
        _: &Place,
        value: &FloatValue,
    ) -> Result<(FloatValue, Int<TermId>), Stop> {
        self.fraction_and_exponent(&mut path.environment, value)
    }

    fn elementary(
        &mut self,
        path: &mut Path,
        _: &Place,
        function: Function,
        operands: &[FloatValue],
    ) -> Result<FloatValue, Stop> {
        let known: Option<Vec<Float>> = operands.iter().map(FloatValue::known).collect();
        let Some(known) = known else { return self.call(&mut path.environment, function, operands) };
        let Rounded { value, flags } = call_host(function, &known, path.environment.rounding)?;
        path.environment.raised |= flags;
        Ok(FloatValue::of(&value))
    }

    fn tiny_is_reported(&mut self, function: Function, operands: &[FloatValue]) -> Result<Int<TermId>, Stop> {
        self.tiny_result_is_reported(function, operands)
    }

    fn float_to_bits(&mut self, value: &FloatValue) -> Int<TermId> {
        match *value {
            FloatValue::Concrete { format, bits } => Int::new(format.width(), bits),
            FloatValue::Symbolic(term) => {
                let width = encoding::format(self.store, term).width();
                let bits = self.encodings.bits(self.store, term);
                int_terms::as_int(self.store, width, bits)
            }
        }
    }

    fn float_from_bits(&mut self, bits: &Int<TermId>, format: Format) -> FloatValue {
        if let Some(bits) = bits.concrete() {
            return FloatValue::concrete(format, bits);
        }
        let vector = int_terms::as_bit_vector(self.store, bits);
        if let Some(number) = self.encodings.number(vector)
            && encoding::format(self.store, number) == format
        {
            return self.float(number);
        }
        FloatValue::Symbolic(self.store.mk(Op::FpFromBits(format), &[vector]))
    }

    fn float_select(&mut self, condition: &TermId, if_true: &FloatValue, if_false: &FloatValue) -> FloatValue {
        let (a, b) = (self.term(if_true), self.term(if_false));
        let chosen = int_terms::ite(self.store, *condition, a, b);
        self.float(chosen)
    }

    fn int_operation(&mut self, _: &TermId, operation: IntOperation, operands: &[Int<TermId>]) -> Int<TermId> {
        undefined::masked(self.store, operation, operands)
            .unwrap_or_else(|| int_terms::operation(self.store, operation, operands))
    }

    fn known_value(&self, path: &Path, symbol: &TermId) -> Option<u128> {
        int_facts::value_under(self.store, &path.choices, *symbol)
    }

    fn stride(&self, symbol: &TermId) -> (u64, u64) {
        int_terms::stride(self.store, *symbol)
    }

    fn lookup(&mut self, symbol: &TermId, candidates: &[u128]) -> Option<Lookup<TermId>> {
        lookup(self.store, *symbol, candidates)
    }

    fn rounding(&self, path: &Path) -> labrys_float::RoundingMode {
        path.environment.rounding
    }

    fn possible(&mut self, path: &Path, symbol: &TermId, candidates: Vec<u128>) -> Vec<u128> {
        match *self.store.sort(*symbol) {
            Sort::BitVec(bits) if bits <= 128 => possible_values(self.store, &path.choices, *symbol, bits, candidates),
            _ => candidates,
        }
    }

    fn known_address(&self, symbol: &TermId) -> Option<u64> {
        /// Below every object.
        const LEAST: u64 = 1 << 20;
        known_address(self.store, *symbol, LEAST)
    }

    fn undefined(&mut self, bits: u32) -> Option<Int<TermId>> {
        Some(self.undefined.integer(self.store, bits))
    }

    fn enter(&mut self, _: &mut Path, function: FunctionId) {
        if let Some(recorder) = &mut self.recorder {
            recorder.enter(function);
        }
    }

    fn count(&mut self, _: &mut Path, place: &Place, value: u32) {
        if let Some(recorder) = &mut self.recorder {
            recorder.count(place, value);
        }
    }

    fn edge(
        &mut self,
        path: &mut Path,
        function: FunctionId,
        depth: usize,
        from: BlockId,
        to: BlockId,
    ) -> Result<(), Stop> {
        if let Some(recorder) = &mut self.recorder {
            recorder.edge(function, from, to);
        }
        let Some((bound, loops)) = &self.loops else { return Ok(()) };
        let Some(latches) = loops.get(function.index()).and_then(|edges| edges.get(&to)) else { return Ok(()) };
        if !latches.contains(&from) {
            path.choices.enter_loop(depth, function, latches, to);
        } else if path.choices.take_back_edge(depth, function, from, to) > *bound {
            return Err(Stop::LoopBound);
        }
        Ok(())
    }
}
