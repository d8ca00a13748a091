//! What llvm-cov says that runs covered.
//!
//! Its JSON lists for each function regions (a span of the source and how often control entered it), branches (a condition and how often
//! it was true and false) and decisions with their conditions. Spans in macros are in the macro's definition; an expansion region says
//! where it was used.

use labrys_program::{BuildError, CoverageFormat, CoverageTools};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::Instant;

use crate::AnalysisError;

/// A span of the source: first line and column, last line and the column behind the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Span {
    pub(super) start: (u32, u32),
    pub(super) end: (u32, u32),
}

impl Span {
    /// Whether a place is in it.
    pub(super) fn contains(&self, place: (u32, u32)) -> bool {
        self.start <= place && place < self.end
    }

    /// How large it is, to compare spans of which one is in the other.
    pub(super) fn size(&self) -> (u32, u32) {
        (
            self.end.0 - self.start.0,
            self.end.1.saturating_sub(if self.end.0 == self.start.0 { self.start.1 } else { 0 }),
        )
    }
}

/// A condition.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    /// It, in the macro's definition where it is in one.
    pub(super) own: Span,
    /// Where it stands in the function's own file.
    pub(super) span: Span,
    /// How often it was true and false.
    pub(super) counts: [u64; 2],
    /// What these outcomes are called.
    pub(super) outcomes: [String; 2],
    /// Whether one of these cannot be: the compiler knows the condition.
    pub(super) is_folded: [bool; 2],
    /// Whether it stands in the definition of a macro that a system header defines.
    pub(super) is_of_system: bool,
    /// Whether it is a case of a switch, and no condition.
    pub(super) is_case: bool,
}

impl Branch {
    /// How many of its outcomes the compiler does not know: so many the code has.
    pub(super) fn outcomes_in_code(&self) -> usize {
        self.is_folded.iter().filter(|is_folded| !**is_folded).count()
    }
}

/// A decision of several conditions.
#[derive(Clone, Debug)]
pub(super) struct Decision {
    pub(super) span: Span,
    /// Of each condition whether it was seen to decide alone.
    pub(super) covered: Vec<bool>,
    /// How many of the conditions' outcomes were seen together.
    pub(super) vectors: usize,
}

/// A function.
#[derive(Clone, Debug)]
pub(super) struct MeasuredFunction {
    /// Its symbol; with a file's name before it where other files do not see it.
    pub(super) symbol: String,
    pub(super) file: String,
    pub(super) span: Span,
    pub(super) count: u64,
    pub(super) branches: Vec<Branch>,
    pub(super) decisions: Vec<Decision>,
    /// Spans of code and how often each was entered.
    pub(super) regions: Vec<(Span, u64)>,
}

/// What was measured.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    pub(super) functions: Vec<MeasuredFunction>,
    /// Of each file its lines with code, and how often they were executed.
    pub(super) lines: BTreeMap<String, BTreeMap<u32, u64>>,
}

#[derive(Deserialize)]
struct Export {
    data: Vec<ExportData>,
}

#[derive(Deserialize)]
struct ExportData {
    functions: Vec<ExportFunction>,
}

#[derive(Deserialize)]
struct ExportFunction {
    name: String,
    count: u64,
    filenames: Vec<String>,
    branches: Vec<Vec<u64>>,
    regions: Vec<Vec<u64>>,
    #[serde(default)]
    mcdc_records: Vec<Vec<Value>>,
}

/// llvm-cov's kind of a region of code.
const CODE: u64 = 0;
/// Its kind of a macro's use.
const EXPANSION: u64 = 1;

/// Has the tools say what `profile` has counted in `executable`; without one nothing was executed.
pub(super) fn measure(
    tools: &CoverageTools,
    (executable, profile): (&Path, Option<&Path>),
    deadline: Instant,
) -> Result<Measured, AnalysisError> {
    let json = tools.export(executable, profile, CoverageFormat::Json, deadline)?;
    let lcov = tools.export(executable, profile, CoverageFormat::Lcov, deadline)?;
    let shown = tools.export(executable, profile, CoverageFormat::Branches, deadline)?;
    let unreadable = |why: String| {
        let source = std::io::Error::other(format!("what it writes is not understood: {why}"));
        AnalysisError::from(BuildError::Run { name: "llvm-cov".to_owned(), source })
    };
    let export: Export = serde_json::from_slice(&json).map_err(|error| unreadable(error.to_string()))?;
    let folded = folded(&String::from_utf8_lossy(&shown));
    let functions = export.data.iter().flat_map(|data| &data.functions);
    let functions = functions.map(|function| read(function, &folded).ok_or_else(|| unreadable(function.name.clone())));
    Ok(Measured { functions: functions.collect::<Result<_, _>>()?, lines: lines(&String::from_utf8_lossy(&lcov)) })
}

/// A span at the beginning of a list of numbers.
fn span(numbers: &[u64]) -> Option<Span> {
    let number = |index: usize| numbers.get(index).and_then(|number| u32::try_from(*number).ok());
    Some(Span { start: (number(0)?, number(1)?), end: (number(2)?, number(3)?) })
}

/// Whether the text at a span begins with the label of a case.
fn is_case(lines: &[&str], Span { start: (line, column), .. }: Span) -> bool {
    let line = line.checked_sub(1).and_then(|index| lines.get(index as usize));
    let text = line.and_then(|text| text.get(column.saturating_sub(1) as usize..)).unwrap_or_default();
    ["case", "default"].iter().any(|label| {
        text.strip_prefix(label).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

/// A span, that of a macro's use up to its last parenthesis: what system headers define has an empty one, at the macro's name.
fn whole_use(lines: &[&str], span: Span) -> Span {
    /// Lines of the longest use.
    const LONGEST: u32 = 64;
    if span.start != span.end {
        return span;
    }
    let (line, column) = span.start;
    let mut depth = 0;
    let mut end = (line, column + 1);
    for number in line..line.saturating_add(LONGEST) {
        let Some(text) = number.checked_sub(1).and_then(|index| lines.get(index as usize)) else { break };
        let skipped = if number == line { column.saturating_sub(1) } else { 0 };
        for (at, byte) in text.bytes().enumerate().skip(skipped as usize) {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ if depth == 0 && !(byte.is_ascii_alphanumeric() || byte == b'_' || byte == b' ') => {
                    return Span { start: span.start, end };
                }
                _ => {}
            }
            end = (number, at as u32 + 2);
            if byte == b')' && depth <= 0 {
                return Span { start: span.start, end };
            }
        }
    }
    Span { start: span.start, end }
}

fn read(function: &ExportFunction, folded: &HashSet<(u32, u32, usize)>) -> Option<MeasuredFunction> {
    // The place at which each file but the first was expanded, and in which file that is.
    let mut uses: BTreeMap<u64, (u64, Span)> = BTreeMap::new();
    for region in &function.regions {
        if let [_, _, _, _, _, file, expanded, EXPANSION] = region.as_slice() {
            uses.insert(*expanded, (*file, span(region)?));
        }
    }
    let at_home = |mut file: u64, mut span: Span| {
        // Expansions are nested a few times; a damaged list would go round in circles.
        for _ in 0..64 {
            let Some((outer, place)) = uses.get(&file).filter(|_| file != 0) else { break };
            (file, span) = (*outer, *place);
        }
        span
    };
    let text = std::fs::read_to_string(function.filenames.first()?).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let at_home = |file: u64, span: Span| whole_use(&lines, at_home(file, span));
    let branch = |numbers: &Vec<u64>| {
        let [_, _, _, _, yes, no, file, ..] = numbers.as_slice() else { return None };
        let own = span(numbers)?;
        let is_of_system = own.start == own.end;
        let is_folded = [0, 1].map(|outcome| folded.contains(&(own.start.0, own.start.1, outcome)));
        let outcomes = ["true", "false"].map(str::to_owned);
        let span = at_home(*file, own);
        let is_case = is_case(&lines, span);
        Some(Branch { own, span, counts: [*yes, *no], outcomes, is_folded, is_of_system, is_case })
    };
    let decision = |values: &Vec<Value>| {
        let numbers: Vec<u64> = values.iter().map_while(Value::as_u64).collect();
        let file = *numbers.get(6)?;
        let covered = values.get(9)?.as_array()?.iter().map(|of| of.as_bool().unwrap_or(false)).collect();
        let vectors = values.get(10).and_then(Value::as_array);
        let is_seen = |vector: &&Value| vector.get("executed").and_then(Value::as_bool).unwrap_or(true);
        let vectors = vectors.map_or(0, |vectors| vectors.iter().filter(is_seen).count());
        Some(Decision { span: at_home(file, span(&numbers)?), covered, vectors })
    };
    let code = function.regions.iter().filter_map(|region| match region.as_slice() {
        [_, _, _, _, count, 0, _, CODE] => Some((span(region)?, *count)),
        _ => None,
    });
    let own_regions =
        function.regions.iter().filter(|region| region.get(5) == Some(&0)).filter_map(|region| span(region));
    Some(MeasuredFunction {
        symbol: function.name.clone(),
        file: function.filenames.first()?.clone(),
        // clang's first region is the whole function, rustc's its head.
        span: own_regions.reduce(|all, of| Span { start: all.start.min(of.start), end: all.end.max(of.end) })?,
        count: function.count,
        branches: function.branches.iter().map(branch).collect::<Option<_>>()?,
        decisions: function.mcdc_records.iter().map(decision).collect::<Option<_>>()?,
        regions: code.collect(),
    })
}

/// Where llvm-cov says that a condition has only one outcome: lines such as `Branch (8:27): [Folded, False: 1]`.
fn folded(shown: &str) -> HashSet<(u32, u32, usize)> {
    let mut found = HashSet::new();
    for line in shown.lines() {
        let Some((_, rest)) = line.split_once("Branch (") else { continue };
        let Some((place, outcomes)) = rest.split_once("): [") else { continue };
        let Some((line, column)) = place.split_once(':') else { continue };
        let (Ok(line), Ok(column)) = (line.parse(), column.parse()) else { continue };
        for (outcome, text) in outcomes.split(',').enumerate().take(2) {
            // Where neither is counted the text has one part.
            if text.contains("Folded - Ignored") {
                found.extend([(line, column, 0), (line, column, 1)]);
            } else if text.contains("Folded") {
                found.insert((line, column, outcome));
            }
        }
    }
    found
}

/// The counts of lines of lcov's tracefiles.
fn lines(lcov: &str) -> BTreeMap<String, BTreeMap<u32, u64>> {
    let mut found: BTreeMap<String, BTreeMap<u32, u64>> = BTreeMap::new();
    let mut file = String::new();
    for line in lcov.lines() {
        if let Some(name) = line.strip_prefix("SF:") {
            file = name.to_owned();
        } else if let Some((line, count)) = line.strip_prefix("DA:").and_then(|rest| rest.split_once(','))
            && let (Ok(line), Ok(count)) = (line.parse(), count.parse())
        {
            found.entry(file.clone()).or_default().insert(line, count);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_outcomes_are_read() {
        let text = "  |  Branch (8:27): [Folded, False: 1]\n  |  |  Branch (2:17): [True: 3, False: 4]\n Branch (9:1): [True: 2, Folded]\n";
        assert_eq!(folded(text), HashSet::from([(8, 27, 0), (9, 1, 1)]));
        assert_eq!(folded("Branch (3:4): [Folded - Ignored]"), HashSet::from([(3, 4, 0), (3, 4, 1)]));
    }

    #[test]
    fn a_condition_in_a_macro_stands_where_the_macro_is_used() {
        let function: ExportFunction = serde_json::from_str(
            r#"{"name":"f","count":2,"filenames":["t.c","t.c"],"branches":[[2,17,2,24,1,0,1,0,4],[5,1,5,4,7,8,0,0,4]],
                "regions":[[3,1,9,2,2,0,0,0],[3,96,3,99,2,0,1,1],[2,16,2,38,2,1,0,0]]}"#,
        )
        .expect("JSON");
        let function = read(&function, &HashSet::new()).expect("a function");
        assert_eq!(function.branches[0].span, Span { start: (3, 96), end: (3, 99) });
        assert_eq!(function.branches[0].own, Span { start: (2, 17), end: (2, 24) });
        assert_eq!(function.branches[1].counts, [7, 8]);
        assert_eq!(function.regions, [(Span { start: (3, 1), end: (9, 2) }, 2)]);
    }

    /// `isnan` and `assert` had no place: their conditions counted as ones that the code does not have.
    #[test]
    fn a_systems_macro_reaches_to_its_last_parenthesis() {
        let lines = ["  if (isnan(x) && f(y)) return 1;", "  assert(x > 0 &&", "         g(y, (z)));", "  return EOF;"];
        let at = |line: u32, column: u32| whole_use(&lines, Span { start: (line, column), end: (line, column) }).end;
        assert_eq!(at(1, 7), (1, 15));
        assert_eq!(at(2, 3), (3, 20));
        assert_eq!(at(4, 10), (4, 13));
        assert_eq!(at(9, 1), (9, 2));
        let other = Span { start: (1, 3), end: (1, 5) };
        assert_eq!(whole_use(&lines, other), other);
    }

    #[test]
    fn lines_are_those_of_their_file() {
        let found = lines("SF:/a.c\nDA:3,7\nDA:4,0\nend_of_record\nSF:/b.c\nDA:1,1\n");
        assert_eq!(found["/a.c"], BTreeMap::from([(3, 7), (4, 0)]));
        assert_eq!(found["/b.c"], BTreeMap::from([(1, 1)]));
    }
}
