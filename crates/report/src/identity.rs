//! Ids that are the same for the same divergence in every run, whatever witness showed it.
//!
//! A divergence is: between which builds, its severity, whether the baseline was clean, how each build ended, the exceptions
//! each raised, and at which sites those that only one of them raised. Where exceptions do not tell the two builds apart, their results' classes belong to it
//! too, and of several outputs the one that is told. Witnesses, counts and who found it do not.
//!
//! Where a finding stands for all divergences of a cause it is: the builds, the cause, and how the output that is told differs.
//!
//! An exception's finding is: the function, the site, the exception and its effect.
//!
//! Of files the names count, without their folders: how a path is written hangs on the folder that a run was started in, and on where the project lies.

use std::collections::{BTreeSet, HashMap};

use sha2::{Digest, Sha256};

use crate::{
    Cause, Details, DifferenceDetails, ExceptionDetails, Finding, Report, SourcePlace, TraceEvent, ViolationDetails,
};
use labrys_float::Flags;

/// Hexadecimal digits of an id: 48 bits, so that among a thousand findings two collide once in 500 million reports.
const DIGITS: usize = 12;

/// The id of a finding in a function.
pub fn stable_id(function: &str, finding: &Finding) -> String {
    hashed(&described(function, Some(finding.severity.name()), finding, &mut Telling::Numbers))
}

/// How places are told.
enum Telling<'s> {
    /// By lines and columns.
    Numbers,
    /// By what stands there.
    Text(&'s mut Sources),
}

impl Telling<'_> {
    fn place(&mut self, place: &SourcePlace) -> Vec<String> {
        let number = |of: Option<u32>| of.map(|of| of.to_string()).unwrap_or_default();
        match self {
            Telling::Numbers => {
                vec![without_folders(place).file.unwrap_or_default(), number(place.line), number(place.column)]
            }
            Telling::Text(sources) => vec![sources.text_at(place)],
        }
    }

    fn line(&mut self, place: &SourcePlace) -> Vec<String> {
        let mut told = self.place(&SourcePlace { column: None, ..place.clone() });
        told.truncate(2);
        told
    }

    fn cause(&mut self, cause: &Cause) -> Vec<String> {
        let common = cause.in_common();
        match self {
            Telling::Numbers => vec![Cause { place: without_folders(&common.place), ..common }.words()],
            Telling::Text(sources) => vec![common.words_without_place(), sources.text_at(&cause.place)],
        }
    }

    fn site(&mut self, event: &TraceEvent) -> String {
        match self {
            Telling::Text(sources) if event.place.file.is_some() => {
                let function = event.function.as_deref().unwrap_or_default();
                let library = event.library.as_deref().unwrap_or_default();
                format!("{} {function} {} {library}", sources.text_at(&event.place), event.operator)
            }
            _ => TraceEvent { place: without_folders(&event.place), ..event.clone() }.site(),
        }
    }
}

/// A place with its file's name alone.
fn without_folders(place: &SourcePlace) -> SourcePlace {
    let file = place.file.as_deref().map(|file| file.rsplit('/').next().unwrap_or(file).to_owned());
    SourcePlace { file, ..place.clone() }
}

/// What a finding is; with its severity, where that is a part of it.
fn described(function: &str, severity: Option<&str>, finding: &Finding, told: &mut Telling<'_>) -> Vec<String> {
    let mut parts = vec![function.to_owned()];
    let severity = severity.map(str::to_owned);
    match &finding.details {
        Details::Difference(details) => difference(&mut parts, severity, finding, details, told),
        Details::Exception(ExceptionDetails { site, exception, .. }) => {
            parts.extend(severity);
            parts.push(exception.names().first().copied().unwrap_or_default().to_owned());
            parts.extend(told.place(&site.place));
            parts.extend([site.function.clone(), site.operator.clone()]);
        }
        Details::Violation(ViolationDetails { kind, place, .. }) => {
            parts.extend(["verify".to_owned(), kind.name().to_owned()]);
            parts.extend(told.line(place));
        }
        // Which input is the worst hangs on the search.
        Details::Accuracy(details) => {
            parts.push("accuracy".to_owned());
            parts.extend(severity);
            parts.push(details.output.split('[').next().unwrap_or_default().to_owned());
            parts.extend(details.reference.as_ref().map(|reference| reference.name.clone()));
        }
    }
    parts
}

fn difference(
    parts: &mut Vec<String>,
    severity: Option<String>,
    finding: &Finding,
    details: &DifferenceDetails,
    told: &mut Telling<'_>,
) {
    if let (DifferenceDetails { change, is_grouped: true, .. }, Some(cause)) = (details, details.group()) {
        // Which of a cause's divergences speaks for it hangs on the search.
        parts.push(details.between.join(" "));
        parts.extend(told.cause(cause));
        parts.push(format!("{:?}", change.in_common()));
        return;
    }
    let between = finding.compared();
    // Exceptions that some of the builds raise and others do not.
    let only_one = between.windows(2).fold(Flags::empty(), |flags, pair| flags | (pair[0].flags ^ pair[1].flags));
    let told_apart = !only_one.is_empty();
    parts.extend(severity);
    parts.extend([details.between.join(" "), details.baseline_clean.to_string()]);
    for observation in between {
        parts.push(observation.role.clone());
        parts.push(observation.outcome_words().unwrap_or_default());
        parts.push(observation.flags.names().join(" "));
        if !told_apart {
            let outputs = observation.result.iter().chain(&observation.outputs);
            parts.extend(outputs.map(|value| value.class()));
        }
        let events = observation.trace.iter().filter(|event| event.exceptions.intersects(only_one));
        let sites: BTreeSet<String> = events
            .map(|event| format!("{} {}", told.site(event), (event.exceptions & only_one).names().join(" ")))
            .collect();
        parts.extend(sites);
    }
    // A function's only output needs no name; arrays are one output.
    let output = details.output.as_deref().filter(|output| !told_apart && *output != "result");
    parts.extend(output.and_then(|output| output.split('[').next()).map(str::to_owned));
}

/// What services know findings by over commits: ids by what stands at their places, which other lines move.
///
/// Where a source cannot be read lines and columns stand for it. Findings that are alike are told apart by their order in the source.
#[derive(Debug, Default)]
pub(crate) struct Fingerprints {
    by_id: HashMap<String, String>,
}

impl Fingerprints {
    pub(crate) fn of(report: &Report) -> Fingerprints {
        let units = report.units();
        let mut sources = Sources::default();
        let mut findings: Vec<&Finding> = report.findings.iter().collect();
        findings.sort_by_key(|finding| (finding.details.place(), &finding.id));
        let mut found = Fingerprints::default();
        let mut seen: HashMap<String, u32> = HashMap::new();
        for finding in findings {
            let is_shared = finding.difference().is_some_and(|details| {
                details.is_grouped && details.cause.as_ref().is_some_and(|cause| cause.place.line.is_some())
            });
            let function = match units.get(finding.id.as_str()) {
                // Which function shows a cause worst hangs on the search.
                Some(_) if is_shared => "",
                Some(function) => function,
                None => &report.target.function,
            };
            let fingerprint = hashed(&described(function, None, finding, &mut Telling::Text(&mut sources)));
            let uses = seen.entry(fingerprint.clone()).or_insert(0);
            *uses += 1;
            let fingerprint = if *uses == 1 { fingerprint } else { format!("{fingerprint}-{uses}") };
            found.by_id.insert(finding.id.clone(), fingerprint);
        }
        found
    }

    /// That of a finding of the report.
    pub(crate) fn get<'a>(&'a self, finding: &'a Finding) -> &'a str {
        self.by_id.get(&finding.id).map_or(&finding.id, String::as_str)
    }
}

/// The lines of sources, each read once.
#[derive(Default)]
struct Sources {
    lines: HashMap<String, Option<Vec<String>>>,
}

impl Sources {
    /// The file's name, the line without blanks, and the place in that.
    fn text_at(&mut self, place: &SourcePlace) -> String {
        let file = place.file.as_deref().unwrap_or_default();
        let read = || Some(std::fs::read_to_string(file).ok()?.lines().map(str::to_owned).collect());
        let lines = self.lines.entry(file.to_owned()).or_insert_with(read);
        let name = file.rsplit('/').next().unwrap_or_default();
        let column = place.column.map_or(0, |column| column.saturating_sub(1) as usize);
        let without_blanks = |text: &str| text.split_whitespace().collect::<String>();
        let line = place.line.and_then(|line| lines.as_ref()?.get((line as usize).checked_sub(1)?));
        let told = line.and_then(|line| {
            let before = without_blanks(line.get(..column)?).len();
            Some(format!("{name}: {} {before}", without_blanks(line)))
        });
        told.or_else(|| place.words()).unwrap_or_default()
    }
}

/// The first digits of a hash of texts.
fn hashed(parts: &[String]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        // Lengths keep ("ab", "c") apart from ("a", "bc").
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let digest = hash.finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()[..DIGITS].to_owned()
}

/// Gives every finding its id. Where two would get the same one, later ones get a suffix: ids are file names.
pub fn assign_ids<'f>(function: &str, findings: impl IntoIterator<Item = &'f mut Finding>) {
    let mut seen: HashMap<String, u32> = HashMap::new();
    for finding in findings {
        let id = stable_id(function, finding);
        let uses = seen.entry(id.clone()).or_insert(0);
        *uses += 1;
        finding.id = if *uses == 1 { id } else { format!("{id}-{uses}") };
    }
}
