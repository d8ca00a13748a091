//! Findings that are known already: only new ones fail a run.
//!
//! A baseline must survive edits elsewhere in a file, so it does not go by lines. A finding at a site is known by the
//! function that was analysed, and by the site: the file's name, the function it stands in, the operator, and the how
//! many-th such operator of that function it is in the source; with the exception. It stays known while its effect is not
//! worse than the baseline's. Findings without a site (those of `diff`) are known by their fingerprints; any by the id that it is shown with.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use labrys_float::Flags;
use serde::{Deserialize, Serialize};

use crate::identity::Fingerprints;
use crate::{Details, Finding, Report, ReportError, Severity, SiteKey, exceptions, write_whole};

/// The schema's name and number.
const SCHEMA: &str = "labrys-baseline/1";

/// What a finding is known by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
enum Known {
    /// An exception at a site.
    Site {
        /// The function that was analysed.
        function: String,
        /// The name of the site's file, without folders.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// The function that the site stands in.
        site: String,
        /// The site's operator.
        operator: String,
        /// Among the sites of this operator in this function, in the order of the source, from 1.
        number: usize,
        /// The exception.
        #[serde(with = "exceptions::one")]
        exception: Flags,
    },
    /// Another finding.
    Id {
        /// Its fingerprint.
        id: String,
    },
}

/// One line of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    known: Known,
    effect: Severity,
}

/// The file.
#[derive(Debug, Serialize, Deserialize)]
struct Document {
    schema: String,
    findings: Vec<Entry>,
}

/// Known findings, each with its worst effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    worst: BTreeMap<Known, Severity>,
}

/// Where a site stands but for its line: (file's name, function, operator).
type Family<'a> = (Option<&'a str>, &'a str, &'a str);

/// A line and a column.
type LineColumn = (Option<u32>, Option<u32>);

fn family(site: &SiteKey) -> Family<'_> {
    let file = site.place.file.as_deref().map(|file| file.rsplit('/').next().unwrap_or(file));
    (file, &site.function, &site.operator)
}

/// The sites of a report by family, each family's in the order of the source.
struct Numbering<'a> {
    families: HashMap<Family<'a>, BTreeSet<LineColumn>>,
    units: HashMap<&'a str, &'a str>,
    fingerprints: Fingerprints,
}

impl<'a> Numbering<'a> {
    fn of(report: &'a Report) -> Numbering<'a> {
        let mut families: HashMap<Family<'a>, BTreeSet<LineColumn>> = HashMap::new();
        let of_findings = report.findings.iter().filter_map(Finding::exception);
        let sites = report.sites.iter().map(|record| &record.site).chain(of_findings.map(|details| &details.site));
        for site in sites {
            families.entry(family(site)).or_default().insert((site.place.line, site.place.column));
        }
        Numbering { families, units: report.units(), fingerprints: Fingerprints::of(report) }
    }

    /// What a finding of the report is known by.
    fn known(&self, report: &Report, finding: &Finding) -> Known {
        let details = match &finding.details {
            Details::Difference(_) | Details::Accuracy(_) | Details::Violation(_) => {
                return Known::Id { id: self.fingerprints.get(finding).to_owned() };
            }
            Details::Exception(details) => details,
        };
        let site = &details.site;
        let family = family(site);
        let place = (site.place.line, site.place.column);
        let before = self.families.get(&family).map_or(0, |places| places.range(..place).count());
        let function = self.units.get(finding.id.as_str()).copied().unwrap_or(&report.target.function);
        Known::Site {
            function: function.to_owned(),
            file: family.0.map(str::to_owned),
            site: site.function.clone(),
            operator: site.operator.clone(),
            number: before + 1,
            exception: details.exception,
        }
    }
}

impl Baseline {
    /// The findings of a report as known ones.
    pub fn of(report: &Report) -> Baseline {
        let numbering = Numbering::of(report);
        Baseline::collect(report.findings.iter().map(|finding| (numbering.known(report, finding), finding.severity)))
    }

    fn collect(entries: impl Iterator<Item = (Known, Severity)>) -> Baseline {
        let mut worst = BTreeMap::new();
        for (known, effect) in entries {
            let entry = worst.entry(known).or_insert(effect);
            // Severities are ordered worst first.
            *entry = effect.min(*entry);
        }
        Baseline { worst }
    }

    /// Reads a file that [`Baseline::write`] wrote, or a whole report, whose findings are then the known ones.
    pub fn read(path: &Path) -> Result<Baseline, ReportError> {
        let text = crate::compression::read_compressed(path)?;
        Baseline::parse(&String::from_utf8_lossy(&text))
            .map_err(|error| ReportError::Baseline { path: path.to_owned(), source: Box::new(error) })
    }

    fn parse(text: &str) -> Result<Baseline, ReportError> {
        let document: serde_json::Value = serde_json::from_str(text).map_err(ReportError::NotJson)?;
        match document.get("schema").and_then(serde_json::Value::as_str) {
            Some(SCHEMA) => {}
            Some(found) if found.starts_with("labrys-baseline/") => {
                return Err(ReportError::Version { found: found.to_owned(), expected: SCHEMA });
            }
            Some(found) if found.starts_with("labrys-report/") => {
                return crate::read_report(text).map(|report| Baseline::of(&report));
            }
            _ => return Err(ReportError::NotABaseline),
        }
        let document: Document = serde_json::from_str(text).map_err(ReportError::Shape)?;
        Ok(Baseline::collect(document.findings.into_iter().map(|entry| (entry.known, entry.effect))))
    }

    /// The file's text: JSON in a fixed order, for version control. Equal baselines give equal bytes.
    pub fn to_json(&self) -> Result<String, ReportError> {
        let entries = self.worst.iter().map(|(known, effect)| Entry { known: known.clone(), effect: *effect });
        let document = Document { schema: SCHEMA.to_owned(), findings: entries.collect() };
        let mut text = serde_json::to_string_pretty(&document).map_err(ReportError::Serialise)?;
        text.push('\n');
        Ok(text)
    }

    /// Writes the file whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), ReportError> {
        write_whole(path, self.to_json()?.as_bytes())
    }

    /// Marks the findings of the report that are known, no worse than they were: [`Report::known`].
    pub fn mark(&self, report: &mut Report) {
        let numbering = Numbering::of(report);
        // Whoever lists findings by hand has the ids that are shown.
        let shown = |finding: &Finding| Known::Id { id: finding.id.clone() };
        let is_known = |finding: &&Finding| {
            let entry = self.worst.get(&numbering.known(report, finding)).or_else(|| self.worst.get(&shown(finding)));
            entry.is_some_and(|worst| finding.severity >= *worst)
        };
        let known = report.findings.iter().filter(is_known).map(|finding| finding.id.clone()).collect();
        report.known = Some(known);
    }

    /// How many findings it holds.
    pub fn len(&self) -> usize {
        self.worst.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.worst.is_empty()
    }
}
