//! ctype.h in the C locale: as functions, and as glibc's tables, which its macros read.

use labrys_interp::{Base, Halt, Int, IntOperation, ObjectKind, Pointer, Scalar};
use labrys_program::{IntBinary, IntPredicate};
use labrys_term::TermId;
use smallvec::smallvec;

use crate::answers::{Value, argument, integer};
use crate::driver::Driver;
use crate::externals::Answer;
use crate::state::Execution;

/// A function of ctype.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CharacterCall {
    /// `isalpha` and its kin: the bit of glibc's table that it tests.
    Is(u16),
    /// `toupper`.
    ToUpper,
    /// `tolower`.
    ToLower,
    /// The address of a pointer to one of glibc's tables.
    Table(Table),
}

/// glibc's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Table {
    /// `__ctype_b_loc`: the classes.
    Classes,
    /// `__ctype_toupper_loc`.
    Upper,
    /// `__ctype_tolower_loc`.
    Lower,
}

/// The first character of glibc's tables; the last is 255.
const FIRST: i32 = -128;

/// glibc's bits of the classes, on little-endian machines.
const CLASSES: [(&str, u16); 12] = [
    ("isupper", 0x100),
    ("islower", 0x200),
    ("isalpha", 0x400),
    ("isdigit", 0x800),
    ("isxdigit", 0x1000),
    ("isspace", 0x2000),
    ("isprint", 0x4000),
    ("isgraph", 0x8000),
    ("isblank", 0x1),
    ("iscntrl", 0x2),
    ("ispunct", 0x4),
    ("isalnum", 0x8),
];

/// The classes of a character; those outside ASCII have none.
fn classes(character: i32) -> u16 {
    let Ok(byte) = u8::try_from(character) else { return 0 };
    let is = [
        byte.is_ascii_uppercase(),
        byte.is_ascii_lowercase(),
        byte.is_ascii_alphabetic(),
        byte.is_ascii_digit(),
        byte.is_ascii_hexdigit(),
        matches!(byte, 9..=13 | b' '),
        matches!(byte, b' '..=b'~'),
        byte.is_ascii_graphic(),
        matches!(byte, 9 | b' '),
        byte.is_ascii_control(),
        byte.is_ascii_punctuation(),
        byte.is_ascii_alphanumeric(),
    ];
    CLASSES.iter().zip(is).filter(|(_, is)| *is).fold(0, |bits, ((_, bit), _)| bits | bit)
}

/// What a negative character is to `toupper` and `tolower`: that of its byte, but for EOF, which is itself.
fn folded(character: i32) -> i32 {
    if (FIRST..-1).contains(&character) { character + 256 } else { character }
}

impl CharacterCall {
    pub(crate) fn of(name: &str) -> Option<CharacterCall> {
        Some(match name {
            "toupper" => CharacterCall::ToUpper,
            "tolower" => CharacterCall::ToLower,
            "__ctype_b_loc" => CharacterCall::Table(Table::Classes),
            "__ctype_toupper_loc" => CharacterCall::Table(Table::Upper),
            "__ctype_tolower_loc" => CharacterCall::Table(Table::Lower),
            _ => CharacterCall::Is(CLASSES.iter().find(|(class, _)| *class == name)?.1),
        })
    }
}

impl Table {
    /// An entry's size in bytes.
    fn entry(self) -> u64 {
        match self {
            Table::Classes => 2,
            Table::Upper | Table::Lower => 4,
        }
    }

    fn content(self, character: i32) -> u128 {
        let byte = u8::try_from(character).ok();
        match self {
            Table::Classes => u128::from(classes(character)),
            Table::Upper => byte.map_or(folded(character) as u32 as u128, |byte| byte.to_ascii_uppercase().into()),
            Table::Lower => byte.map_or(folded(character) as u32 as u128, |byte| byte.to_ascii_lowercase().into()),
        }
    }
}

impl<'s> Driver<'_, 's> {
    /// Answers a function of characters.
    pub(crate) fn character_call(
        &mut self,
        execution: &mut Execution<'s>,
        call: CharacterCall,
        arguments: &[Value],
    ) -> Result<Answer<Value>, Halt<TermId>> {
        if let CharacterCall::Table(table) = call {
            let pointer = self.tables.get(&table).cloned();
            let pointer = pointer.ok_or_else(|| labrys_interp::Stop::unsupported("a table of characters"))?;
            return Ok(Answer::Value(smallvec![Scalar::pointer(pointer)]));
        }
        let character = integer(argument(arguments, 0)?)?.clone();
        let result = match call {
            CharacterCall::ToUpper => self.shifted(&character, (b'a', b'z'), IntBinary::Sub),
            CharacterCall::ToLower => self.shifted(&character, (b'A', b'Z'), IntBinary::Add),
            CharacterCall::Is(class) => {
                let mut result = Int::new(32, 0);
                for (first, last) in runs(class) {
                    let inside = self.between(&character, first, last);
                    result = self.chosen(inside, Int::new(32, u128::from(class)), result);
                }
                result
            }
            CharacterCall::Table(_) => character,
        };
        let _ = execution;
        Ok(Answer::Value(smallvec![Scalar::int(result)]))
    }

    /// A character 32 away if it is within bounds.
    fn shifted(&mut self, character: &Int<TermId>, (first, last): (u8, u8), by: IntBinary) -> Int<TermId> {
        let inside = self.between(character, first, last);
        let moved = self.operate(IntOperation::Binary(by), &[character.clone(), Int::new(character.bits(), 32)]);
        let is_folded = self.between(character, FIRST, -2);
        let folded = [character.clone(), Int::new(character.bits(), 256)];
        let folded = self.operate(IntOperation::Binary(IntBinary::Add), &folded);
        let others = self.chosen(is_folded, folded, character.clone());
        self.chosen(inside, moved, others)
    }

    fn between(&mut self, character: &Int<TermId>, first: impl Into<i32>, last: impl Into<i32>) -> Int<TermId> {
        let (width, first, last) = (character.bits(), first.into(), last.into());
        let base = Int::new(width, first as u128);
        let distance = self.operate(IntOperation::Binary(IntBinary::Sub), &[character.clone(), base]);
        self.compared(IntPredicate::Ule, &distance, &Int::new(width, (last - first) as u128))
    }

    fn chosen(&mut self, condition: Int<TermId>, a: Int<TermId>, b: Int<TermId>) -> Int<TermId> {
        match condition.concrete() {
            Some(0) => b,
            Some(_) => a,
            None => self.operate(IntOperation::Select, &[condition, a, b]),
        }
    }

    /// Makes the tables that the program asks for.
    pub(crate) fn make_tables(&mut self, execution: &mut Execution<'s>) {
        for table in [Table::Classes, Table::Upper, Table::Lower] {
            let is_asked = self.externals.values().any(|external| {
                *external
                    == crate::externals::External::Text(crate::texts::TextCall::Character(CharacterCall::Table(table)))
            });
            if !is_asked {
                continue;
            }
            let (memory, domain) = (&mut execution.state.memory, &mut self.machine.domain);
            let count = (256 - FIRST) as u64;
            let content = memory.allocate(count * table.entry(), 8, ObjectKind::Global, Some(0));
            let holder = memory.allocate(8, 8, ObjectKind::Global, Some(0));
            if let (Base::Object { id, .. }, Base::Object { id: holding, .. }) = (content.base, holder.base) {
                for character in FIRST..256 {
                    let at = (character - FIRST) as u64 * table.entry();
                    let entry = Int::new(8 * table.entry() as u32, table.content(character));
                    memory.store(domain, id, at, table.entry(), Scalar::int(entry));
                }
                let zero = Pointer::new(content.base, FIRST.unsigned_abs() as u64 * table.entry());
                memory.store(domain, holding, 0, 8, Scalar::pointer(zero));
                memory.set_constant(id);
            }
            self.tables.insert(table, holder);
        }
    }
}

/// The runs of characters of a class.
fn runs(class: u16) -> Vec<(u8, u8)> {
    let mut runs: Vec<(u8, u8)> = Vec::new();
    for byte in 0..=127u8 {
        if classes(i32::from(byte)) & class == 0 {
            continue;
        }
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == byte => *last = byte,
            _ => runs.push((byte, byte)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_the_c_locale() {
        assert_eq!(classes(i32::from(b'A')), 0x100 | 0x400 | 0x1000 | 0x4000 | 0x8000 | 0x8);
        assert_eq!(classes(i32::from(b'\t')), 0x2000 | 0x1 | 0x2);
        assert_eq!((classes(-1), classes(200)), (0, 0));
        unsafe extern "C" {
            fn toupper(character: i32) -> i32;
            fn tolower(character: i32) -> i32;
        }
        // Against this machine's C library.
        for character in FIRST..256 {
            // SAFETY: these functions are defined on such numbers.
            let own = unsafe { [toupper(character), tolower(character)] };
            assert_eq!(
                [Table::Upper, Table::Lower].map(|table| table.content(character) as u32 as i32),
                own,
                "{character}"
            );
        }
        assert_eq!(runs(0x1000), [(b'0', b'9'), (b'A', b'F'), (b'a', b'f')]);
    }
}
