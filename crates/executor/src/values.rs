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

mod addresses;
mod arithmetic;
mod classes;
mod concrete;
mod conversions;
mod domain;
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
mod wide;

use std::rc::Rc;

use labrys_float::{Flags, Float, Format, RoundingMode};
use labrys_interp::{Base, FloatOperation, Int, Stop};
use labrys_program::Program;
use labrys_symex::{BackEdges, int_terms};
use labrys_term::{Op, Sort, Store, TermId, VariableId};
use smallvec::SmallVec;

use crate::coverage::Recorder;
use crate::induction::Loops;
use addresses::Addresses;
use concrete::Computed;
use encoding::Encodings;
use exceptions::FlagsRead;
use undefined::Undefined;

pub use environment::FloatEnvironment;
pub use float::FloatValue;
pub(crate) use libm::{DIRECTED_ASSUMPTION, HOST_ASSUMPTION, LIBM_ASSUMPTIONS, Libm, ULPS};

/// What a proof takes for granted of floats, in words.
pub const ASSUMPTIONS: [&str; 5] = [
    "floating-point operations are x86-64's, executed in the order and with the operands' order of clang's unoptimised code: of two NaN \
     operands the first one's payload is kept (of x87's the larger one)",
    "library functions that are one operation (fma, fmod, remainder, floor, ...) give the NaNs that glibc 2.36's give",
    "fmin and fmax give either of two zeros of different signs; of NaNs what clang's code for x86-64 gives (none is quieted), and glibc 2.36 where it is called",
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
    /// Where objects lie.
    addresses: Addresses,
    /// So many variables stand for what clang's code or libm may do in one way or another.
    opened: u32,
    /// Those of them that are signs of converted unsigned zeros.
    unsigned_zeros: Vec<VariableId>,
    /// What is covered, where somebody asks.
    pub(crate) recorder: Option<Recorder>,
    /// Where an induction looks at paths, if this is one.
    pub(crate) marks: Option<Rc<Loops>>,
    /// Whether a path has come to such a place since the driver has looked last.
    pub(crate) has_come_to_mark: bool,
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
            addresses: Addresses::default(),
            opened: 0,
            unsigned_zeros: Vec::new(),
            recorder: None,
            marks: None,
            has_come_to_mark: false,
            loops: None,
        }
    }

    /// Whether a program has anything that can read exception flags: a call of one of fenv.h's functions, by name.
    pub fn may_read_flags(program: &Program) -> bool {
        program.functions.iter().any(|function| {
            let by_name = FLAG_READERS.contains(&function.name.as_str());
            by_name
                || function.blocks.iter().flat_map(|block| &block.instructions).any(|instruction| {
                    match &instruction.kind {
                        labrys_program::InstructionKind::Call(labrys_program::Callee::Intrinsic(called), _) => {
                            FLAG_READERS.iter().any(|reader| called.name().starts_with(reader))
                        }
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

    /// Leaves open where objects lie, but for C++'s descriptions of types, whose addresses exceptions' handlers are told apart by.
    pub(crate) fn open_addresses(&mut self, program: &Program) {
        self.addresses.are_open = true;
        let globals = program.globals.iter().enumerate();
        let types = globals.filter(|(_, global)| global.name.starts_with("_ZTI"));
        self.addresses.closed.extend(types.map(|(index, _)| index as u32));
    }

    /// The machine's own address that a number which is not known was computed from.
    pub(crate) fn address_in(&self, term: TermId) -> Option<u64> {
        self.addresses.base(self.store, term).map(|base| base.address())
    }

    /// Whether anything may depend on an address.
    pub(crate) fn has_open_addresses(&self) -> bool {
        self.addresses.are_there()
    }

    /// The addresses among some variables.
    pub(crate) fn addresses_among(&self, variables: &[VariableId]) -> Vec<(Base, TermId)> {
        self.addresses.among(variables)
    }

    /// Has loops end with [`Stop::LoopBound`] when they were run so often under symbolic control; back edges by function.
    pub(crate) fn bound_loops(&mut self, bound: u32, loops: Vec<BackEdges>) {
        self.loops = Some((bound, loops));
    }

    /// Whether exception flags are kept, since the program can read them.
    pub(crate) fn reads_flags(&self) -> bool {
        self.reads_flags
    }

    /// Whether a program can tell two environments apart, as far as that is known without a look at what happened.
    pub(crate) fn tells_apart(&self, a: &FloatEnvironment, b: &FloatEnvironment) -> bool {
        a.rounding != b.rounding || (self.reads_flags && !a.has_flags_of(b))
    }

    /// Whether something was covered that somebody waits for, or a place reached where somebody looks.
    pub(crate) fn has_found(&self) -> bool {
        self.has_come_to_mark || self.recorder.as_ref().is_some_and(|recorder| recorder.found.is_some())
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
    pub(crate) fn format_of(&self, value: &FloatValue) -> Format {
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
        if matches!(operation, FloatOperation::Abs | FloatOperation::CopySign) {
            let result = self.with_sign_of_unsigned_zero(terms[0], applied.result);
            return Ok(self.float(result));
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

    /// Whether operations round to nearest, and nobody can tell what they raise.
    #[inline]
    fn is_plain(&self, environment: &FloatEnvironment) -> bool {
        environment.rounding == RoundingMode::NearestEven && (!self.reads_flags || environment.raised == Flags::all())
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
        if self.is_plain(environment)
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
