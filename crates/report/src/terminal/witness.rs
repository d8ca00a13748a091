//! The inputs that show a finding: each scalar in three notations. Of many those are counted only that are zero, that are equal to the one before,
//! or that there is no room for; the files have all.

use super::observed::{SCALARS_SHOWN, is_plain_zero};
use super::style::Style;
use super::summary::grouped;
use crate::{Finding, Report, Value};

/// More lines than these are counted only.
const LINES_SHOWN: usize = 60;

/// Of many scalars, so many equal ones in a row are shown once.
const EQUAL_RUN: usize = 4;

/// A line of a witness.
enum Line {
    /// Name, decimal, hexadecimal, bits and the function that returns it.
    Scalar([String; 4]),
    /// So many are like the one before, of which the decimal is.
    Equal(usize, String),
}

/// The witness in three notations, aligned.
pub(super) fn witness(report: &Report, finding: &Finding, style: &Style) -> String {
    let mut values: Vec<&Value> = Vec::new();
    finding.inputs.iter().for_each(|input| flatten(input, &mut values));
    let count = values.len();
    let (shown, zeros): (Vec<&Value>, Vec<&Value>) =
        values.iter().partition(|value| count <= SCALARS_SHOWN || !is_plain_zero(value));
    let lines = folded(&shown, count > SCALARS_SHOWN);
    // A count says more than the line that it would take.
    let kept = if lines.len() > LINES_SHOWN + 1 { LINES_SHOWN } else { lines.len() };
    let (lines, rest) = lines.split_at(kept);
    let rest: usize = rest.iter().map(|line| if let Line::Equal(count, _) = line { *count } else { 1 }).sum();
    let width = |column: usize| {
        let cell = |line: &Line| match line {
            Line::Scalar(cells) => cells[column].chars().count(),
            Line::Equal(..) => 0,
        };
        lines.iter().map(cell).max().unwrap_or(0)
    };
    let widths = [width(0), width(1), width(2)];
    // In a library each finding has its own function.
    let unit = report.functions.iter().find(|of| of.findings.contains(&finding.id));
    let of = unit.map(|unit| format!(" for {}", unit.function)).unwrap_or_default();
    let mut text = match count {
        0 => format!("  no inputs{of}\n"),
        _ => format!("  {}\n", style.bold(&format!("witness{of}"))),
    };
    for line in lines {
        let line = match line {
            Line::Scalar([name, decimal, hex, bits]) => {
                let padding = " ".repeat(widths[1].saturating_sub(decimal.chars().count()));
                format!("    {name:<0$} = {1}{padding}  {hex:<2$}  {bits}", widths[0], style.bold(decimal), widths[2])
            }
            Line::Equal(count, decimal) => format!("    and {} more that are {decimal}", grouped(*count as u64)),
        };
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if rest > 0 {
        text.push_str(&format!("    and {} more that are not shown here\n", grouped(rest as u64)));
    }
    if !zeros.is_empty() {
        text.push_str(&format!("    and {} more that are 0\n", grouped(zeros.len() as u64)));
    }
    text
}

/// The scalars of a value; an array that is a text is one.
fn flatten<'v>(value: &'v Value, all: &mut Vec<&'v Value>) {
    match &value.elements {
        Some(elements) if text_of(value).is_none() => elements.iter().for_each(|element| flatten(element, all)),
        _ => all.push(value),
    }
}

/// An array of characters as C writes it, where all can be printed but for the zeros at its end.
fn text_of(value: &Value) -> Option<String> {
    let elements = value.elements.as_deref()?;
    let end = elements.iter().rposition(|of| !is_plain_zero(of))? + 1;
    let mut text = String::new();
    for element in &elements[..end] {
        let quoted = element.character()?;
        let inner = &quoted[1..quoted.len() - 1];
        text.push_str(match inner {
            "\"" => "\\\"",
            "\\'" => "'",
            inner => inner,
        });
    }
    elements[end..].iter().all(Value::is_character).then(|| format!("\"{text}\""))
}

fn cells(value: &Value) -> [String; 4] {
    let part = |text: &Option<String>| text.clone().unwrap_or_default();
    let decimal = match (text_of(value), value.character()) {
        (Some(text), _) => text,
        (None, Some(character)) => format!("{} {character}", part(&value.decimal)),
        (None, None) => part(&value.decimal),
    };
    let (name, function) = value.origin();
    let bits = part(&value.bits) + &function.map(|function| format!("  ({function})")).unwrap_or_default();
    [name.to_owned(), decimal, part(&value.hex), bits]
}

/// A line for each scalar; of equal ones in a row one and a count, where they are many.
fn folded(values: &[&Value], are_many: bool) -> Vec<Line> {
    let mut lines = Vec::with_capacity(values.len());
    let alike = |a: &&Value, b: &&Value| (&a.type_name, &a.decimal, &a.bits) == (&b.type_name, &b.decimal, &b.bits);
    for run in values.chunk_by(alike) {
        match run {
            [first, rest @ ..] if are_many && run.len() >= EQUAL_RUN => {
                let cells = cells(first);
                let decimal = cells[1].clone();
                lines.extend([Line::Scalar(cells), Line::Equal(rest.len(), decimal)]);
            }
            _ => lines.extend(run.iter().map(|value| Line::Scalar(cells(value)))),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use labrys_program::{FloatType, Pointee, ScalarType, VariableType};

    use super::*;
    use crate::variable_value;

    fn characters(text: &[u8]) -> Value {
        let element = Pointee::Scalar(ScalarType::Int { bits: 8, signed: true });
        let ty = VariableType { element, dimensions: vec![text.len() as u64], is_character: true };
        variable_value("text", &ty, text)
    }

    #[test]
    fn printable_characters_are_a_text() {
        assert_eq!(text_of(&characters(b"0-((\0\0")).as_deref(), Some("\"0-((\""));
        assert_eq!(text_of(&characters(b"a\"'\\\n")).as_deref(), Some("\"a\\\"'\\\\\\n\""));
        assert_eq!(text_of(&characters(b"a\0b")), None);
        assert_eq!(text_of(&characters(b"\0\0")), None);
        let cells = |text: &[u8]| cells(&characters(text).elements.expect("elements")[0]);
        assert_eq!(cells(b"0\x01"), ["text[0]", "48 '0'", "0x30", "0x30"]);
        assert_eq!(cells(b"\x01")[1], "1");
    }

    /// Which of four equal calls a value came from was counted off in the source.
    #[test]
    fn variables_stand_before_the_functions_that_return_their_values() {
        let name = Some("__VERIFIER_nondet_double#3".to_owned());
        let value = Value::scalar(name, ScalarType::Float(FloatType::F64), 3.0f64.to_bits().into());
        let named = Value { variable: Some("x".to_owned()), ..value.clone() };
        assert_eq!(cells(&named), ["x", "3", "0x1.8p+1", "0x4008000000000000  (__VERIFIER_nondet_double#3)"]);
        assert_eq!(cells(&value), ["__VERIFIER_nondet_double#3", "3", "0x1.8p+1", "0x4008000000000000"]);
    }

    /// A filter's thousand equal inputs were as many lines.
    #[test]
    fn equal_scalars_in_a_row_are_counted() {
        let value = |value: f64| Value::scalar(None, ScalarType::Float(FloatType::F64), value.to_bits().into());
        let values: Vec<Value> = [1.0].into_iter().chain([20.0; 1149]).chain([2.0, 2.0]).map(value).collect();
        let values: Vec<&Value> = values.iter().collect();
        let counts: Vec<usize> = folded(&values, true)
            .iter()
            .map(|line| if let Line::Equal(count, _) = line { *count } else { 0 })
            .collect();
        assert_eq!(counts, [0, 0, 1148, 0, 0]);
        assert_eq!(folded(&values[..12], false).len(), 12);
    }
}
