//! What a library's report says many times, written once.
//!
//! Findings of one function have traces in common, all its pairs their sites, and proofs what they rest on: of a library's report that is nine tenths. So it has
//! `tables`, and where one of their elements would stand is its place there, from 0:
//!
//! - in a `trace`, of `tables.events`;
//! - as the `site` of a finding's `exception`, of `tables.sites`; so in the elements of the report's `sites`, among whose members the site's own
//!   stand otherwise;
//! - as `grounds` beside a `verdict`, of `tables.grounds`, whose members stand beside the verdict otherwise;
//! - in a finding's `notes`, of `tables.notes`.
//!
//! Reports of one function, and the files of single findings, have no tables. Readers take either form at each place.

use indexmap::IndexSet;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Finding, Opinion, Report, ReportError, SiteKey, SiteRecord, TraceEvent};

/// What is referred to by its place, from 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tables {
    /// Events of traces.
    pub events: Vec<TraceEvent>,
    /// Sites of pairs and findings.
    pub sites: Vec<SiteKey>,
    /// What verdicts rest on.
    pub grounds: Vec<Grounds>,
    /// Remarks of findings.
    pub notes: Vec<String>,
}

/// What a verdict rests on: the members that stand beside it in reports without tables.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Grounds {
    /// What proved it: `ranges`, `portfolio`, `enumeration`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// What the proof is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// What the proof rests on, a sentence each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumptions: Option<Vec<String>>,
    /// Whether anybody else says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opinion: Option<Opinion>,
    /// How often a back edge was followed at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loop_bound: Option<u32>,
    /// Why nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The names of [`Grounds`]' members.
const GROUNDS: [&str; 6] = ["engine", "scope", "assumptions", "opinion", "loop_bound", "why"];

/// Distinct values as JSON, in the order in which they are met.
#[derive(Default)]
struct Table(IndexSet<String>);

impl Table {
    /// Puts a value's place where it stands.
    fn refer(&mut self, value: &mut Value) {
        *value = self.0.insert_full(value.to_string()).0.into();
    }

    fn text(&self) -> String {
        self.0.iter().map(String::as_str).collect::<Vec<_>>().join(",")
    }
}

/// Tables that are being filled.
#[derive(Default)]
struct Filling {
    events: Table,
    sites: Table,
    grounds: Table,
    notes: Table,
}

/// A library's report with tables, without line breaks. Members of objects stand in alphabetical order, but `schema` first and `timing` last.
pub(crate) fn write(report: &Report) -> Result<String, ReportError> {
    let mut tables = Filling::default();
    let listed = |values: Result<Vec<String>, ReportError>| values.map(|texts| format!("[{}]", texts.join(",")));
    let findings = listed(report.findings.iter().map(|finding| tables.finding(finding)).collect())?;
    let sites = listed(report.sites.iter().map(|record| tables.pair(record)).collect())?;
    let Value::Object(frame) = as_json(&report.frame())? else { return Err(ReportError::NotAReport) };
    let mut members: Vec<(String, String)> = frame.into_iter().map(|(key, value)| (key, value.to_string())).collect();
    members.retain(|(key, _)| key != "findings");
    members.push(("findings".to_owned(), findings));
    if !report.sites.is_empty() {
        members.push(("sites".to_owned(), sites));
    }
    members.push(("tables".to_owned(), tables.text()));
    // What readers look at first stands first, and what differs from run to run last.
    let rank = |key: &str| [key != "schema", key == "timing"];
    members.sort_by(|(a, _), (b, _)| (rank(a), a).cmp(&(rank(b), b)));
    let texts: Vec<String> = members.into_iter().map(|(key, text)| format!("{}:{text}", Value::from(key))).collect();
    Ok(format!("{{{}}}", texts.join(",")))
}

fn as_json(value: &impl Serialize) -> Result<Value, ReportError> {
    serde_json::to_value(value).map_err(ReportError::Serialise)
}

/// The elements of an array of an object.
fn elements<'v>(of: Option<&'v mut Value>, name: &str) -> impl Iterator<Item = &'v mut Value> {
    of.and_then(|of| of.get_mut(name)).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Objects with verdicts in what a finding says of an exception.
fn verdicts(exception: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let members = exception.as_object_mut().into_iter().flat_map(Map::iter_mut);
    let objects = members.flat_map(|(name, value)| match name.as_str() {
        "not_seen_from" => value.as_array_mut().into_iter().flatten().collect::<Vec<_>>(),
        "only_direct" => vec![value],
        _ => Vec::new(),
    });
    objects.filter_map(Value::as_object_mut)
}

impl Filling {
    fn finding(&mut self, finding: &Finding) -> Result<String, ReportError> {
        let mut value = as_json(finding)?;
        for observation in elements(Some(&mut value), "observations") {
            elements(Some(observation), "trace").for_each(|event| self.events.refer(event));
        }
        elements(Some(&mut value), "notes").for_each(|note| self.notes.refer(note));
        if let Some(exception) = value.get_mut("exception") {
            if let Some(site) = exception.get_mut("site") {
                self.sites.refer(site);
            }
            verdicts(exception).for_each(|of| self.verdict(of));
        }
        Ok(value.to_string())
    }

    fn pair(&mut self, record: &SiteRecord) -> Result<String, ReportError> {
        let mut site = as_json(&record.site)?;
        let mut value = as_json(record)?;
        if let (Some(pair), Some(own)) = (value.as_object_mut(), site.as_object()) {
            own.keys().for_each(|key| drop(pair.remove(key)));
            self.sites.refer(&mut site);
            pair.insert("site".to_owned(), site);
            self.verdict(pair);
        }
        Ok(value.to_string())
    }

    /// Moves what a verdict rests on.
    fn verdict(&mut self, of: &mut Map<String, Value>) {
        let grounds: Map<String, Value> = GROUNDS.iter().filter_map(|name| of.remove_entry(*name)).collect();
        if !grounds.is_empty() {
            let mut grounds = Value::Object(grounds);
            self.grounds.refer(&mut grounds);
            of.insert("grounds".to_owned(), grounds);
        }
    }

    fn text(&self) -> String {
        let Filling { events, sites, grounds, notes } = self;
        let parts = [("events", events), ("sites", sites), ("grounds", grounds), ("notes", notes)];
        let texts: Vec<String> = parts.iter().map(|(name, table)| format!("\"{name}\":[{}]", table.text())).collect();
        format!("{{{}}}", texts.join(","))
    }
}

/// A report's document, with or without tables. Findings are read one after the other: all at once need several times the memory.
pub(crate) fn read(mut document: Map<String, Value>) -> Result<Report, ReportError> {
    let tables = document.remove("tables").unwrap_or_default();
    let mut take = |name: &str| match document.get_mut(name).map(Value::take) {
        Some(Value::Array(elements)) => Ok(elements),
        None => Ok(Vec::new()),
        Some(_) => Err(ReportError::Table(format!("{name} is no array"))),
    };
    let (findings, sites) = (take("findings")?, take("sites")?);
    for name in ["findings", "sites"] {
        document.entry(name).and_modify(|value| *value = Value::Array(Vec::new()));
    }
    let mut report: Report = of_json(Value::Object(document))?;
    for mut value in findings {
        with_finding(&tables, &mut value)?;
        report.findings.push(of_json(value)?);
    }
    for mut value in sites {
        if let Some(pair) = value.as_object_mut() {
            with_members(&tables, "sites", "site", pair)?;
            with_members(&tables, "grounds", "grounds", pair)?;
        }
        report.sites.push(of_json(value)?);
    }
    Ok(report)
}

fn of_json<T: DeserializeOwned>(value: Value) -> Result<T, ReportError> {
    serde_json::from_value(value).map_err(ReportError::Shape)
}

/// Puts an element of a table where its place stands.
fn with_element(tables: &Value, table: &str, value: &mut Value) -> Result<(), ReportError> {
    if let Value::Number(place) = &*value {
        let index = place.as_u64().and_then(|index| usize::try_from(index).ok());
        let found = index.and_then(|index| tables.get(table)?.get(index));
        *value = found.cloned().ok_or_else(|| ReportError::Table(format!("tables.{table} has no place {place}")))?;
    }
    Ok(())
}

/// Puts the members of an element of a table beside where its place stands.
fn with_members(tables: &Value, table: &str, name: &str, of: &mut Map<String, Value>) -> Result<(), ReportError> {
    let Some(mut place) = of.remove(name) else { return Ok(()) };
    with_element(tables, table, &mut place)?;
    match place {
        Value::Object(members) => of.extend(members),
        _ => return Err(ReportError::Table(format!("{name} is no place in tables.{table}"))),
    }
    Ok(())
}

fn with_finding(tables: &Value, finding: &mut Value) -> Result<(), ReportError> {
    for observation in elements(Some(finding), "observations") {
        for event in elements(Some(observation), "trace") {
            with_element(tables, "events", event)?;
        }
    }
    for note in elements(Some(finding), "notes") {
        with_element(tables, "notes", note)?;
    }
    if let Some(exception) = finding.get_mut("exception") {
        if let Some(site) = exception.get_mut("site") {
            with_element(tables, "sites", site)?;
        }
        for of in verdicts(exception) {
            with_members(tables, "grounds", "grounds", of)?;
        }
    }
    Ok(())
}
