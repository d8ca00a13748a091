//! A finding as reports have it.
//!
//! Its members stand in one object, in an order that is older than the analyses: those of a divergence stand in two places, with what all
//! findings have between them. So the JSON has a type of its own here, which borrows what is written and owns what is read.
//!
//! Reports of `exceptions` once had a divergence's `between`, `baseline_clean` and `in_control` too, which said nothing: they are read over.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{
    AccuracyDetails, Details, DifferenceDetails, ExceptionDetails, Finding, FoundBy, Severity, StackEntry,
    ViolationDetails,
};
use crate::{ObservationRecord, Value};

#[derive(Serialize, Deserialize)]
struct Written<'a> {
    id: Cow<'a, str>,
    severity: Severity,
    #[serde(flatten)]
    violation: Option<Cow<'a, ViolationDetails>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    between: Option<Cow<'a, [String]>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    baseline_clean: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    in_control: Option<bool>,
    found_by: FoundBy,
    count: u64,
    summary: Cow<'a, str>,
    inputs: Cow<'a, [Value]>,
    observations: Cow<'a, [ObservationRecord]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exception: Option<Cow<'a, ExceptionDetails>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    difference: Option<Cow<'a, DifferenceDetails>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    accuracy: Option<Cow<'a, AccuracyDetails>>,
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    notes: Cow<'a, [String]>,
    #[serde(default, skip_serializing_if = "<[StackEntry]>::is_empty")]
    called_at: Cow<'a, [StackEntry]>,
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let common = Written {
            id: self.id.as_str().into(),
            severity: self.severity,
            violation: None,
            between: None,
            baseline_clean: None,
            in_control: None,
            found_by: self.found_by,
            count: self.count,
            summary: self.summary.as_str().into(),
            inputs: self.inputs.as_slice().into(),
            observations: self.observations.as_slice().into(),
            command: self.command.as_deref().map(Cow::from),
            exception: None,
            difference: None,
            accuracy: None,
            notes: self.notes.as_slice().into(),
            called_at: self.called_at.as_slice().into(),
        };
        let written = match &self.details {
            Details::Difference(details) => Written {
                between: Some(details.between.as_slice().into()),
                baseline_clean: Some(details.baseline_clean),
                in_control: Some(details.in_control),
                difference: Some(Cow::Borrowed(details)),
                ..common
            },
            Details::Accuracy(details) => Written { accuracy: Some(Cow::Borrowed(details)), ..common },
            Details::Violation(details) => Written { violation: Some(Cow::Borrowed(details)), ..common },
            Details::Exception(details) => Written { exception: Some(Cow::Borrowed(details)), ..common },
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Finding {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Finding, D::Error> {
        let read = Written::deserialize(deserializer)?;
        let details = match (read.exception, read.difference, read.accuracy) {
            (None, None, None) if read.violation.is_some() => match read.violation {
                Some(details) => Details::Violation(details.into_owned()),
                None => return Err(D::Error::missing_field("kind")),
            },
            (Some(details), None, None) => Details::Exception(details.into_owned()),
            (None, None, Some(details)) => Details::Accuracy(details.into_owned()),
            (Some(_), ..) | (.., Some(_)) => {
                return Err(D::Error::custom("a finding is an exception, a difference or an error, not several"));
            }
            // The first reports of differences had nothing but what stands beside `difference` now.
            (None, details, None) => Details::Difference(DifferenceDetails {
                between: read.between.ok_or_else(|| D::Error::missing_field("between"))?.into_owned(),
                baseline_clean: read.baseline_clean.ok_or_else(|| D::Error::missing_field("baseline_clean"))?,
                in_control: read.in_control.ok_or_else(|| D::Error::missing_field("in_control"))?,
                ..details.map(Cow::into_owned).unwrap_or_default()
            }),
        };
        Ok(Finding {
            id: read.id.into_owned(),
            severity: read.severity,
            found_by: read.found_by,
            count: read.count,
            summary: read.summary.into_owned(),
            inputs: read.inputs.into_owned(),
            observations: read.observations.into_owned(),
            command: read.command.map(Cow::into_owned),
            details,
            notes: read.notes.into_owned(),
            called_at: read.called_at.into_owned(),
        })
    }
}
