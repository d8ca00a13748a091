//! The function that a finding is of.

use std::collections::HashMap;

use crate::{Finding, FunctionSummary, Report, SourcePlace};

/// The function that a finding is of, and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    /// Its file.
    pub(crate) file: &'a str,
    /// Its name.
    pub(crate) function: &'a str,
    /// The line that it begins in, where it is known.
    pub(crate) line: Option<u32>,
}

impl<'a> Subject<'a> {
    /// The file of a place, where it is one of the project's. A path that begins at the root is not, beside a subject whose path
    /// does not: of a language's own library (rustc's `/rustc/HASH/library/core`), of a dependency, of the system's headers.
    pub(crate) fn file_in_project<'p>(&self, place: &'p SourcePlace) -> Option<&'p str> {
        place.file.as_deref().filter(|file| !file.starts_with('/') || self.file.starts_with('/'))
    }
}

/// The subjects of a report's findings: functions of a library, or its target.
pub(crate) struct Subjects<'a> {
    report: &'a Report,
    units: HashMap<&'a str, &'a FunctionSummary>,
}

impl<'a> Subjects<'a> {
    /// Those of a report.
    pub(crate) fn new(report: &'a Report) -> Subjects<'a> {
        let of_unit = |unit: &'a FunctionSummary| unit.findings.iter().map(move |id| (id.as_str(), unit));
        Subjects { report, units: report.functions.iter().flat_map(of_unit).collect() }
    }

    /// That of a finding.
    pub(crate) fn of(&self, finding: &Finding) -> Subject<'a> {
        match self.units.get(finding.id.as_str()) {
            Some(unit) => self.of_unit(unit),
            None => Subject {
                file: &self.report.target.file,
                function: &self.report.target.function,
                line: self.report.target.line,
            },
        }
    }

    /// A function of a library.
    pub(crate) fn of_unit(&self, unit: &'a FunctionSummary) -> Subject<'a> {
        let file = unit.file.as_deref().unwrap_or(&self.report.target.file);
        Subject { file, function: &unit.function, line: unit.line }
    }
}
