//! How the driver answers calls ([`crate::externals::External`]).

use labrys_interp::{Base, Datum, Halt, Int, ObjectId, Pointer, Scalar, ScalarKind, Stop};
use labrys_program::{FunctionId, InstructionKind, IntPredicate, Operand, Type};
use labrys_symex::int_terms;
use labrys_term::TermId;
use smallvec::smallvec;

use crate::driver::Driver;
use crate::ending::Ending;
use crate::externals::{Answer, External};
use crate::input_ranges::place_of;
use crate::inputs::{MAX_OBJECT, Piece, layout, pointee};
use crate::state::Execution;
use crate::{FloatValue, ViolationKind};

/// The machine's values over this crate's domain.
pub(crate) type Value = labrys_interp::Value<FloatValue, TermId>;
type Argument = Scalar<FloatValue, TermId>;
type Answered = Result<Answer<Value>, Halt<TermId>>;

/// What Fortran's `error stop` is called.
const ERROR_STOP: &str = "error stop";

/// Bytes of the longest text that is read for a message.
const MAX_TEXT: u64 = 4096;

/// An argument that must be there.
pub(crate) fn argument(arguments: &[Value], index: usize) -> Result<&Argument, Stop> {
    let missing = || Stop::unsupported("a call with too few arguments");
    arguments.get(index).and_then(|value| value.first()).ok_or_else(missing)
}

/// The integer in an argument that may decide something.
pub(crate) fn integer(argument: &Argument) -> Result<&Int<TermId>, Stop> {
    match &argument.datum {
        _ if argument.tainted => Err(Stop::Undefined),
        Datum::Int(int) => Ok(int),
        _ => Err(Stop::unsupported("an argument that should be an integer")),
    }
}

fn value(answer: impl Into<Value>) -> Answered {
    Ok(Answer::Value(answer.into()))
}

/// What hash maps are executed with: any numbers.
const HASH_KEYS_HERE: [u128; 2] = [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9];

fn number(bits: u32, number: u128) -> Value {
    smallvec![Scalar::int(Int::new(bits, number))]
}

impl<'s> Driver<'_, 's> {
    /// Answers the call that a path stands at, or ends the path.
    pub(crate) fn answer(&mut self, execution: &mut Execution<'s>, function: FunctionId) -> Answered {
        let Some(&external) = self.externals.get(&function) else {
            return Err(Stop::unsupported("a call that nobody answers").into());
        };
        let name = self.program.functions[function.index()].name.as_str();
        let arguments = match external {
            // Nobody looks at the arguments.
            External::Error | External::ErrorStop | External::Abort | External::Nothing | External::RustPrint => {
                Vec::new()
            }
            External::RustHashKeys => Vec::new(),
            _ => self.machine.call_arguments(&execution.state)?,
        };
        match external {
            External::MakeSymbolic => self.make_symbolic(execution, &arguments, argument(&arguments, 2).ok(), name),
            External::NondetMemory => self.make_symbolic(execution, &arguments, None, name),
            External::Nondet => self.nondet(execution, name),
            External::Int => {
                let name = self.text(execution, argument(&arguments, 0)?).unwrap_or_else(|| name.to_owned());
                let bytes = self.object(execution, &name, 4, &[Piece::whole(4)]);
                value(bytes.into_iter().map(Scalar::int).collect::<Value>())
            }
            External::Range => self.range(execution, &arguments),
            External::Assume => {
                let condition = integer(argument(&arguments, 0)?)?.clone();
                let holds = self.is_not_zero(&condition);
                if holds.symbol().is_some_and(|&symbol| self.machine.domain.has_undefined_bits(symbol)) {
                    return Err(Stop::Undefined.into());
                }
                let symbol = holds.symbol().copied();
                match self.assume(execution, &holds) {
                    true => {
                        self.learn_ranges(execution, symbol);
                        value(Value::new())
                    }
                    false => Ok(Answer::End(Ending::Excluded)),
                }
            }
            External::IsSymbolic => {
                let is_symbolic = match &argument(&arguments, 0)?.datum {
                    Datum::Int(int) => self.machine.known(&execution.state, int).is_none(),
                    Datum::Float(float) => float.known().is_none(),
                    Datum::Pointer(pointer) => pointer.offset.symbol().is_some(),
                };
                value(number(32, u128::from(is_symbolic)))
            }
            External::SilentExit => Ok(Answer::End(Ending::Excluded)),
            External::Error => Ok(Answer::End(Ending::Violation(ViolationKind::ErrorReached(name.into())))),
            External::ErrorStop => Ok(Answer::End(Ending::Violation(ViolationKind::ErrorReached(ERROR_STOP.into())))),
            External::Assert => {
                let condition = integer(argument(&arguments, 0)?)?.clone();
                let holds = self.is_not_zero(&condition);
                match self.machine.decide(&execution.state, &holds)? {
                    true => value(Value::new()),
                    false => Ok(Answer::End(Ending::Violation(ViolationKind::Assertion(name.into())))),
                }
            }
            External::AssertFailed(index) => {
                let text = argument(&arguments, index).ok().and_then(|text| self.text(execution, text));
                let text = text.unwrap_or_else(|| "assert".to_owned());
                Ok(Answer::End(Ending::Violation(ViolationKind::Assertion(text.into()))))
            }
            External::Abort => Ok(Answer::End(Ending::Violation(ViolationKind::Abort))),
            External::Exit => Ok(Answer::End(Ending::Completed)),
            External::Control(call) => self.control_call(execution, call, &arguments),
            External::Nothing | External::RustPrint => self.nothing(execution),
            External::RustHashKeys => {
                value(HASH_KEYS_HERE.into_iter().map(|key| Scalar::int(Int::new(64, key))).collect::<Value>())
            }
            External::RustApart => self.rust_apart(execution, &arguments),
            External::Environment(call) => self.environment_call(execution, call, &arguments),
            External::Math(call) => self.math_call(execution, call, &arguments),
            External::Library(call) => self.library_request(execution, call, &arguments),
            External::Print(call) => self.print_call(execution, call, &arguments),
            External::Text(call) => self.text_call(execution, call, &arguments),
        }
    }

    /// The answer of a function that does nothing: zero, where it has a result.
    fn nothing(&mut self, execution: &Execution<'s>) -> Answered {
        match self.machine.instruction(&execution.state).map(|instruction| &instruction.ty) {
            Some(Type::Int(bits)) => value(number(*bits, 0)),
            Some(Type::Pointer) => value(smallvec![Scalar::pointer(Pointer::null())] as Value),
            _ => value(Value::new()),
        }
    }

    /// Asks for an object.
    fn object(&mut self, execution: &mut Execution<'s>, name: &str, size: u64, layout: &[Piece]) -> Vec<Int<TermId>> {
        let place = place_of(execution, name);
        self.source.ask(self.machine.domain.store, &mut execution.inputs, (name, place), size, layout)
    }

    /// Whether an integer is not zero: one bit.
    pub(crate) fn is_not_zero(&mut self, int: &Int<TermId>) -> Int<TermId> {
        self.compared(IntPredicate::Ne, int, &Int::new(int.bits(), 0))
    }

    /// A comparison: one bit.
    pub(crate) fn compared(&mut self, predicate: IntPredicate, a: &Int<TermId>, b: &Int<TermId>) -> Int<TermId> {
        let operation = labrys_interp::IntOperation::Compare(predicate);
        let operands = [a.clone(), b.clone()];
        match labrys_interp::evaluate(operation, &operands) {
            Some(known) => known,
            None => int_terms::operation(self.store(), operation, &operands),
        }
    }

    /// Gives memory any content.
    fn make_symbolic(
        &mut self,
        execution: &mut Execution<'s>,
        arguments: &[Value],
        name: Option<&Argument>,
        otherwise: &str,
    ) -> Answered {
        let size = self.machine.known(&execution.state, integer(argument(arguments, 1)?)?);
        let size = size.and_then(|size| u64::try_from(size).ok()).filter(|size| *size <= MAX_OBJECT);
        let Some(size) = size else {
            return Err(Stop::unsupported("a symbolic object of unknown or great size").into());
        };
        let place = self.machine.place(&execution.state);
        let (id, offset) = self.machine.locate(&execution.state, &place, argument(arguments, 0)?, size, true)?;
        let name = name.and_then(|name| self.text(execution, name)).unwrap_or_else(|| otherwise.to_owned());
        let layout = layout(self.pointee(execution), size);
        let content = self.object(execution, &name, size, &layout);
        for (int, Piece { offset: at, bytes, .. }) in content.into_iter().zip(layout) {
            let domain = &mut self.machine.domain;
            execution.state.memory.store(domain, id, offset + at, bytes, Scalar::int(int));
        }
        value(Value::new())
    }

    /// The type of what the first argument of the call points to, where that is plain.
    fn pointee(&self, execution: &Execution<'s>) -> Option<&Type> {
        let InstructionKind::Call(_, operands) = &self.machine.instruction(&execution.state)?.kind else { return None };
        let first: &Operand = operands.first()?;
        let function = self.program.functions.get(execution.state.frame()?.function.index())?;
        pointee(self.program, function, first)
    }

    /// Any value of the result's type.
    fn nondet(&mut self, execution: &mut Execution<'s>, name: &str) -> Answered {
        let Some(instruction) = self.machine.instruction(&execution.state) else { return value(Value::new()) };
        let ty = instruction.ty.clone();
        let scalar = self.any_scalar(execution, name, &ty)?;
        value(smallvec![scalar] as Value)
    }

    /// Any value of a scalar type, as an object of its size in memory.
    pub(crate) fn any_scalar(
        &mut self,
        execution: &mut Execution<'s>,
        name: &str,
        ty: &Type,
    ) -> Result<Argument, Stop> {
        let kind = ScalarKind::of(ty)?;
        let piece = Piece { is_float: matches!(ty, Type::Float(_)), ..Piece::whole(kind.size()) };
        let bytes = self.object(execution, name, ty.alloc_size(), &[piece]);
        let call = self.machine.instruction(&execution.state).and_then(|instruction| instruction.result);
        if let Some(record) = execution.inputs.last_mut() {
            record.call = execution.state.frame().zip(call).map(|(frame, call)| (frame.function, call));
        }
        let Some(bytes) = bytes.into_iter().next() else { return Err(Stop::unsupported("a value of no bytes")) };
        Ok(match kind {
            // C's bool is 0 or 1; other values of the byte mean nothing.
            ScalarKind::Int(1) => {
                let bit = self.low_bit(&bytes);
                Scalar::int(bit)
            }
            kind => self.machine.reinterpreted(&Scalar::int(bytes), kind),
        })
    }

    fn low_bit(&mut self, byte: &Int<TermId>) -> Int<TermId> {
        let operation = labrys_interp::IntOperation::Extract { high: 0, low: 0 };
        let operands = [byte.clone()];
        match labrys_interp::evaluate(operation, &operands) {
            Some(known) => known,
            None => int_terms::operation(self.store(), operation, &operands),
        }
    }

    /// `klee_range`: a number that is at least the first argument and below the second.
    fn range(&mut self, execution: &mut Execution<'s>, arguments: &[Value]) -> Answered {
        let first = integer(argument(arguments, 0)?)?.clone();
        let end = integer(argument(arguments, 1)?)?.clone();
        let bounds = (first.signed(), end.signed());
        let (Some(low), Some(high)) = bounds else {
            return Err(Stop::unsupported("klee_range of unknown bounds").into());
        };
        if low >= high {
            let kind = ViolationKind::ErrorReached("klee_range".into());
            return Ok(Answer::End(Ending::Violation(kind)));
        }
        // KLEE's library makes no object of what has one value.
        if low + 1 == high {
            return value(number(32, low as u128));
        }
        let name = self.text(execution, argument(arguments, 2)?).unwrap_or_else(|| "klee_range".to_owned());
        let number = self.object(execution, &name, 4, &[Piece::whole(4)]).remove(0);
        let above = self.compared(IntPredicate::Sle, &first, &number);
        let below = self.compared(IntPredicate::Slt, &number, &end);
        if self.assume(execution, &above) && self.assume(execution, &below) {
            self.learn_ranges(execution, below.symbol().copied());
            value(smallvec![Scalar::int(number)] as Value)
        } else {
            Ok(Answer::End(Ending::Excluded))
        }
    }

    /// The text that an argument points to, where it is known.
    pub(crate) fn text(&mut self, execution: &Execution<'s>, pointer: &Argument) -> Option<String> {
        let (id, start) = plain_place(pointer)?;
        let mut bytes = Vec::new();
        for offset in start..start.saturating_add(MAX_TEXT) {
            execution.state.memory.check(id, offset, 1, false).ok()?;
            let byte = execution.state.memory.load(&mut self.machine.domain, id, offset, ScalarKind::Int(8));
            match byte.datum {
                Datum::Int(int) if !byte.tainted => match int.concrete()? as u8 {
                    0 => return Some(String::from_utf8_lossy(&bytes).into_owned()),
                    byte => bytes.push(byte),
                },
                _ => return None,
            }
        }
        None
    }
}

/// The object and offset of a pointer that is known.
fn plain_place(pointer: &Argument) -> Option<(ObjectId, u64)> {
    match &pointer.datum {
        Datum::Pointer(Pointer { base: Base::Object { id, .. }, offset }) if !pointer.tainted => {
            Some((*id, offset.concrete()? as u64))
        }
        _ => None,
    }
}
