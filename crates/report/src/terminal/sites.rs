//! The places that a finding's traces name, each once, with who raised what there.

use labrys_float::Flags;

use super::violation;
use crate::exceptions::listed;
use crate::{Cause, Details, ErrorCause, ExceptionDetails, Finding, SourcePlace, ViolationDetails};

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
    /// What each build that the finding is about raised there.
    raised: Vec<(String, Flags)>,
    /// Of an exception's finding: whether it is the finding's site.
    is_site: bool,
    /// What the place is, where nobody raised anything there.
    part: &'static str,
}

impl Place {
    /// A place at which nobody raised anything yet; none where no line of a file is known.
    fn new(place: &SourcePlace, operator: &str) -> Option<Place> {
        Some(Place {
            file: place.file.clone()?,
            line: place.line.filter(|line| *line > 0)?,
            column: place.column,
            operator: Some(operator.to_owned()).filter(|name| !name.is_empty()),
            raised: Vec::new(),
            is_site: false,
            part: "",
        })
    }

    /// Whether both are at one place of the source.
    fn is_at(&self, other: &Place) -> bool {
        (&self.file, self.line, self.column) == (&other.file, other.line, other.column)
    }

    /// Whether the finding is about this place: the builds raised different exceptions here, or it is the exception's site.
    pub(super) fn is_primary(&self) -> bool {
        self.is_site || self.raised.windows(2).any(|pair| pair[0].1 != pair[1].1)
    }

    /// `overflow here in variant (fmul)`; `overflow here (fmul)` where there is only one build.
    pub(super) fn label(&self) -> String {
        let operator = self.operator.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
        if self.raised.is_empty() {
            return format!("{}{operator}", self.part);
        }
        if let [(_, flags)] = self.raised[..] {
            return format!("{} here{operator}", listed(flags));
        }
        if !self.is_primary() {
            let exceptions = self.raised.first().map_or(Flags::empty(), |(_, flags)| *flags);
            return format!("{} here in both{operator}", listed(exceptions));
        }
        let raised = self.raised.iter().filter(|(_, flags)| !flags.is_empty());
        let parts: Vec<String> = raised.map(|(role, flags)| format!("{} here in {role}", listed(*flags))).collect();
        format!("{}{operator}", parts.join(", "))
    }
}

/// The places of a finding: those that it is about first, each kind in the order of the traces, the variant's first.
pub(super) fn places(finding: &Finding) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    let compared = finding.compared();
    for observation in compared.iter().rev() {
        for event in &observation.trace {
            let Some(here) = Place::new(&event.place, &event.operator) else { continue };
            let place = match places.iter().position(|known| known.is_at(&here)) {
                Some(index) => &mut places[index],
                None => {
                    let raised = compared.iter().map(|of| (of.role.clone(), Flags::empty())).collect();
                    places.push(Place { raised, ..here });
                    match places.last_mut() {
                        Some(place) => place,
                        None => continue,
                    }
                }
            };
            if place.operator.as_ref() != Some(&event.operator) {
                place.operator = None;
            }
            for (_, flags) in place.raised.iter_mut().filter(|(of, _)| *of == observation.role) {
                *flags |= event.exceptions;
            }
        }
    }
    match &finding.details {
        Details::Difference(details) => {
            if let Some(cause) = &details.cause {
                mark_cause(&mut places, cause);
            }
        }
        Details::Exception(details) => mark_site(&mut places, details),
        Details::Violation(details) => mark_violation(&mut places, details),
        Details::Accuracy(details) => details.causes.iter().take(2).for_each(|cause| mark_error(&mut places, cause)),
    }
    mark_calls(&mut places, finding);
    places.sort_by_key(|place| !place.is_primary());
    places
}

/// Puts the user's lines first from which the witness comes to the code of others that the finding is about: they have its label, with the place there.
fn mark_calls(places: &mut Vec<Place>, finding: &Finding) {
    let Some(there) = finding.details.place().filter(|_| !finding.called_at.is_empty()) else { return };
    let Some(site) = Place::new(there, "").and_then(|site| places.iter().find(|place| place.is_at(&site))).cloned()
    else {
        return;
    };
    let name = site.file.rsplit('/').next().unwrap_or_default();
    let column = site.column.map(|column| format!(":{column}")).unwrap_or_default();
    let operator = site.operator.as_ref().map(|operator| format!("{operator} ")).unwrap_or_default();
    let operator = Some(format!("{operator}at {name}:{}{column}", site.line));
    let called = finding.called_at.iter().filter_map(|called| Place::new(&called.place, ""));
    let called = called.map(|here| Place {
        operator: operator.clone(),
        is_site: true,
        raised: site.raised.clone(),
        part: site.part,
        ..here
    });
    let called: Vec<Place> = called.collect();
    places.retain(|place| !called.iter().any(|here| here.is_at(place)));
    places.splice(0..0, called);
}

/// Adds the place at which builds differ first, where no trace names it.
fn mark_cause(places: &mut Vec<Place>, cause: &Cause) {
    let Some(here) = Place::new(&cause.place, &cause.operator) else { return };
    if !places.iter().any(|place| place.is_at(&here)) {
        places.insert(0, Place { is_site: true, part: "another result here first", ..here });
    }
}

/// Adds the place of an operation that made an error.
fn mark_error(places: &mut Vec<Place>, cause: &ErrorCause) {
    let Some(here) = Place::new(&cause.place, &cause.operator) else { return };
    if !places.iter().any(|place| place.is_at(&here)) {
        places.push(Place { is_site: true, part: "error made here", ..here });
    }
}

/// Adds the place where something goes wrong.
fn mark_violation(places: &mut Vec<Place>, details: &ViolationDetails) {
    let (place, part) = violation::label(details);
    places.extend(Place::new(place, "").map(|here| Place { is_site: true, part, ..here }));
}

/// Marks the place that an exception's finding is about; a trace that was cut may not have it.
fn mark_site(places: &mut Vec<Place>, details: &ExceptionDetails) {
    let Some(here) = Place::new(&details.site.place, &details.site.operator) else { return };
    match places.iter_mut().find(|place| place.is_at(&here)) {
        Some(place) => place.is_site = true,
        None => places.push(Place { raised: vec![(String::new(), details.exception)], is_site: true, ..here }),
    }
}
