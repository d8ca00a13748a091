//! What holds at the loops of a proved program, as C says it, from the ranges of its variables.

use std::path::Path;

use labrys_executor::verifier_call;
use labrys_float::{Float, Format};
use labrys_program::{Program, SourceVariable};
use labrys_ranges::{LoopRange, Values, loop_ranges};
use labrys_solver::domain::FloatDomain;
use labrys_testcase::{Invariant, InvariantKind, WitnessLocation, float_constant};

use super::building::BuiltProgram;
use crate::run::clock::Clock;
use crate::run::record::place_of_location;

/// Seconds that ranges may take.
const LONGEST: std::time::Duration = std::time::Duration::from_secs(10);

/// The invariants of the loops that begin with `for` or `while`, in the user's files, in the order of these. Loops that end with their condition are left
/// out: the format does not say whether a loop begins with its body.
///
/// # Errors
///
/// Why there are none.
pub(super) fn invariants(built: &BuiltProgram, clock: &Clock) -> Result<Vec<Invariant>, String> {
    let program = &built.whole.program;
    let found = loop_ranges(program, built.whole.entry, &verifier_call, Some(clock.deadline(LONGEST)))?;
    let mut all: Vec<Invariant> = found.iter().filter_map(|of| invariant(built, program, of)).collect();
    all.sort_by_cached_key(|Invariant { location, .. }| (location.file.clone(), location.line, location.column));
    Ok(all)
}

/// What holds whenever a loop's condition is evaluated.
fn invariant(built: &BuiltProgram, program: &Program, of: &LoopRange) -> Option<Invariant> {
    let function = &program.functions[of.function.index()];
    let source = &function.loops[of.index];
    let place = place_of_location(program, Some(source.location));
    if function.is_library || !built.is_users(&place) {
        return None;
    }
    let (file, line) = (place.file?, place.line?);
    let (keyword, column) = keyword(Path::new(&file), line, place.column?)?;
    let named = |variable: &SourceVariable| keyword == Keyword::For || !variable.is_declared_within;
    let variables = source.variables.iter().zip(&of.variables).filter(|(variable, _)| named(variable));
    let conditions: Vec<String> =
        variables.filter_map(|(variable, values)| condition(variable, values.as_ref()?)).collect();
    (!conditions.is_empty()).then(|| Invariant {
        kind: InvariantKind::Loop,
        location: WitnessLocation { file, line, column: Some(column), function: function.source_name.clone() },
        value: conditions.join(" && "),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyword {
    For,
    While,
}

/// The keyword at a line and a column in bytes, and its column in characters; all from 1. A loop that a macro makes has none there.
fn keyword(file: &Path, line: u32, column: u32) -> Option<(Keyword, u32)> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().nth(line.checked_sub(1)? as usize)?;
    let (before, rest) = line.split_at_checked(column.checked_sub(1)? as usize)?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let keyword = match &rest[..end] {
        "for" => Keyword::For,
        "while" => Keyword::While,
        _ => return None,
    };
    Some((keyword, before.chars().count() as u32 + 1))
}

/// What C says of a variable's values; `None` if it is nothing.
fn condition(variable: &SourceVariable, values: &Values) -> Option<String> {
    match values {
        Values::Float(set) => float_condition(&variable.name, set),
        Values::Int { bits, low, high } => integer_condition(variable, *bits, (*low, *high)),
    }
}

fn float_condition(name: &str, set: &FloatDomain) -> Option<String> {
    let size = match set.format {
        Format::BINARY16 => 2,
        Format::BINARY32 => 4,
        Format::BINARY64 => 8,
        Format::X87 => 16,
        _ => return None,
    };
    // None of an infinity: then nothing is said on that side. Comparisons do not tell zeros apart.
    let constant = |value: Option<Float>| match value? {
        value if value.is_zero() => Some("0".to_owned()),
        value => float_constant(&value.to_u128()?.to_le_bytes()[..size]),
    };
    let low = constant(set.min_member()).map(|low| format!("{low} <= {name}"));
    let high = constant(set.max_member()).map(|high| format!("{name} <= {high}"));
    let bounds: Vec<String> = low.into_iter().chain(high).collect();
    match (set.nan, set.has_numbers(), bounds.is_empty()) {
        (true, false, _) => Some(format!("{name} != {name}")),
        (true, true, true) => None,
        (true, true, false) => Some(format!("({name} != {name} || ({}))", bounds.join(" && "))),
        (false, _, true) => Some(format!("{name} == {name}")),
        (false, _, false) => Some(bounds.join(" && ")),
    }
}

/// Integers of C's, and whether they have signs; of `char` that depends on the machine.
const INTEGERS: [(&str, bool); 10] = [
    ("signed char", true),
    ("short", true),
    ("int", true),
    ("long", true),
    ("long long", true),
    ("unsigned char", false),
    ("unsigned short", false),
    ("unsigned int", false),
    ("unsigned long", false),
    ("unsigned long long", false),
];

fn integer_condition(variable: &SourceVariable, bits: u32, (low, high): (i128, i128)) -> Option<String> {
    let name = &variable.name;
    let (_, is_signed) = *INTEGERS.iter().find(|(ty, _)| *ty == variable.ty)?;
    let (least, greatest) = match is_signed {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        // Read as signed, such a set is in two parts.
        false if low < 0 => return None,
        false => (0, (1i128 << bits) - 1),
    };
    let low = (low > least).then(|| format!("{} <= {name}", integer(low)));
    let high = (high < greatest).then(|| format!("{name} <= {}", integer(high)));
    let bounds: Vec<String> = low.into_iter().chain(high).collect();
    (!bounds.is_empty()).then(|| bounds.join(" && "))
}

/// An integer as a constant of C's, which has its value whatever it is compared with.
fn integer(value: i128) -> String {
    match value {
        -0x7fff_ffff..=0x7fff_ffff => value.to_string(),
        _ => format!("{value}LL"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(ty: &str) -> SourceVariable {
        let memory = labrys_program::ValueId(0);
        SourceVariable { name: "x".to_owned(), ty: ty.to_owned(), memory, is_declared_within: false }
    }

    #[test]
    fn integers_have_the_bounds_that_their_types_do_not() {
        let of = |ty, bits, low, high| integer_condition(&variable(ty), bits, (low, high));
        assert_eq!(of("int", 32, -5, i128::from(i32::MAX)).as_deref(), Some("-5 <= x"));
        assert_eq!(of("int", 32, i128::from(i32::MIN), 7).as_deref(), Some("x <= 7"));
        assert_eq!(of("int", 32, i128::from(i32::MIN), i128::from(i32::MAX)), None);
        assert_eq!(of("unsigned int", 32, 0, 5).as_deref(), Some("x <= 5"));
        assert_eq!(of("unsigned int", 32, 1, i128::from(i32::MAX)).as_deref(), Some("1 <= x && x <= 2147483647"));
        assert_eq!(of("unsigned int", 32, -1, 5), None);
        assert_eq!(
            of("long", 64, -3_000_000_000, 1 << 40).as_deref(),
            Some("-3000000000LL <= x && x <= 1099511627776LL")
        );
        assert_eq!(of("some_enum", 32, 0, 1), None);
    }

    #[test]
    fn floats_are_bounded_by_constants_that_are_exactly_them_and_nans_are_said() {
        let number = |x: f32| Float::from_bits(Format::BINARY32, x.to_bits());
        let of = |set| float_condition("x", &set);
        let set = FloatDomain::between(&number(0.1), &number(f32::MAX));
        assert_eq!(of(set).as_deref(), Some("0x1.99999ap-4 <= x && x <= 0x1.fffffep+127"));
        let with_nan = FloatDomain { nan: true, ..set };
        assert_eq!(of(with_nan).as_deref(), Some("(x != x || (0x1.99999ap-4 <= x && x <= 0x1.fffffep+127))"));
        let above = FloatDomain::between(&number(-1.0), &number(f32::INFINITY));
        assert_eq!(of(above).as_deref(), Some("-0x1p+0 <= x"));
        let to_zero = FloatDomain::between(&number(-1.0), &number(-0.0));
        assert_eq!(of(to_zero).as_deref(), Some("-0x1p+0 <= x && x <= 0"));
        assert_eq!(of(FloatDomain::numbers(Format::BINARY32)).as_deref(), Some("x == x"));
        assert_eq!(of(FloatDomain::top(Format::BINARY32)), None);
        assert_eq!(of(FloatDomain { nan: true, ..FloatDomain::empty(Format::BINARY64) }).as_deref(), Some("x != x"));
    }
}
