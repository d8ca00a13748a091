//! Prints what range analysis finds: `cargo run --release -p labrys-ranges --example show -- FILE.ll FUNCTION [SECONDS [INIT]]`.

use std::time::{Duration, Instant};

use labrys_program::{
    Access, FloatType, Length, Parameter, ParameterType, Pointee, Program, ResultType, ScalarType, Signature,
    StructField, StructType, Type, map_parameters,
};
use labrys_ranges::{RangeOptions, analyse, any_input};

/// The signature that the IR suggests: pointers are outputs of two doubles.
fn signature(program: &Program, name: &str) -> Option<Signature> {
    let function = &program.functions[program.function(name)?.index()];
    let double = Pointee::Scalar(ScalarType::Float(FloatType::F64));
    let scalar = |ty: &Type| match ty {
        Type::Int(bits @ (8 | 16 | 32 | 64)) => Some(Pointee::Scalar(ScalarType::Int { bits: *bits, signed: true })),
        Type::Float(_) => Some(double.clone()),
        _ => None,
    };
    let field =
        |name: &str, offset| StructField { name: name.into(), offset, ty: double.clone(), count: 1, is_array: false };
    let pair = StructType { name: "pair".into(), size: 16, align: 8, fields: vec![field("val", 0), field("err", 8)] };
    let mut parameters = Vec::new();
    for parameter in &function.parameters {
        let ty = match &parameter.ty {
            Type::Pointer => ParameterType::Pointer {
                pointee: Pointee::Struct(pair.clone()),
                length: Length::Fixed(1),
                access: Access::Out,
            },
            other => ParameterType::Value(scalar(other)?),
        };
        parameters.push(Parameter { name: parameter.name.clone(), ty });
    }
    let result = match &function.result {
        Type::Void => ResultType::Void,
        other => ResultType::Value(scalar(other)?),
    };
    Some(Signature { name: name.into(), symbol: name.into(), parameters, result })
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let program = Program::from_ir_file_promoted(std::path::Path::new(&args[1])).expect("readable IR");
    let names: Vec<String> = if args[2] == "all" {
        let defined = program.functions.iter().filter(|function| !function.blocks.is_empty());
        defined.map(|function| function.name.clone()).collect()
    } else {
        args[2].split(',').map(str::to_owned).collect()
    };
    let seconds: f64 = args.get(3).map_or(5.0, |text| text.parse().expect("seconds"));
    let init = args.get(4).and_then(|name| program.function(name));
    let (mut all_pairs, mut all_open) = (0, 0);
    for name in &names {
        let Some(signature) = signature(&program, name) else { continue };
        let id = program.function(name).expect("a function");
        let Ok(binding) = map_parameters(&signature, &program, id) else { continue };
        let start = Instant::now();
        let options =
            RangeOptions { deadline: Some(start + Duration::from_secs_f64(seconds)), init, ..RangeOptions::default() };
        let ranges = analyse(&program, id, &binding, &signature, &any_input, &options);
        let (mut pairs, mut open, mut own_pairs, mut own_open) = (0, 0, 0, 0);
        for range in &ranges.sites {
            let possible = range.site.operator.possible();
            let may = range.may_raise & possible;
            pairs += possible.bits().count_ones();
            open += may.bits().count_ones();
            if range.site.function == *name {
                own_pairs += possible.bits().count_ones();
                own_open += may.bits().count_ones();
            }
            if names.len() == 1 && !possible.is_empty() {
                let location = range.site.location.map(|id| &program.locations[id.index()]);
                let line = location.map_or(0, |location| location.line);
                let column = location.map_or(0, |location| location.column);
                println!(
                    "{}:{line}:{column} {} reached={} {:?}",
                    range.site.function,
                    range.site.operator,
                    range.is_reached,
                    may.names()
                );
            }
        }
        all_pairs += own_pairs;
        all_open += own_open;
        println!(
            "{name}: own {}/{own_pairs} proved, with callees {}/{pairs}; boxes {} time {:.2}s incomplete {:?} opaque {:?}",
            own_pairs - own_open,
            pairs - open,
            ranges.boxes,
            start.elapsed().as_secs_f64(),
            ranges.incomplete,
            ranges.opaque
        );
    }
    println!("all: {}/{all_pairs}", all_pairs - all_open);
}
