//! Which functions of a program symbolic execution follows to the end, and what stops it in the others.
//!
//! `survey FILE.bc SECONDS [PART_OF_NAME] [INIT]`: explores every function whose parameters are doubles, integers and
//! pointers (each taken for a pointer to two doubles that are written), for so many seconds each.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use labrys_float::Format;
use labrys_program::{
    Access, FloatType, Function, FunctionId, Length, Parameter, ParameterType, Pointee, Program, ResultType,
    ScalarType, Signature, StructField, StructType, Type, map_parameters,
};
use labrys_symex::{
    EveryPath, Feasibility, Interest, Intervals, OpenSites, Options, StopReason, explore, static_sites,
};
use labrys_term::Store;

const DOUBLE: ScalarType = ScalarType::Float(FloatType::F64);

fn parameter(name: &str, ty: &Type) -> Option<ParameterType> {
    Some(match ty {
        Type::Float(format) if *format == Format::BINARY64 => ParameterType::Value(Pointee::Scalar(DOUBLE)),
        Type::Int(bits @ (32 | 64)) => {
            ParameterType::Value(Pointee::Scalar(ScalarType::Int { bits: *bits, signed: true }))
        }
        Type::Pointer => {
            let ty = || Pointee::Scalar(DOUBLE);
            let field =
                |name: &str, offset| StructField { name: name.to_owned(), offset, ty: ty(), count: 1, is_array: false };
            let fields = vec![field("val", 0), field("err", 8)];
            let result = StructType { name: name.to_owned(), fields, size: 16, align: 8 };
            ParameterType::Pointer { pointee: Pointee::Struct(result), length: Length::Fixed(1), access: Access::Out }
        }
        _ => return None,
    })
}

fn signature(function: &Function) -> Option<Signature> {
    let mut parameters = Vec::new();
    for (index, value) in function.parameters.iter().enumerate() {
        let name = if value.name.is_empty() { format!("p{index}") } else { value.name.clone() };
        let ty = parameter(&name, &value.ty)?;
        parameters.push(Parameter { name, ty });
    }
    let result = match &function.result {
        Type::Void => ResultType::Void,
        Type::Float(format) if *format == Format::BINARY64 => ResultType::Value(Pointee::Scalar(DOUBLE)),
        Type::Int(bits @ (32 | 64)) => {
            ResultType::Value(Pointee::Scalar(ScalarType::Int { bits: *bits, signed: true }))
        }
        _ => return None,
    };
    Some(Signature { name: function.name.clone(), symbol: function.name.clone(), parameters, result })
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, seconds, rest @ ..] = arguments.as_slice() else { panic!("survey FILE.bc SECONDS [PART] [INIT]") };
    let program = Program::from_ir_file_promoted(Path::new(file)).expect("a module");
    let seconds: f64 = seconds.parse().expect("a number of seconds");
    let part = rest.first().map_or("", String::as_str);
    let init = rest.get(1).and_then(|name| program.function(name));
    let mut totals: BTreeMap<String, usize> = BTreeMap::new();
    let (mut complete, mut all, mut sites_seen, mut sites_all) = (0, 0, 0, 0);
    for (index, function) in program.functions.iter().enumerate() {
        if function.blocks.is_empty() || !function.name.contains(part) {
            continue;
        }
        let Some(signature) = signature(function) else { continue };
        let id = FunctionId(index as u32);
        let Ok(binding) = map_parameters(&signature, &program, id) else { continue };
        let mut store = Store::new();
        let start = Instant::now();
        let deadline = Some(start + Duration::from_secs_f64(seconds));
        let sites = static_sites(&program, id);
        let wanted: Option<Arc<dyn Interest>> = match std::env::var_os("EVERY_PATH") {
            Some(_) => None,
            None => Some(Arc::new(OpenSites::new(
                sites.iter().filter(|site| !site.operator.possible().is_empty()).cloned(),
            ))),
        };
        let options = Options { deadline, init, wanted, max_paths: 100_000, loop_bound: 16, ..Options::default() };
        let (mut every, mut intervals) = (EveryPath, Intervals::default());
        let oracle: &mut dyn Feasibility =
            if std::env::var_os("NO_ORACLE").is_some() { &mut every } else { &mut intervals };
        let found = explore(&program, id, &binding, &signature, &mut store, &options, oracle);
        let seen: std::collections::BTreeSet<_> = found.executions.iter().map(|execution| &execution.site).collect();
        let reached = sites.iter().filter(|site| seen.contains(site)).count();
        let reasons: Vec<String> = found
            .stops()
            .into_iter()
            .map(|(why, count)| {
                if why != StopReason::Returned {
                    *totals.entry(why.to_string()).or_default() += 1;
                }
                format!("{count} {why}")
            })
            .collect();
        all += 1;
        complete += usize::from(found.is_complete());
        sites_seen += reached;
        sites_all += sites.len();
        println!(
            "{} {:.2}s paths {} ruled out {} executions {} instructions {} terms {} sites {reached}/{}: {}",
            function.name,
            start.elapsed().as_secs_f64(),
            found.paths.len(),
            found.ruled_out,
            found.executions.len(),
            found.instructions,
            store.len(),
            sites.len(),
            reasons.join("; ")
        );
    }
    println!("{complete} of {all} complete, {sites_seen} of {sites_all} sites executed");
    for (why, count) in totals {
        println!("{count:5} {why}");
    }
}
