//! Small libraries, and what analyses might say of them.

use labrys_float::{Flags, Float};
use labrys_program::{
    CallGraph, FloatType, FunctionId, LibraryFunction, Parameter, ParameterType, Pointee, Program, ResultType,
    ScalarType, Signature, map_parameters,
};
use labrys_report::{
    Details, ExceptionDetails, Finding, FoundBy, FunctionSummary, Severity, SiteKey, SiteRecord, SourcePlace, Value,
    Verdict,
};

use super::function::FunctionResult;
use super::pairs::{ELSEWHERE, PairKey};
use super::work::Work;
use crate::callers::Callers;

/// A library.
pub struct Sample {
    pub program: Program,
    pub functions: Vec<LibraryFunction>,
    pub graph: CallGraph,
    pub callers: Callers,
}

impl Sample {
    /// A library whose functions all take one double `x` and return one.
    pub fn new(text: &str) -> Sample {
        let program = Program::from_bytes(text.as_bytes(), "sample.ll").unwrap();
        let scalar = ScalarType::Float(FloatType::F64);
        let mut functions = Vec::new();
        for (index, function) in program.functions.iter().enumerate() {
            let signature = Signature {
                name: function.name.clone(),
                symbol: function.name.clone(),
                parameters: vec![Parameter { name: "x".to_owned(), ty: ParameterType::Value(Pointee::Scalar(scalar)) }],
                result: ResultType::Value(Pointee::Scalar(scalar)),
            };
            let id = FunctionId(index as u32);
            functions.push(LibraryFunction {
                name: function.name.clone(),
                source_name: function.name.clone(),
                symbol: function.name.clone(),
                address: 0,
                file: "sample.c".to_owned(),
                line: None,
                is_public: function.is_external,
                unit: None,
                function: id,
                binding: map_parameters(&signature, &program, id).ok(),
                signature: Ok(signature),
                guessed: Vec::new(),
            });
        }
        let graph = CallGraph::new(&program);
        let callers = Callers::new(&program, &graph);
        Sample { program, functions, graph, callers }
    }

    pub fn id(&self, name: &str) -> FunctionId {
        self.program.function(name).unwrap()
    }

    /// The result of `name`'s analysis: for each site, named by its function, what it says.
    pub fn result(&self, name: &str, says: &[(&str, Says)]) -> FunctionResult {
        let of = self.functions.iter().find(|function| function.name == name).unwrap();
        let mut findings = Vec::new();
        let mut sites = Vec::new();
        for (function, says) in says {
            let (site, exception) = pair(function);
            let verdict = match says {
                Says::Seen(x) => {
                    let id = format!("{name}-{function}");
                    findings.push(finding(&id, &site, *x));
                    Verdict::Reachable { finding: id }
                }
                Says::Proved => proved(),
                Says::Nothing => Verdict::Unknown { why: ELSEWHERE.to_owned() },
            };
            sites.push(SiteRecord { site, exception, verdict });
        }
        let summary = FunctionSummary {
            function: name.to_owned(),
            file: Some("sample.c".to_owned()),
            is_public: of.is_public,
            findings: findings.iter().map(|finding: &Finding| finding.id.clone()).collect(),
            ..FunctionSummary::default()
        };
        let (notes, contradictions) = (Vec::new(), Vec::new());
        FunctionResult { summary, sites, findings, notes, contradictions, work: Work::default() }
    }
}

/// What an analysis says of a pair.
#[derive(Clone, Copy)]
pub enum Says {
    /// It observed it with this argument.
    Seen(f64),
    Proved,
    Nothing,
}

/// The only pair of a function.
pub fn pair(function: &str) -> PairKey {
    let site = SiteKey {
        place: SourcePlace::new(Some("sample.c".to_owned()), 1, 1),
        function: function.to_owned(),
        operator: "fdiv".to_owned(),
    };
    (site, Flags::DIVBYZERO)
}

pub fn proved() -> Verdict {
    let (engine, scope) = ("ranges".to_owned(), "ir".to_owned());
    Verdict::Unreachable { engine, scope, assumptions: Vec::new(), opinion: None }
}

fn finding(id: &str, site: &SiteKey, x: f64) -> Finding {
    Finding {
        id: id.to_owned(),
        severity: Severity::Honest,
        found_by: FoundBy::Random,
        count: 1,
        summary: String::new(),
        inputs: vec![Value::float("x", &Float::from_f64(x))],
        observations: Vec::new(),
        command: None,
        called_at: Vec::new(),
        details: Details::Exception(ExceptionDetails {
            site: site.clone(),
            exception: Flags::DIVBYZERO,
            output: None,
            error_ulps: None,
            true_result: None,
            avoidable: None,
            reachable_from: Vec::new(),
            not_seen_from: Vec::new(),
            only_direct: None,
        }),
        notes: Vec::new(),
    }
}
