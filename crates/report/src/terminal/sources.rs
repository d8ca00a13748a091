//! Source texts for diagnostics.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Report;

/// Files larger than this are treated as missing: nobody's source, and slow to show.
const LARGEST: u64 = 64 << 20;

/// Source texts by the names that traces use. They need not be UTF-8.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    texts: BTreeMap<String, Vec<u8>>,
}

impl Sources {
    /// Reads every file that the report's traces name, relative names from `folder`. Files that are not there, or that
    /// are no regular files, are left out: diagnostics then have a location without its line.
    pub fn of(report: &Report, folder: &Path) -> Sources {
        let mut sources = Sources::default();
        let observations = report.findings.iter().flat_map(|finding| &finding.observations);
        for name in observations.flat_map(|observation| &observation.trace).filter_map(|event| event.file.as_ref()) {
            if sources.texts.contains_key(name) {
                continue;
            }
            let path = folder.join(name);
            let readable = std::fs::metadata(&path).is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
            if let Some(text) = readable.then(|| std::fs::read(&path).ok()).flatten() {
                sources.texts.insert(name.clone(), text);
            }
        }
        sources
    }

    /// Adds a text.
    pub fn insert(&mut self, name: &str, text: Vec<u8>) {
        self.texts.insert(name.to_owned(), text);
    }

    /// The line of a file, from 1, without its end.
    pub(crate) fn line(&self, name: &str, line: u32) -> Option<&[u8]> {
        let text = self.texts.get(name)?;
        let line = text.split(|byte| *byte == b'\n').nth((line as usize).checked_sub(1)?)?;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}
