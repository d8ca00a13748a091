//! string.h: texts and bytes, which paths part over where they are symbolic.
//!
//! Where C leaves open which number a comparison gives, it is the difference of the first bytes that differ, as with glibc on
//! x86-64 and musl. Nothing is written before the last decision was made, so that a call may be begun again.

use labrys_interp::{Base, Datum, Halt, Int, IntOperation, ObjectKind, Pointer, Scalar, Stop, evaluate};
use labrys_program::{HeapFamily, IntBinary, IntPredicate, Type};
use labrys_symex::int_terms;
use labrys_term::TermId;
use smallvec::smallvec;

use crate::FloatValue;
use crate::answers::{Value, argument, integer};
use crate::characters::CharacterCall;
use crate::driver::Driver;
use crate::externals::Answer;
use crate::state::Execution;

/// A function of string.h or ctype.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextCall {
    /// `strcmp`, `strncmp`, `memcmp`.
    Compare {
        /// Whether a zero ends it.
        is_text: bool,
        /// Whether a third argument bounds it.
        is_bounded: bool,
    },
    /// `strcpy`, `stpcpy`, `strcat`.
    Copy {
        /// Whether the text is put behind the one that is there.
        appends: bool,
        /// Whether the result is the end instead of the start.
        gives_end: bool,
    },
    /// `strncpy`.
    CopyBounded,
    /// `strncat`.
    AppendBounded,
    /// `strchr`, `memchr`.
    Find {
        /// Whether a zero ends the search, else the third argument.
        is_text: bool,
    },
    /// `strrchr`.
    FindLast,
    /// `strnlen`.
    Length,
    /// `strdup`.
    Duplicate,
    /// A function of ctype.h.
    Character(CharacterCall),
}

/// Bytes of the longest text that is looked at as a table.
const LONGEST_TABLE: u64 = 1024;

type Argument = Scalar<FloatValue, TermId>;
type Answered = Result<Answer<Value>, Halt<TermId>>;

impl TextCall {
    pub(crate) fn of(name: &str) -> Option<TextCall> {
        Some(match name {
            "strcmp" => TextCall::Compare { is_text: true, is_bounded: false },
            "strncmp" => TextCall::Compare { is_text: true, is_bounded: true },
            "memcmp" | "bcmp" => TextCall::Compare { is_text: false, is_bounded: true },
            "strcpy" => TextCall::Copy { appends: false, gives_end: false },
            "stpcpy" => TextCall::Copy { appends: false, gives_end: true },
            "strcat" => TextCall::Copy { appends: true, gives_end: false },
            "strncpy" => TextCall::CopyBounded,
            "strncat" => TextCall::AppendBounded,
            "strchr" => TextCall::Find { is_text: true },
            "memchr" => TextCall::Find { is_text: false },
            "strrchr" => TextCall::FindLast,
            "strnlen" => TextCall::Length,
            "strdup" => TextCall::Duplicate,
            _ => TextCall::Character(CharacterCall::of(name)?),
        })
    }
}

fn pointer(scalar: Argument) -> Answered {
    Ok(Answer::Value(smallvec![scalar]))
}

fn integer_value(int: Int<TermId>) -> Answered {
    Ok(Answer::Value(smallvec![Scalar::int(int)]))
}

fn null() -> Argument {
    Scalar::pointer(Pointer::null())
}

fn size(value: u64) -> Argument {
    Scalar::int(Int::new(64, u128::from(value)))
}

impl<'s> Driver<'_, 's> {
    /// Answers a function of texts.
    pub(crate) fn text_call(&mut self, execution: &mut Execution<'s>, call: TextCall, arguments: &[Value]) -> Answered {
        let arg = |index| argument(arguments, index).cloned();
        match call {
            TextCall::Character(call) => self.character_call(execution, call, arguments),
            TextCall::Compare { is_text, is_bounded } => {
                let most = match (is_bounded, is_text) {
                    (false, _) => u64::MAX,
                    (true, true) => self.bound(execution, &arg(2)?)?,
                    (true, false) => {
                        // All of both is there, whatever the first bytes are.
                        let length = self.machine.size(&execution.state, &arg(2)?)? as u64;
                        let place = self.machine.place(&execution.state);
                        for memory in [arg(0)?, arg(1)?] {
                            if length > 0 {
                                self.machine.locate(&execution.state, &place, &memory, length, false)?;
                            }
                        }
                        length
                    }
                };
                self.compare_texts(execution, &arg(0)?, &arg(1)?, most, is_text)
            }
            TextCall::Copy { appends, gives_end } => {
                let (to, from) = (arg(0)?, arg(1)?);
                let start = if appends { self.length(execution, &to, u64::MAX)? } else { 0 };
                let length = self.length(execution, &from, u64::MAX)?;
                let at = self.machine.offset_scalar(&to, start)?;
                let place = self.machine.place(&execution.state);
                self.machine.copy_bytes(&mut execution.state, &place, &at, &from, &size(length + 1))?;
                pointer(if gives_end { self.machine.offset_scalar(&to, length)? } else { to })
            }
            TextCall::CopyBounded => {
                let (to, from) = (arg(0)?, arg(1)?);
                let most = self.bound(execution, &arg(2)?)?;
                let length = self.length(execution, &from, most)?;
                self.copy_and_fill(execution, (&to, 0), &from, length, most - length)?;
                pointer(to)
            }
            TextCall::AppendBounded => {
                let (to, from) = (arg(0)?, arg(1)?);
                let most = self.bound(execution, &arg(2)?)?;
                let start = self.length(execution, &to, u64::MAX)?;
                let length = self.length(execution, &from, most)?;
                self.copy_and_fill(execution, (&to, start), &from, length, 1)?;
                pointer(to)
            }
            TextCall::Find { is_text } => {
                let most = if is_text { u64::MAX } else { self.bound(execution, &arg(2)?)? };
                self.find(execution, &arg(0)?, &arg(1)?, most, is_text)
            }
            TextCall::FindLast => {
                let text = arg(0)?;
                let wanted = self.low_byte(integer(&arg(1)?)?);
                for index in (0..=self.length(execution, &text, u64::MAX)?).rev() {
                    let byte = self.byte(execution, &text, index)?;
                    if self.are_equal(execution, &byte, &wanted)? {
                        return pointer(self.machine.offset_scalar(&text, index)?);
                    }
                }
                pointer(null())
            }
            TextCall::Length => {
                let most = self.bound(execution, &arg(1)?)?;
                let length = self.length(execution, &arg(0)?, most)?;
                integer_value(Int::new(64, u128::from(length)))
            }
            TextCall::Duplicate => {
                let text = arg(0)?;
                let length = self.length(execution, &text, u64::MAX)? + 1;
                // The text is readable, so this cannot fail once there is memory for the copy.
                let place = self.machine.place(&execution.state);
                self.machine.locate(&execution.state, &place, &text, length, false)?;
                let copy = self.machine.allocate(
                    &mut execution.state,
                    u128::from(length),
                    16,
                    ObjectKind::Heap(HeapFamily::Malloc),
                    None,
                )?;
                let copy = Scalar::pointer(copy);
                self.machine.copy_bytes(&mut execution.state, &place, &copy, &text, &size(length))?;
                pointer(copy)
            }
        }
    }

    /// A bound that must be known: paths part over it.
    fn bound(&mut self, execution: &Execution<'s>, scalar: &Argument) -> Result<u64, Halt<TermId>> {
        Ok(self.machine.size(&execution.state, scalar)? as u64)
    }

    /// A byte of a text.
    fn byte(
        &mut self,
        execution: &mut Execution<'s>,
        text: &Argument,
        index: u64,
    ) -> Result<Int<TermId>, Halt<TermId>> {
        let at = self.machine.offset_scalar(text, index)?;
        let place = self.machine.place(&execution.state);
        let loaded = self.machine.load_value(&mut execution.state, &place, &at, &Type::Int(8))?;
        Ok(integer(argument(&[loaded], 0)?)?.clone())
    }

    pub(crate) fn are_equal(
        &mut self,
        execution: &Execution<'s>,
        a: &Int<TermId>,
        b: &Int<TermId>,
    ) -> Result<bool, Halt<TermId>> {
        let equal = self.compared(IntPredicate::Eq, a, b);
        self.machine.decide(&execution.state, &equal)
    }

    /// The length of a text, or `most` if it is longer.
    pub(crate) fn length(
        &mut self,
        execution: &mut Execution<'s>,
        text: &Argument,
        most: u64,
    ) -> Result<u64, Halt<TermId>> {
        for index in 0..most {
            let byte = self.byte(execution, text, index)?;
            if self.are_equal(execution, &byte, &Int::new(8, 0))? {
                return Ok(index);
            }
        }
        Ok(most)
    }

    /// An operation on integers.
    pub(crate) fn operate(&mut self, operation: IntOperation, operands: &[Int<TermId>]) -> Int<TermId> {
        match evaluate(operation, operands) {
            Some(known) => known,
            None => int_terms::operation(self.store(), operation, operands),
        }
    }

    fn low_byte(&mut self, int: &Int<TermId>) -> Int<TermId> {
        self.operate(IntOperation::Extract { high: 7, low: 0 }, std::slice::from_ref(int))
    }

    fn compare_texts(
        &mut self,
        execution: &mut Execution<'s>,
        a: &Argument,
        b: &Argument,
        most: u64,
        is_text: bool,
    ) -> Answered {
        for index in 0..most {
            let (x, y) = (self.byte(execution, a, index)?, self.byte(execution, b, index)?);
            if !self.are_equal(execution, &x, &y)? {
                let wide = [x, y].map(|byte| self.operate(IntOperation::ZeroExtend(32), &[byte]));
                return integer_value(self.operate(IntOperation::Binary(IntBinary::Sub), &wide));
            }
            if is_text && self.are_equal(execution, &x, &Int::new(8, 0))? {
                break;
            }
        }
        integer_value(Int::new(32, 0))
    }

    fn find(
        &mut self,
        execution: &mut Execution<'s>,
        text: &Argument,
        wanted: &Argument,
        most: u64,
        is_text: bool,
    ) -> Answered {
        let wanted = self.low_byte(integer(wanted)?);
        if let Some(known) = self.first_places(execution, text, &wanted, most, is_text) {
            return self.find_in(execution, text, &wanted, &known);
        }
        for index in 0..most {
            let byte = self.byte(execution, text, index)?;
            if self.are_equal(execution, &byte, &wanted)? {
                return pointer(self.machine.offset_scalar(text, index)?);
            }
            if is_text && self.are_equal(execution, &byte, &Int::new(8, 0))? {
                break;
            }
        }
        pointer(null())
    }

    /// Where each byte stands first in a text that is known, as a table of characters is, in which one is looked for that is not; `None` where paths
    /// part over the place instead.
    fn first_places(
        &mut self,
        execution: &mut Execution<'s>,
        text: &Argument,
        wanted: &Int<TermId>,
        most: u64,
        is_text: bool,
    ) -> Option<Vec<(u8, u64)>> {
        if wanted.is_known() || !self.options.merges {
            return None;
        }
        let mut places: Vec<(u8, u64)> = Vec::new();
        for index in 0..most.min(LONGEST_TABLE) {
            let byte = self.byte(execution, text, index).ok()?.concrete()? as u8;
            if places.iter().all(|(known, _)| *known != byte) {
                places.push((byte, index));
            }
            if is_text && byte == 0 {
                return Some(places);
            }
        }
        (most <= LONGEST_TABLE).then_some(places)
    }

    /// The place of a byte as a number that hangs on it: paths part only over whether it is there.
    fn find_in(
        &mut self,
        execution: &Execution<'s>,
        text: &Argument,
        wanted: &Int<TermId>,
        places: &[(u8, u64)],
    ) -> Answered {
        let (mut is_there, mut at) = (Int::bool(false), Int::new(64, 0));
        for (byte, index) in places.iter().rev() {
            let equal = self.compared(IntPredicate::Eq, wanted, &Int::new(8, u128::from(*byte)));
            at = self.operate(IntOperation::Select, &[equal.clone(), Int::new(64, u128::from(*index)), at]);
            is_there = self.operate(IntOperation::Binary(IntBinary::Or), &[equal, is_there]);
        }
        if !self.machine.decide(&execution.state, &is_there)? {
            return pointer(null());
        }
        let Datum::Pointer(Pointer { base, offset }) = &text.datum else {
            return Err(Stop::unsupported("a text that is no pointer").into());
        };
        let offset = self.operate(IntOperation::Binary(IntBinary::Add), &[offset.clone(), at]);
        pointer(Scalar::pointer(Pointer { base: *base, offset }))
    }

    /// Copies bytes behind a start and fills so many behind them with zeros.
    fn copy_and_fill(
        &mut self,
        execution: &mut Execution<'s>,
        (to, start): (&Argument, u64),
        from: &Argument,
        length: u64,
        zeros: u64,
    ) -> Result<(), Halt<TermId>> {
        let place = self.machine.place(&execution.state);
        let at = self.machine.offset_scalar(to, start)?;
        // All of it must be writable before anything is written.
        let (id, offset) = self.machine.locate(&execution.state, &place, &at, length.saturating_add(zeros), true)?;
        let address = execution.state.memory.pointer_to(id);
        let Pointer { base: base @ Base::Object { .. }, .. } = address else { return Ok(()) };
        let whole = Scalar::pointer(Pointer::new(base, offset));
        self.machine.copy_bytes(&mut execution.state, &place, &whole, from, &size(length))?;
        execution.state.memory.fill(&mut self.machine.domain, id, offset + length, zeros, 0);
        Ok(())
    }
}
