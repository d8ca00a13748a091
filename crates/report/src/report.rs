//! A run of an analysis.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::{
    Analysis, Contradiction, Counts, Coverage, ErrorBound, ErrorOperations, Finding, FunctionSummary, SafeFlags,
    SiteRecord, Status, Verdict, Verification,
};

/// The schema's name and number.
pub const SCHEMA: &str = "labrys-report/2";

/// The control register that a build starts with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Startup {
    /// Rounding to nearest, no flushing.
    #[default]
    Default,
    /// Flush-to-zero and denormals-are-zero.
    Ftz,
}

/// A parameter of the function under test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParameterInfo {
    /// Its name.
    pub name: String,
    /// Its type, in C's words: `double`, `const double[8]`, `complex_t *`.
    #[serde(rename = "type")]
    pub type_name: String,
}

/// One build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildInfo {
    /// `baseline`, `variant`, `variant2`, ..., `control`; unique.
    pub role: String,
    /// The source, IR file or shared object, as the user named it.
    pub source: String,
    /// Name and version: "clang 22.1.8"; empty for shared objects that were given.
    pub compiler: String,
    /// The user's words, enough for `COMPILER -shared -fPIC FLAGS -o SO SOURCE -lm`.
    pub flags: Vec<String>,
    /// The control register it starts with.
    pub startup: Startup,
    /// The compiler's executable: `clang-22`, `gcc`; absent for shared objects that were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executable: Option<String>,
    /// Objects and libraries it is linked with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub link: Vec<String>,
}

/// What was analysed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The file, as the user named it.
    pub file: String,
    /// The function, as users know it.
    pub function: String,
    /// The line of the file that the function begins in, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Its parameters in call order.
    pub parameters: Vec<ParameterInfo>,
    /// Every build.
    pub builds: Vec<BuildInfo>,
}

/// How long it took: the only part of a report that may differ between two runs of the same seed and work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The whole run in seconds.
    pub wall_s: f64,
    /// Further figures by name: seconds of phases (`build_s`), rates (`inputs_per_s`). Finite.
    #[serde(flatten)]
    pub more: BTreeMap<String, f64>,
}

/// A report. Members stand in the order of the schema, `timing` last; of a library in alphabetical order between `schema` and `timing`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: String,
    /// The exact command line.
    pub command: Vec<String>,
    /// The version of labrys.
    pub version: String,
    /// The seed of every random choice.
    pub seed: u64,
    /// Which analysis it is of.
    pub analysis: Analysis,
    /// Whether the planned work was done.
    pub status: Status,
    /// Warnings, and decisions that the user should know of.
    pub notes: Vec<String>,
    /// What was analysed.
    pub target: Target,
    /// Of the accuracy analysis: what results were compared with, where that is not the functions' own formulas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// How much was done and found.
    pub counts: Counts,
    /// Of a verification: what it came to.
    #[serde(flatten)]
    pub verification: Option<Verification>,
    /// Of tests: what they cover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Of `diff`: the largest parts of the variant's flags under which nothing was found, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safe_flags: Option<SafeFlags>,
    /// What was found, worst first.
    pub findings: Vec<Finding>,
    /// Of the exceptions analysis: each site and operator-possible exception with its verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<SiteRecord>,
    /// Of a run over a library: its functions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<FunctionSummary>,
    /// Of the accuracy analysis: proved bounds of errors, where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<ErrorBound>,
    /// Of the accuracy analysis: which operations made most of all errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<ErrorOperations>,
    /// Proofs that another solver contradicted, and that are therefore none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<Contradiction>,
    /// Where a baseline was given: the ids of findings that it has; these don't count for the exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Vec<String>>,
    /// The processor that ran the builds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
    /// How long it took.
    pub timing: Timing,
}

impl Default for Report {
    fn default() -> Report {
        Report {
            schema: SCHEMA.to_owned(),
            command: Vec::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: 0,
            analysis: Analysis::default(),
            status: Status::default(),
            notes: Vec::new(),
            target: Target::default(),
            reference: None,
            counts: Counts::default(),
            verification: None,
            coverage: None,
            safe_flags: None,
            findings: Vec::new(),
            sites: Vec::new(),
            functions: Vec::new(),
            bounds: Vec::new(),
            operations: None,
            contradictions: Vec::new(),
            known: None,
            processor: None,
            timing: Timing::default(),
        }
    }
}

impl Startup {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Startup::Default => "default",
            Startup::Ftz => "ftz",
        }
    }
}

impl Target {
    /// The build of a role.
    pub fn build(&self, role: &str) -> Option<&BuildInfo> {
        self.builds.iter().find(|build| build.role == role)
    }

    /// Whether it was built by Rust's compiler, which has no flags that weaken floating-point arithmetic.
    pub(crate) fn is_rust(&self) -> bool {
        self.builds.iter().any(|build| build.compiler.starts_with("rustc"))
    }
}

impl Report {
    /// The exit code of the run: that of its verdict, where it is a verification, or of its coverage; 4 where a proof was contradicted, 1 with findings (new ones, where there is a baseline), 3 where a limit cut it short and
    /// nothing was found, 0 otherwise.
    pub fn exit_code(&self) -> u8 {
        if !self.contradictions.is_empty() {
            return 4;
        }
        if let Some(verification) = &self.verification {
            return verification.verdict.exit_code();
        }
        if let Some(coverage) = &self.coverage {
            return coverage.exit_code();
        }
        match (self.new_findings() == 0, self.status) {
            (false, _) => 1,
            (true, Status::Limit | Status::Failed) => 3,
            (true, Status::Complete) => 0,
        }
    }

    /// Puts findings in their order, worst first ([`Finding::rank`]).
    pub fn sort_findings(&mut self) {
        self.findings.sort_by_cached_key(Finding::rank);
    }

    /// Whether a baseline has a finding.
    pub fn is_known(&self, id: &str) -> bool {
        self.known.as_ref().is_some_and(|known| known.iter().any(|of| of == id))
    }

    /// How many findings no baseline has. Errors of a few roundings are told and are none.
    pub fn new_findings(&self) -> usize {
        let known: HashSet<&str> = self.known.iter().flatten().map(String::as_str).collect();
        self.findings.iter().filter(|of| of.severity.counts() && !known.contains(of.id.as_str())).count()
    }

    /// Whether a finding is one of [`Report::new_findings`].
    pub fn counts_for_exit_code(&self, finding: &Finding) -> bool {
        finding.severity.counts() && !self.is_known(&finding.id)
    }

    /// For each finding's id the function that was analysed when it was found, where a library was.
    pub(crate) fn units(&self) -> HashMap<&str, &str> {
        let pairs = self.functions.iter().flat_map(|of| of.findings.iter().map(move |id| (id, &of.function)));
        pairs.map(|(id, function)| (id.as_str(), function.as_str())).collect()
    }

    /// The report with one of its findings: what ID.json holds. Of a library only the finding's function is in it, and of
    /// the sites only those that refer to it. `None`: there is no such finding.
    pub fn with_only(&self, id: &str) -> Option<Report> {
        let finding = self.findings.iter().find(|finding| finding.id == id)?;
        let refers = |record: &&SiteRecord| matches!(&record.verdict, Verdict::Reachable { finding } if finding == id);
        Some(Report {
            coverage: None,
            safe_flags: None,
            findings: vec![finding.clone()],
            sites: self.sites.iter().filter(refers).cloned().collect(),
            functions: self.functions.iter().filter(|of| of.findings.iter().any(|of| of == id)).cloned().collect(),
            bounds: Vec::new(),
            operations: None,
            contradictions: Vec::new(),
            known: self.known.is_some().then(|| self.is_known(id).then(|| id.to_owned()).into_iter().collect()),
            ..self.frame()
        })
    }

    /// Whether it is of several functions. Such a report is written without indentation, and what it says many times once.
    pub(crate) fn is_of_library(&self) -> bool {
        self.functions.len() > 1
    }

    /// The report without its findings and sites.
    pub(crate) fn frame(&self) -> Report {
        Report {
            schema: self.schema.clone(),
            command: self.command.clone(),
            version: self.version.clone(),
            seed: self.seed,
            analysis: self.analysis,
            status: self.status,
            notes: self.notes.clone(),
            target: self.target.clone(),
            reference: self.reference.clone(),
            counts: self.counts.clone(),
            verification: self.verification.clone(),
            coverage: self.coverage.clone(),
            safe_flags: self.safe_flags.clone(),
            findings: Vec::new(),
            sites: Vec::new(),
            functions: self.functions.clone(),
            bounds: self.bounds.clone(),
            operations: self.operations.clone(),
            contradictions: self.contradictions.clone(),
            known: self.known.clone(),
            processor: self.processor.clone(),
            timing: self.timing.clone(),
        }
    }
}
