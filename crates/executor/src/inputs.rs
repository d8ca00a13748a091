//! What the program asks for: variables, or on a replay the bytes of a test.

use std::borrow::Cow;
use std::sync::Arc;

use labrys_interp::{Int, List, ScalarKind};
use labrys_program::{Constant, Function, FunctionId, InstructionKind, Operand, Program, Type, ValueId};
use labrys_term::{Model, Sort, Store, TermId, VariableId};
use labrys_testcase::{InputObject, STANDARD_INPUT, STANDARD_INPUT_STATE, TestInput, standard_input_objects};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

use crate::made::Made;

/// One of the integers that an object is cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Where it begins, in bytes.
    pub(crate) offset: u64,
    /// Its size in bytes.
    pub(crate) bytes: u64,
    /// Whether it is a float by the object's type.
    pub(crate) is_float: bool,
}

impl Piece {
    /// An object of one scalar, of which the type does not say more.
    pub(crate) fn whole(bytes: u64) -> Piece {
        Piece { offset: 0, bytes, is_float: false }
    }
}

/// Bytes of the largest object that a program may ask for.
pub(crate) const MAX_OBJECT: u64 = 1 << 20;

/// One object that the program has asked for.
#[derive(Clone, Debug)]
pub(crate) struct InputRecord {
    name: Arc<str>,
    size: u64,
    role: Role,
    /// Where it is asked for ([`crate::input_ranges::place_of`]).
    place: u64,
    /// The call that asks for it, where that is one of a function which returns it.
    pub(crate) call: Option<(FunctionId, ValueId)>,
    /// Its variables; none on a replay. Bytes that they leave out are zero.
    parts: Vec<(u64, VariableId)>,
    /// Its floats, by its type.
    floats: Arc<[Piece]>,
}

/// Who looks at an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// A function asks for it.
    Asked,
    /// It is a text of the command line.
    Argument,
    /// Standard input has it: so many of its bytes as the variable says.
    StandardInput(Option<VariableId>),
    /// What is known of standard input without reading it.
    State,
}

impl InputRecord {
    /// What the program calls it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Where it is asked for.
    pub(crate) fn place(&self) -> u64 {
        self.place
    }

    /// Its variables, by where they begin.
    pub(crate) fn parts(&self) -> &[(u64, VariableId)] {
        &self.parts
    }
}

/// Where inputs come from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// They may be anything.
    Symbolic,
    /// They are these.
    Fixed(TestInput),
    /// They are made.
    Made(Made),
}

impl Source {
    /// What is known of the object that is asked for as the `index`-th: what is missing is zero.
    fn known(&self, index: usize, (name, place): (&str, u64), size: u64, layout: &[Piece]) -> Cow<'_, [u8]> {
        match self {
            Source::Symbolic => Cow::Borrowed(&[]),
            Source::Fixed(test) => Cow::Borrowed(test.objects.get(index).map_or(&[], |object| &object.bytes)),
            Source::Made(made) => Cow::Owned(made.bytes((name, place), index, size, layout)),
        }
    }

    /// An object of `size` bytes as the integers of `layout`, which is asked for by a name at a place.
    pub(crate) fn ask(
        &self,
        store: &mut Store,
        records: &mut List<InputRecord>,
        (name, place): (&str, u64),
        size: u64,
        layout: &[Piece],
    ) -> Vec<Int<TermId>> {
        let index = records.len();
        let floats = layout.iter().filter(|piece| piece.is_float).copied().collect();
        let mut record =
            InputRecord { name: name.into(), size, role: Role::Asked, place, call: None, parts: Vec::new(), floats };
        let known = self.known(index, (name, place), size, layout);
        let values = layout.iter().map(|&Piece { offset, bytes, .. }| {
            let bits = 8 * bytes as u32;
            match self {
                Source::Symbolic => {
                    // The width is part of the name: another path's object of that number may be another one.
                    let variable = store.variable(&format!("{name}#{index}+{offset}:{bits}"), Sort::BitVec(bits));
                    record.parts.extend(store.as_variable(variable).map(|variable| (offset, variable)));
                    Int::symbolic(bits, variable)
                }
                Source::Fixed(_) | Source::Made(_) => {
                    let rest = known.get(offset as usize..).unwrap_or_default();
                    Int::number(bits, BigUint::from_bytes_le(&rest[..rest.len().min(bytes as usize)]))
                }
            }
        });
        let values = values.collect();
        records.push(record);
        values
    }
}

/// The bytes of a text of the command line that may be any one of at most `length`, its end included.
pub(crate) fn any_argument(
    store: &mut Store,
    records: &mut List<InputRecord>,
    number: usize,
    length: u64,
) -> Vec<Int<TermId>> {
    let name = format!("argument {number}");
    let mut parts = Vec::new();
    let mut bytes = Vec::new();
    for offset in 0..length {
        let variable = store.variable(&format!("{name}+{offset}:8"), Sort::BitVec(8));
        parts.extend(store.as_variable(variable).map(|variable| (offset, variable)));
        bytes.push(Int::symbolic(8, variable));
    }
    bytes.push(Int::new(8, 0));
    records.push(InputRecord {
        name: name.into(),
        size: length,
        role: Role::Argument,
        place: 0,
        call: None,
        parts,
        floats: Arc::default(),
    });
    bytes
}

/// The variable of a byte of standard input, and the one of how many there are: no more than the bound.
pub(crate) fn standard_byte(store: &mut Store, at: u64) -> TermId {
    store.variable(&format!("{STANDARD_INPUT}+{at}:8"), Sort::BitVec(8))
}

pub(crate) fn standard_length(store: &mut Store) -> TermId {
    store.variable(&format!("{STANDARD_INPUT} length"), Sort::BitVec(32))
}

/// Notes what standard input has: any bytes, at most `most`, or on a replay those of the test, where it has any.
pub(crate) fn note_standard_input(source: &Source, store: &mut Store, records: &mut List<InputRecord>, most: u64) {
    let record = |name: &str, size, role, parts| InputRecord {
        name: name.into(),
        size,
        role,
        place: 0,
        call: None,
        parts,
        floats: Arc::default(),
    };
    let (size, state) = match source {
        Source::Symbolic if most == 0 => return,
        Source::Symbolic => (most, standard_input_objects(&[])[1].bytes.len()),
        Source::Fixed(test) => match test.standard_input() {
            Some(bytes) => (bytes.len() as u64, test.objects[1].bytes.len()),
            None => return,
        },
        Source::Made(_) => return,
    };
    let (mut parts, mut length) = (Vec::new(), None);
    if matches!(source, Source::Symbolic) {
        for at in 0..size {
            let byte = standard_byte(store, at);
            parts.extend(store.as_variable(byte).map(|variable| (at, variable)));
        }
        let variable = standard_length(store);
        length = store.as_variable(variable);
    }
    records.push(record(STANDARD_INPUT, size, Role::StandardInput(length), parts));
    records.push(record(STANDARD_INPUT_STATE, state as u64, Role::State, Vec::new()));
}

/// The input of a run on known values, with all that it asked for.
pub(crate) fn all_asked(arguments: &[Vec<u8>], source: &Source, asked: &List<InputRecord>) -> TestInput {
    let objects = asked.in_order().into_iter().enumerate().map(|(index, record)| {
        let mut bytes = source.known(index, (record.name(), record.place), record.size(), &record.floats).into_owned();
        bytes.resize(record.size() as usize, 0);
        InputObject { name: record.name().to_owned(), bytes }
    });
    TestInput { arguments: arguments.to_vec(), objects: objects.collect() }
}

/// The calls by which a run has asked for what a test has beside standard input, in its order.
pub(crate) fn asking_calls(asked: &List<InputRecord>) -> Vec<Option<(FunctionId, ValueId)>> {
    asked.in_order().into_iter().filter(|record| record.role == Role::Asked).map(|record| record.call).collect()
}

/// The inputs of a path by a model of its condition; what that does not mention is zero.
pub(crate) fn test_input(arguments: &[Vec<u8>], records: &List<InputRecord>, model: &Model) -> TestInput {
    let bytes_of = |record: &InputRecord| {
        let mut bytes = vec![0; record.size as usize];
        for &(offset, variable) in &record.parts {
            let value = model.get(variable).and_then(|value| value.as_bits()).map(|bits| bits.to_bytes_le());
            for (to, from) in bytes.iter_mut().skip(offset as usize).zip(value.unwrap_or_default()) {
                *to = from;
            }
        }
        bytes
    };
    let mut input = TestInput { arguments: arguments.to_vec(), objects: Vec::new() };
    for record in records.in_order() {
        let mut bytes = bytes_of(record);
        match record.role {
            Role::Asked => input.objects.push(InputObject { name: record.name.to_string(), bytes }),
            Role::Argument => {
                // A text ends at its first zero.
                bytes.truncate(bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()));
                input.arguments.push(bytes);
            }
            Role::StandardInput(length) => {
                let length = length.and_then(|length| model.get(length)?.as_bits()?.to_usize());
                bytes.truncate(length.unwrap_or(0));
                input.objects.extend(standard_input_objects(&bytes));
            }
            Role::State => {}
        }
    }
    input
}

/// How an object of `size` bytes is cut into variables: one for each scalar of its type, so that terms keep their shape. Where
/// the type is not known, eight bytes each if the size is a multiple of that, else bytes.
pub(crate) fn layout(ty: Option<&Type>, size: u64) -> Vec<Piece> {
    let mut scalars: Vec<Piece> = Vec::new();
    if let Some(ty) = ty.filter(|ty| ty.alloc_size() == size) {
        let read: Result<(), ()> = ty.for_each_scalar(&mut |place| {
            let kind = ScalarKind::of(place.ty).map_err(|_| ())?;
            let is_float = matches!(place.ty, Type::Float(_));
            scalars.push(Piece { offset: place.offset, bytes: kind.size(), is_float });
            Ok(())
        });
        if read.is_err() {
            scalars.clear();
        }
    }
    let untyped = |offset, bytes| Piece { offset, bytes, is_float: false };
    if scalars.is_empty() {
        let piece = if size.is_multiple_of(8) { 8 } else { 1 };
        return (0..size / piece).map(|i| untyped(i * piece, piece)).collect();
    }
    // Padding is part of the object.
    let mut all = Vec::with_capacity(scalars.len());
    let mut end = 0;
    for piece in scalars {
        all.extend((end..piece.offset).map(|byte| untyped(byte, 1)));
        all.push(piece);
        end = end.max(piece.offset + piece.bytes);
    }
    all.extend((end..size).map(|byte| untyped(byte, 1)));
    all
}

/// The type of what a pointer operand points to, where that is a variable of the function or a global.
pub(crate) fn pointee<'p>(program: &'p Program, function: &'p Function, pointer: &Operand) -> Option<&'p Type> {
    match pointer {
        Operand::Constant(Constant::Global(id, 0)) => Some(&program.globals.get(id.index())?.ty),
        Operand::Constant(_) => None,
        Operand::Value(value) => function.blocks.iter().flat_map(|block| &block.instructions).find_map(|instruction| {
            match &instruction.kind {
                InstructionKind::Alloca(ty, ..) if instruction.result == Some(*value) => Some(ty),
                _ => None,
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use labrys_float::Format;
    use labrys_program::StructLayout;

    use super::*;

    #[test]
    fn objects_without_types_are_cut_into_words_or_bytes() {
        let cut = |ty: Option<&Type>, size| -> Vec<(u64, u64, bool)> {
            layout(ty, size).iter().map(|of| (of.offset, of.bytes, of.is_float)).collect()
        };
        assert_eq!(cut(None, 16), [(0, 8, false), (8, 8, false)]);
        assert_eq!(cut(None, 3), [(0, 1, false), (1, 1, false), (2, 1, false)]);
        let ints = Type::Array(Arc::new(Type::Int(32)), 2);
        assert_eq!(cut(Some(&ints), 8), [(0, 4, false), (4, 4, false)]);
        assert_eq!(cut(Some(&ints), 16), [(0, 8, false), (8, 8, false)]);
        let fields = vec![Type::Float(Format::BINARY32), Type::Int(32)];
        let pair = Type::Struct(Arc::new(StructLayout { fields, offsets: vec![0, 4], size: 8 }));
        assert_eq!(cut(Some(&pair), 8), [(0, 4, true), (4, 4, false)]);
    }

    #[test]
    fn a_replay_gets_its_bytes_and_zeros_behind_them() {
        let mut store = Store::new();
        let object = InputObject { name: "x".into(), bytes: vec![1, 2, 3] };
        let source = Source::Fixed(TestInput { arguments: Vec::new(), objects: vec![object] });
        let mut records = List::default();
        let values = source.ask(
            &mut store,
            &mut records,
            ("x", 0),
            4,
            &[Piece::whole(2), Piece { offset: 2, ..Piece::whole(2) }],
        );
        assert_eq!(values, [Int::new(16, 0x0201), Int::new(16, 3)]);
        assert_eq!(source.ask(&mut store, &mut records, ("y", 0), 1, &[Piece::whole(1)]), [Int::new(8, 0)]);
    }
}
