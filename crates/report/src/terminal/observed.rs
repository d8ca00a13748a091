//! What was observed, in rows.

use super::table::Row;
use crate::exceptions::listed;
use crate::{ObservationRecord, TraceEvent, Value};

/// More events of one trace than these are counted only.
const EVENTS_SHOWN: usize = 12;

/// Of aggregates with more scalars than these, only those that tell something are shown.
pub(super) const SCALARS_SHOWN: usize = 12;

/// Whether a scalar is the simplest there is: +0.
pub(super) fn is_plain_zero(value: &Value) -> bool {
    value.to_bits() == Some(0)
}

/// Outcomes, exceptions, results and traces, a column for each observation.
pub(super) fn observed(observations: &[&ObservationRecord]) -> Vec<Row> {
    let row = |name: &str, cells: Vec<String>, counts: bool| {
        let marked = counts && cells.windows(2).any(|pair| pair[0] != pair[1]);
        Row { name: name.to_owned(), cells, marked }
    };
    let mut rows = Vec::new();
    if observations.iter().any(|seen| seen.outcome_words().is_some()) {
        let words = observations.iter().map(|seen| seen.outcome_words().unwrap_or_else(|| "returned".to_owned()));
        rows.push(row("outcome", words.collect(), true));
    }
    rows.push(row("exceptions", observations.iter().map(|seen| seen.exceptions_words()).collect(), true));
    rows.extend(outputs(observations));
    let events = observations.iter().map(|seen| seen.trace.len()).max().unwrap_or(0);
    for index in 0..events.min(EVENTS_SHOWN) {
        let name = if index == 0 { "trace" } else { "" };
        let cells = observations.iter().map(|seen| seen.trace.get(index).map(event_words).unwrap_or_default());
        rows.push(row(name, cells.collect(), false));
    }
    if events > EVENTS_SHOWN {
        let more = observations.iter().map(|seen| match seen.trace.len().saturating_sub(EVENTS_SHOWN) {
            0 => String::new(),
            more => format!("and {more} more events"),
        });
        rows.push(row("", more.collect(), false));
    }
    rows
}

fn event_words(event: &TraceEvent) -> String {
    let operator = if event.operator.is_empty() { String::new() } else { format!(" {}", event.operator) };
    let library = event.library.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
    let place = match &event.function {
        // Nobody knows an address in a runtime by heart.
        Some(function) if event.place.file.is_none() => format!("in {function}"),
        // The folder is named above the source line, and columns are narrow.
        _ => format!("at {}", event.place_words().rsplit('/').next().unwrap_or_default()),
    };
    format!("{} {place}{operator}{library}", listed(event.exceptions))
}

/// Rows for the result and the outputs, in three notations; only those that differ where there are many.
fn outputs(observations: &[&ObservationRecord]) -> Vec<Row> {
    let scalars: Vec<Vec<&Value>> = observations
        .iter()
        .map(|seen| seen.result.iter().chain(&seen.outputs).flat_map(Value::scalars).collect())
        .collect();
    let count = scalars.iter().map(Vec::len).max().unwrap_or(0);
    let mut rows = Vec::new();
    let (mut hidden, mut plain) = (0, 0);
    for index in 0..count {
        let column: Vec<Option<&&Value>> = scalars.iter().map(|of| of.get(index)).collect();
        let differs = column.windows(2).any(|pair| pair[0] != pair[1]);
        let is_shown = match column[..] {
            // Nothing is compared: what is no number, and as many others as there is room for.
            [Some(value)] if value.to_float().is_none_or(|value| value.is_finite()) => {
                plain += 1;
                plain <= SCALARS_SHOWN
            }
            [_] => true,
            _ => differs,
        };
        if count > SCALARS_SHOWN && !is_shown {
            hidden += 1;
            continue;
        }
        let name = column.iter().flatten().find_map(|value| value.name.clone()).unwrap_or_else(|| "result".to_owned());
        let cells = column.iter().map(|value| value.map(|value| notations(value)).unwrap_or_default());
        rows.push(Row { name, cells: cells.collect(), marked: differs });
        if let [Some(a), Some(b)] = column[..]
            && let Some(apart) = apart(a, b)
        {
            rows.push(Row { name: String::new(), cells: vec![apart], marked: false });
        }
    }
    if hidden > 0 {
        let words = if observations.len() > 1 { "are equal" } else { "are not shown" };
        rows.push(Row { name: String::new(), cells: vec![format!("{hidden} more {words}")], marked: false });
    }
    rows
}

/// How far floats of one class are apart, where they differ.
fn apart(a: &Value, b: &Value) -> Option<String> {
    let distance = a.to_float()?.ulp_distance(&b.to_float()?)?.to_string();
    let close = distance != "0" && a.class() == b.class();
    close.then(|| format!("{distance} {} apart", if distance == "1" { "ulp" } else { "ulps" }))
}

/// A value's notations under each other; one where all say the same.
fn notations(value: &Value) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for part in [&value.decimal, &value.hex, &value.bits].into_iter().flatten() {
        if !lines.contains(&part.as_str()) {
            lines.push(part);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use labrys_float::Flags;

    use super::*;
    use crate::SourcePlace;

    #[test]
    fn what_has_no_place_is_told_by_its_function() {
        let event = |file: Option<&str>, function: Option<&str>| TraceEvent {
            exceptions: Flags::OVERFLOW,
            place: SourcePlace::new(file.map(str::to_owned), 2, 4),
            function: function.map(str::to_owned),
            operator: "fadd".to_owned(),
            library: None,
            address: file.is_none().then(|| "0x1139".to_owned()),
        };
        for (file, function, words) in [
            (Some("src/f.f90"), Some("f"), "overflow at f.f90:2:4 fadd"),
            (None, Some("SumReal8 of flang's runtime"), "overflow in SumReal8 of flang's runtime fadd"),
            (None, None, "overflow at 0x1139 fadd"),
        ] {
            assert_eq!(event_words(&event(file, function)), words);
        }
    }
}
