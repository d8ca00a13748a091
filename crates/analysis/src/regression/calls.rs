//! Tests of findings that are of one call each.

use std::collections::BTreeMap;
use std::path::PathBuf;

use labrys_program::{Build, CrateFunction, Language, LibraryScript, Signature};
use labrys_report::{
    CallSuite, CallTest, CodeUnderTest, Details, Finding, NoTest, Report, TestKind, Value, expectations, input_record,
};

use super::present::{Present, leave_passing};
use super::{TestsWanted, WrittenTests, code_under_test};
use crate::AnalysisError;
use crate::diff::{self, StartupChoice};
use crate::library::rebuilt::Rebuilt;
use crate::run::clock::Clock;
use crate::run::files::temporary_folder;
use crate::run::options::RunOptions;
use crate::target::subject::{BuildRequest, Subject};
use crate::target::unit::build_drivable;

/// Witnesses of more numbers are not said in a test's comment: they stand in the test.
const SHOWN_INPUTS: usize = 8;

/// A function, ready to be tested.
#[derive(Clone)]
struct Tested {
    signature: Signature,
    is_local: bool,
    init: Option<String>,
    /// The build.
    code: Code,
}

/// What a test calls.
#[derive(Clone)]
enum Code {
    /// A file's build.
    File(Build),
    /// A library, which a script makes.
    Library(LibraryScript),
}

impl Code {
    fn file(&self) -> Option<&Build> {
        match self {
            Code::File(build) => Some(build),
            Code::Library(_) => None,
        }
    }
}

/// Which function of a library a finding is of.
fn function_of<'r>(report: &'r Report, finding: &Finding) -> Option<&'r str> {
    let of = report.functions.iter().find(|function| function.findings.contains(&finding.id));
    of.map(|function| function.function.as_str())
}

/// Tests of findings of `diff`: what the build that differs does is held to what the baseline did.
///
/// # Errors
///
/// Where the builds cannot be made, or the function is gone.
pub fn of_diff(
    request: &diff::Request,
    (report, findings): (&Report, &[&Finding]),
    wanted: &TestsWanted,
) -> Result<WrittenTests, AnalysisError> {
    let clock = Clock::start(request.run.time);
    let folder = temporary_folder()?;
    let mut tests = Tests {
        wanted,
        ulps: request.ulps,
        report,
        link: &request.run.link,
        of_crate: request.run.of_crate.as_deref(),
        groups: BTreeMap::new(),
        written: WrittenTests::default(),
    };
    let is_library = matches!(request.subject, diff::Subject::Project { .. });
    let mut of_functions: BTreeMap<Option<&str>, Result<BTreeMap<String, Tested>, String>> = BTreeMap::new();
    for finding in findings {
        if request.startup == StartupChoice::Ftz {
            let why = "its builds were started with subnormal numbers flushed, which a test cannot ask for";
            tests.skip(finding, why);
            continue;
        }
        let details = finding.difference().ok_or_else(|| AnalysisError::other_analysis("diff"))?;
        let function = function_of(report, finding);
        if let std::collections::btree_map::Entry::Vacant(entry) = of_functions.entry(function) {
            let prepared = match diff::tested(request, folder.path(), function, &clock) {
                Err(AnalysisError::Usage(why)) if is_library => Err(why),
                prepared => Ok(prepared?),
            };
            entry.insert(prepared.map(by_role));
        }
        match &of_functions[&function] {
            Err(why) => tests.skip(finding, why),
            Ok(builds) => {
                let role = details.between.last().cloned().unwrap_or_default();
                match builds.get(&role) {
                    Some(tested) => tests.add(finding, &role, tested),
                    None => tests.skip(finding, "its command does not make the build that differs"),
                }
            }
        }
    }
    tests.finish()
}

/// A function, ready to be tested, of each build by its role.
fn by_role(prepared: diff::TestedBuilds) -> BTreeMap<String, Tested> {
    let diff::TestedBuilds { signature, is_local, init, builds, mut scripts } = prepared;
    let of = |build: Build| {
        let code = match scripts.remove(&build.role) {
            Some(script) => Code::Library(script),
            None => Code::File(build.clone()),
        };
        (build.role, Tested { signature: signature.clone(), is_local, init: init.clone(), code })
    };
    builds.into_iter().map(of).collect()
}

/// Tests of findings of `exceptions` and `accuracy`.
///
/// # Errors
///
/// Where the build cannot be made, or the function is gone.
pub fn of_one_build(
    run: &RunOptions,
    (request, jobs): (&BuildRequest, usize),
    (report, findings): (&Report, &[&Finding]),
    wanted: &TestsWanted,
) -> Result<WrittenTests, AnalysisError> {
    let mut tests = Tests {
        wanted,
        ulps: 0,
        report,
        link: &run.link,
        of_crate: run.of_crate.as_deref(),
        groups: BTreeMap::new(),
        written: WrittenTests::default(),
    };
    match &request.subject {
        Subject::Source(source) => {
            let clock = Clock::start(run.time);
            let folder = temporary_folder()?;
            let built = build_drivable(request.unit(run), source, folder.path(), &clock)?;
            let tested = Tested {
                signature: built.unit.signature,
                is_local: !built.unit.is_public,
                init: built.unit.init,
                code: Code::File(built.made),
            };
            findings.iter().for_each(|finding| tests.add(finding, "", &tested));
            // The library is read before its folder goes.
            tests.finish()
        }
        Subject::Library { .. } => {
            let rebuilt = Rebuilt::new(run, request, jobs)?;
            let script = rebuilt.script()?.ok_or(AnalysisError::Internal("a library has no script"))?;
            for finding in findings {
                match rebuilt.unit(function_of(report, finding)) {
                    Err(error) => tests.skip(finding, &error.to_string()),
                    Ok(unit) => {
                        let tested = Tested {
                            signature: unit.signature.clone(),
                            is_local: !unit.is_public,
                            init: unit.init.clone(),
                            code: Code::Library(script.clone()),
                        };
                        tests.add(finding, "", &tested);
                    }
                }
            }
            tests.finish()
        }
    }
}

/// Tests as they come together.
struct Tests<'a> {
    wanted: &'a TestsWanted,
    /// What results of builds may differ by.
    ulps: u64,
    report: &'a Report,
    link: &'a [PathBuf],
    /// The function of a crate that findings are of.
    of_crate: Option<&'a CrateFunction>,
    /// By the build: its functions with their findings.
    groups: BTreeMap<String, Vec<(Finding, Tested)>>,
    written: WrittenTests,
}

impl Tests<'_> {
    fn skip(&mut self, finding: &Finding, why: &str) {
        self.written.skipped.push((finding.id.clone(), why.to_owned()));
    }

    fn add(&mut self, finding: &Finding, role: &str, tested: &Tested) {
        let is_of_library = matches!(tested.code, Code::Library(_));
        if tested.is_local && is_of_library {
            let why = format!("{} is static: a test of a library calls what others see", tested.signature.name);
            return self.skip(finding, &why);
        }
        let is_c = tested.code.file().is_some_and(|build| build.language == Language::C);
        if tested.is_local && !is_c {
            return self.skip(finding, &format!("{} is not seen outside its file", tested.signature.name));
        }
        self.groups.entry(role.to_owned()).or_default().push((finding.clone(), tested.clone()));
    }

    fn finish(mut self) -> Result<WrittenTests, AnalysisError> {
        let groups = std::mem::take(&mut self.groups);
        let is_alone = groups.len() < 2;
        for (role, members) in &groups {
            // Each build has a folder of its own where there are several.
            let folder = if is_alone { String::new() } else { format!("{role}/") };
            self.group(&folder, members)?;
        }
        Ok(self.written)
    }

    /// The names of the tests that pass on the present code, which are told as left out.
    fn passing(
        &mut self,
        suite: &CallSuite<'_>,
        beside: Option<&(String, Vec<u8>)>,
        of_crate: Option<(&CrateFunction, &Build)>,
    ) -> Result<Vec<String>, AnalysisError> {
        let kind = self.wanted.kind;
        let files = suite.files(kind).map_err(|refused| AnalysisError::Usage(refused.to_string()))?;
        let files = files.into_iter().map(|(name, text)| (name, text.into_bytes()));
        let present = Present {
            files: files.chain(beside.cloned()).collect(),
            build: suite.build_commands(kind),
            names: suite.tests.iter().map(|test| test.name.clone()).collect(),
            run: &|name| suite.command_of(kind, name),
            kind,
            is_rusts: kind == TestKind::Rust,
            of_crate,
        };
        Ok(leave_passing(&present, &mut self.written))
    }

    fn group(&mut self, folder: &str, members: &[(Finding, Tested)]) -> Result<(), AnalysisError> {
        let Some((_, first)) = members.first() else { return Ok(()) };
        let stem = &self.wanted.stem;
        let about = vec!["Regression tests of what labrys found: each fails as long as its finding holds.".to_owned()];
        let of_crate = self.of_crate.filter(|_| self.wanted.kind == TestKind::Rust);
        let (code, file) = match (&first.code, of_crate) {
            (Code::File(build), Some(of)) => {
                let command = of.test_command(&build.flags, stem);
                (CodeUnderTest::Crate { module: of.test_module(), command }, None)
            }
            (Code::File(build), None) => code_under_test(build, (first.is_local, self.link), stem),
            (Code::Library(LibraryScript { text, files }), _) => {
                (CodeUnderTest::Library { script: text.clone(), files: files.clone() }, None)
            }
        };
        let mut tests = Vec::new();
        for (finding, tested) in members {
            let signature = &tested.signature;
            let input = match input_record(&signature.input_layout(), &finding.inputs) {
                Ok(input) => input,
                Err(error) => {
                    self.skip(finding, &error.to_string());
                    continue;
                }
            };
            match expectations(finding, signature, (self.ulps, self.wanted.ulps)) {
                Ok(expectations) => {
                    let (name, why) = (format!("finding_{}", finding.id), why(self.report, finding));
                    tests.push((finding, CallTest { name, why, signature, input, expectations }));
                }
                Err(NoTest::Right(why)) => self.written.right.push((finding.id.clone(), why.to_owned())),
                Err(NoTest::NotSeen(why)) => self.skip(finding, &format!("it has no test: {why}")),
            }
        }
        let mut suite = CallSuite { stem: stem.clone(), about, code, init: first.init.clone(), tests: Vec::new() };
        // One that a language cannot call does not keep the others from being written.
        for (finding, test) in tests {
            let alone = CallSuite { tests: vec![test.clone()], ..suite.clone() };
            match alone.files(self.wanted.kind) {
                Ok(_) => {
                    suite.tests.push(test);
                    self.written.tested.push(finding.id.clone());
                }
                Err(refused) => self.skip(finding, &refused.to_string()),
            }
        }
        if !suite.tests.is_empty() {
            let passing = self.passing(&suite, file.as_ref(), of_crate.zip(first.code.file()))?;
            suite.tests.retain(|test| !passing.contains(&test.name));
        }
        if suite.tests.is_empty() {
            return Ok(());
        }
        let files = suite.files(self.wanted.kind).map_err(|refused| AnalysisError::Usage(refused.to_string()))?;
        let named = |(name, text): (String, String)| (format!("{folder}{name}"), text.into_bytes());
        self.written.files.extend(files.into_iter().map(named));
        self.written.files.extend(file.map(|(name, contents)| (format!("{folder}{name}"), contents)));
        Ok(())
    }
}

/// Why there is a test of a finding, in lines.
pub(super) fn why(report: &Report, finding: &Finding) -> Vec<String> {
    let mut lines =
        vec![finding.summary.clone(), format!("{}: {}", finding.severity.name(), finding.severity.meaning())];
    let scalars: Vec<&Value> = finding.inputs.iter().flat_map(Value::scalars).collect();
    if !scalars.is_empty() && scalars.len() <= SHOWN_INPUTS {
        let shown = |value: &Value| {
            let (name, decimal) =
                (value.name.as_deref().unwrap_or_default(), value.decimal.as_deref().unwrap_or_default());
            format!("{name} = {decimal}")
        };
        lines.push(format!("Shown by {}.", scalars.iter().map(|value| shown(value)).collect::<Vec<_>>().join(", ")));
    }
    if let Details::Accuracy(details) = &finding.details
        && let Some(remedy) = &details.remedy
    {
        lines.push(format!("What would mend it: {}.", remedy.words()));
    }
    let command = shlex::try_join(report.command.iter().map(String::as_str)).unwrap_or_default();
    lines.push(format!("Found by labrys {}, finding {}: {command}", report.version, finding.id));
    lines
}
