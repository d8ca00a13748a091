//! Ids that are the same for the same divergence in every run, whatever witness showed it.
//!
//! A divergence is: between which builds, its severity, whether the baseline was clean, how each build ended, the exceptions
//! each raised, and at which sites those that only one of them raised. Where exceptions do not tell the two builds apart, their results' classes belong to it
//! too. Witnesses, counts and who found it do not.
//!
//! Where a finding stands for all divergences of a cause it is: the builds, the cause, and how the first output that differs does.
//!
//! An exception's finding is: the function, the site, the exception and its effect.

use std::collections::{BTreeSet, HashMap};

use sha2::{Digest, Sha256};

use crate::{Details, DifferenceDetails, ExceptionDetails, Finding, Report, SourcePlace, ViolationDetails};
use labrys_float::Flags;

/// Hexadecimal digits of an id: 48 bits, so that among a thousand findings two collide once in 500 million reports.
const DIGITS: usize = 12;

/// How a place is told: by its numbers, or by what stands there.
type Told<'t> = &'t mut dyn FnMut(&SourcePlace) -> String;

/// The id of a finding in a function.
pub fn stable_id(function: &str, finding: &Finding) -> String {
    let number = |of: Option<u32>| of.map(|of| of.to_string()).unwrap_or_default();
    let told = &mut |place: &SourcePlace| {
        let SourcePlace { file, line, column } = place;
        format!("{}:{}:{}", file.as_deref().unwrap_or_default(), number(*line), number(*column))
    };
    let mut parts = described(function, finding, told);
    // Of a cause's divergences the worst one speaks for all, which hangs on the search.
    if !finding.difference().is_some_and(|details| details.is_grouped && details.cause.is_some()) {
        parts.push(finding.severity.name().to_owned());
    }
    hashed(&parts)
}

/// What a finding is, but for its severity.
fn described(function: &str, finding: &Finding, told: Told<'_>) -> Vec<String> {
    match &finding.details {
        Details::Difference(details) => difference(function, finding, details, told),
        Details::Exception(ExceptionDetails { site, exception, .. }) => vec![
            function.to_owned(),
            exception.names().first().copied().unwrap_or_default().to_owned(),
            told(&site.place),
            site.function.clone(),
            site.operator.clone(),
        ],
        Details::Violation(ViolationDetails { kind, place, .. }) => {
            let place = SourcePlace { column: None, ..place.clone() };
            vec![function.to_owned(), "verify".to_owned(), kind.name().to_owned(), told(&place)]
        }
        // Which input is the worst hangs on the search.
        Details::Accuracy(details) => {
            let output = details.output.split('[').next().unwrap_or_default();
            let mut parts = vec![function.to_owned(), "accuracy".to_owned(), output.to_owned()];
            parts.extend(details.reference.as_ref().map(|reference| reference.name.clone()));
            parts
        }
    }
}

fn difference(function: &str, finding: &Finding, details: &DifferenceDetails, told: Told<'_>) -> Vec<String> {
    if let DifferenceDetails { cause: Some(cause), change, is_grouped: true, .. } = details {
        // Which of a cause's divergences speaks for it hangs on the search.
        return vec![
            function.to_owned(),
            details.between.join(" "),
            cause.in_common().words_without_place(),
            told(&cause.place),
            format!("{:?}", change.in_common()),
        ];
    }
    let between = finding.compared();
    // Exceptions that some of the builds raise and others do not.
    let only_one = between.windows(2).fold(Flags::empty(), |flags, pair| flags | (pair[0].flags ^ pair[1].flags));
    let told_apart = !only_one.is_empty();
    let mut parts = vec![function.to_owned(), details.between.join(" "), details.baseline_clean.to_string()];
    for observation in between {
        parts.push(observation.role.clone());
        parts.push(observation.outcome_words().unwrap_or_default());
        parts.push(observation.flags.names().join(" "));
        if !told_apart {
            let outputs = observation.result.iter().chain(&observation.outputs);
            parts.extend(outputs.map(|value| value.class()));
        }
        let sites: BTreeSet<String> = observation
            .trace
            .iter()
            .filter(|event| event.exceptions.intersects(only_one))
            .map(|event| {
                let place = match event.place.file {
                    Some(_) => told(&event.place),
                    None => event.place_words(),
                };
                let function = event.function.as_deref().unwrap_or_default();
                let raised = (event.exceptions & only_one).names().join(" ");
                format!("{place} {function} {} {:?} {raised}", event.operator, event.library)
            })
            .collect();
        parts.extend(sites);
    }
    parts
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
            let fingerprint = hashed(&described(function, finding, &mut |place| sources.text_at(place)));
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
