//! Tests of findings of `verify`: runs of the program that end without an error where they are mended.

use std::collections::BTreeMap;

use labrys_report::{Finding, Report, TestLanguage};
use labrys_testcase::{ExpectedEnding, FileComment, RegressionTest, TestInput, headers, regression_file};

use super::calls::why;
use super::present::{Present, leave_passing};
use super::registration::Registration;
use super::{TestsWanted, WrittenTests};
use crate::AnalysisError;
use crate::run::clock::Clock;
use crate::run::files::temporary_folder;
use crate::verify::{Request, Tested, Way, input_of};
use crate::whole::commands::TestBuild;

/// Tests of findings of `verify`.
///
/// # Errors
///
/// Where the program cannot be built.
pub fn of_programs(
    request: &Request,
    (report, findings): (&Report, &[&Finding]),
    wanted: &TestsWanted,
) -> Result<WrittenTests, AnalysisError> {
    let clock = Clock::start(request.time);
    let folder = temporary_folder()?;
    let tested = Tested::new(request, folder.path(), &clock)?;
    let mut written = WrittenTests::default();
    let mut groups: BTreeMap<Way, Vec<(&Finding, TestInput)>> = BTreeMap::new();
    for finding in findings {
        let details = finding.violation().ok_or_else(|| AnalysisError::other_analysis("verify"))?;
        let input = match (tested.test_obstacle(details), input_of(&details.arguments, &details.objects)) {
            (Some(why), _) => Err(why),
            (None, None) => Err("its input is damaged"),
            (None, Some(input)) => Ok(input),
        };
        match input {
            Err(why) => written.skipped.push((finding.id.clone(), why.to_owned())),
            Ok(input) => groups.entry(Way::of(details.kind)).or_default().push((*finding, input)),
        }
    }
    let is_alone = groups.len() < 2;
    for (way, members) in groups {
        // What shows errors of one way hides those of another.
        let folder = if is_alone { String::new() } else { format!("{}/", way.name()) };
        let build = tested.build(way);
        let all = files(report, &members, &build, wanted);
        let present = Present {
            files: all.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes())).collect(),
            build: build.build_commands(("", &format!("{}.c", wanted.stem)), &wanted.stem),
            names: members.iter().map(|(finding, _)| name_of(finding)).collect(),
            run: &|name| format!("./{} {name}", wanted.stem),
            kind: wanted.kind,
            is_rusts: false,
            of_crate: None,
        };
        let passing = leave_passing(&present, &mut written);
        let mut members = members;
        members.retain(|(finding, _)| !passing.contains(&name_of(finding)));
        let files = match (passing.is_empty(), members.is_empty()) {
            (true, _) => all,
            (false, true) => continue,
            (false, false) => files(report, &members, &build, wanted),
        };
        written.tested.extend(members.iter().map(|(finding, _)| finding.id.clone()));
        written.files.extend(files.into_iter().map(|(name, text)| (format!("{folder}{name}"), text.into_bytes())));
    }
    Ok(written)
}

/// What a finding's test is called.
fn name_of(finding: &Finding) -> String {
    format!("finding_{}", finding.id)
}

/// The files of one build.
fn files(
    report: &Report,
    members: &[(&Finding, TestInput)],
    build: &TestBuild,
    wanted: &TestsWanted,
) -> Vec<(String, String)> {
    let stem = wanted.stem.as_str();
    let (mut tests, mut comments) = (Vec::new(), String::new());
    for (finding, input) in members {
        let name = name_of(finding);
        let mut lines = vec![format!("{name}:")];
        lines.extend(why(report, finding));
        comments.push_str(&TestLanguage::C.comment(lines.iter().map(String::as_str)));
        let input = input.clone();
        tests.push(RegressionTest { name, input, ending: ExpectedEnding::NoError, outputs: Vec::new() });
    }
    let commands = build.commands(&format!("{stem}.c"), stem);
    let text = comments + &regression_file(&tests, FileComment { about: &[], commands: &commands, executable: stem });
    let mut files = vec![(format!("{stem}.c"), text)];
    files.extend(headers().into_iter().map(|(path, text)| (format!("include/{}", path.display()), text)));
    let names = tests.iter().map(|test| test.name.as_str()).collect();
    files.extend(Registration { stem, tests: names, build }.files(wanted.kind));
    files
}
