//! Source texts for diagnostics.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::{Finding, Report};

/// Files larger than this are treated as missing: nobody's source, and slow to show.
const LARGEST: u64 = 64 << 20;

/// A text and where its lines begin.
#[derive(Clone, Debug)]
struct Text {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

/// Source texts by the names that traces and sites use. They need not be UTF-8.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    texts: BTreeMap<String, Text>,
}

impl Sources {
    /// Reads every file that the report's traces and sites name, relative names from `folder`. Files that are not there,
    /// or that are no regular files, are left out: diagnostics then have a location without its line.
    pub fn of(report: &Report, folder: &Path) -> Sources {
        let observations = report.findings.iter().flat_map(|finding| &finding.observations);
        let events =
            observations.flat_map(|observation| &observation.trace).filter_map(|event| event.place.file.as_ref());
        let sites = report.sites.iter().filter_map(|record| record.site.place.file.as_ref());
        let places = report.findings.iter().flat_map(Finding::places).filter_map(|place| place.file.as_ref());
        let covered = report.coverage.iter().flat_map(|coverage| &coverage.files).map(|file| &file.file);
        let names: BTreeSet<&String> = events.chain(places).chain(sites).chain(covered).collect();
        let mut sources = Sources::default();
        for name in names {
            let path = folder.join(name);
            let readable = std::fs::metadata(&path).is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
            if let Some(text) = readable.then(|| std::fs::read(&path).ok()).flatten() {
                sources.insert(name, text);
            }
        }
        sources
    }

    /// Adds a text.
    pub fn insert(&mut self, name: &str, text: Vec<u8>) {
        // What follows the last line break is a line only if there is something.
        let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(breaks).filter(|start| *start < text.len()).collect();
        self.texts.insert(name.to_owned(), Text { bytes: text, starts });
    }

    /// The same texts by other names.
    pub(crate) fn renamed(&self, name: impl Fn(&str) -> String) -> Sources {
        Sources { texts: self.texts.iter().map(|(known, text)| (name(known), text.clone())).collect() }
    }

    /// The line of a file, from 1, without its end.
    pub(crate) fn line(&self, name: &str, line: u32) -> Option<&[u8]> {
        let text = self.texts.get(name)?;
        let index = (line as usize).checked_sub(1)?;
        let start = *text.starts.get(index)?;
        let end = text.starts.get(index + 1).copied().unwrap_or(text.bytes.len());
        let line = text.bytes.get(start..end)?;
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}
