//! The places that a finding's traces name, each once, with who raised what there.

use labrys_float::Flags;

use crate::Finding;
use crate::exceptions::listed;

/// One place of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The file; places without debug information have none and are left to the trace's table.
    pub(super) file: String,
    /// The line, from 1.
    pub(super) line: u32,
    /// The column, from 1, in bytes.
    pub(super) column: Option<u32>,
    /// The operator, where all events there agree.
    operator: Option<String>,
    /// What each build of `between` raised there.
    raised: Vec<(String, Flags)>,
}

impl Place {
    /// Whether the builds raised different exceptions here.
    pub(super) fn differs(&self) -> bool {
        self.raised.windows(2).any(|pair| pair[0].1 != pair[1].1) || self.raised.len() == 1
    }

    /// `overflow here in variant (fmul)`.
    pub(super) fn label(&self) -> String {
        let operator = self.operator.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
        if !self.differs() {
            let exceptions = self.raised.first().map_or(Flags::empty(), |(_, flags)| *flags);
            return format!("{} here in both{operator}", listed(exceptions));
        }
        let raised = self.raised.iter().filter(|(_, flags)| !flags.is_empty());
        let parts: Vec<String> = raised.map(|(role, flags)| format!("{} here in {role}", listed(*flags))).collect();
        format!("{}{operator}", parts.join(", "))
    }
}

/// The places of a finding: those where the builds differ first, each kind in the order of the traces, the variant's first.
pub(super) fn places(finding: &Finding) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for role in finding.between.iter().rev() {
        let Some(observation) = finding.observation(role) else { continue };
        for event in &observation.trace {
            let (Some(file), Some(line)) = (&event.file, event.line.filter(|line| *line > 0)) else { continue };
            let known = places
                .iter_mut()
                .find(|place| place.file == *file && place.line == line && place.column == event.column);
            let place = match known {
                Some(place) => place,
                None => {
                    let raised = finding.between.iter().map(|role| (role.clone(), Flags::empty())).collect();
                    let operator = Some(event.operator.clone()).filter(|name| !name.is_empty());
                    places.push(Place { file: file.clone(), line, column: event.column, operator, raised });
                    match places.last_mut() {
                        Some(place) => place,
                        None => continue,
                    }
                }
            };
            if place.operator.as_ref() != Some(&event.operator) {
                place.operator = None;
            }
            for (_, flags) in place.raised.iter_mut().filter(|(of, _)| of == role) {
                *flags |= event.exceptions;
            }
        }
    }
    places.sort_by_key(|place| !place.differs());
    places
}
