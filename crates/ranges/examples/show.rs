//! Prints what range analysis finds: `cargo run --release -p labrys-ranges --example show -- FILE.ll FUNCTION [SECONDS [INIT]]`.

use std::time::{Duration, Instant};

use labrys_float::Flags;
use labrys_interp::{Limits, interpret_record};
use labrys_program::{
    Access, FloatType, FunctionId, IrBinding, Length, Parameter, ParameterType, Pointee, Program, ResultType,
    ScalarType, Signature, StructField, StructType, Type, map_parameters,
};
use labrys_ranges::{RangeOptions, analyse, any_input};
use labrys_symex::Site;

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

type Seen = std::collections::HashMap<(String, u32, u32, String), Flags>;

fn key(site: &Site) -> (String, u32, u32, String) {
    (site.function.clone(), site.block, site.instruction, site.operator.to_string())
}

/// Exceptions of `RUNS` runs on random inputs.
fn seen(program: &Program, id: FunctionId, binding: &IrBinding, signature: &Signature) -> Seen {
    let layout = signature.input_layout();
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 16
    };
    let mut seen = Seen::new();
    let runs: usize = std::env::var("RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    for _ in 0..runs {
        let mut record = vec![0u8; layout.size];
        for leaf in &layout.leaves {
            let bits = match leaf.scalar {
                ScalarType::Float(_) => match random() % 4 {
                    0 => (((random() % 2000) as f64 - 1000.0) / 32.0).to_bits(),
                    1 => ((random() % 400) as f64 / 4.0).to_bits(),
                    2 => [f64::INFINITY, f64::NEG_INFINITY, 0.0, f64::NAN, f64::MAX, 1e-300][random() as usize % 6]
                        .to_bits(),
                    _ => ((1.0 + (random() % 4096) as f64 / 4096.0) * (2f64).powi((random() % 2098) as i32 - 1074))
                        .to_bits(),
                },
                _ => match random() % 3 {
                    0 => random() % 10,
                    1 => random() % 200,
                    _ => random() as u32 as u64,
                },
            };
            leaf.write(&mut record, u128::from(bits));
        }
        let limits = Limits { instructions: 20_000, ..Limits::default() };
        let run = interpret_record(program, id, binding, signature, &record, &Default::default(), &limits);
        for event in run.events {
            let name = program.functions[event.function.index()].name.clone();
            let key = (name, event.block.0, event.instruction, event.operator.to_owned());
            *seen.entry(key).or_insert(Flags::empty()) |= event.flags & Flags::NOTABLE;
        }
    }
    seen
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
    let (mut all_pairs, mut all_open, mut all_seen) = (0, 0, 0);
    for name in &names {
        let Some(signature) = signature(&program, name) else { continue };
        let id = program.function(name).expect("a function");
        let Ok(binding) = map_parameters(&signature, &program, id) else { continue };
        let seen = seen(&program, id, &binding, &signature);
        let settled = |site: &Site| seen.get(&key(site)).copied().unwrap_or(Flags::empty());
        let start = Instant::now();
        let options = RangeOptions {
            deadline: Some(start + Duration::from_secs_f64(seconds)),
            init,
            settled: Some(&settled),
            ..RangeOptions::default()
        };
        let ranges = analyse(&program, id, &binding, &signature, &any_input, &options);
        let (mut pairs, mut open, mut own_pairs, mut own_open, mut own_seen) = (0, 0, 0, 0, 0);
        for range in &ranges.sites {
            let possible = range.site.operator.possible();
            let may = range.may_raise & possible;
            let key = (
                range.site.function.clone(),
                range.site.block,
                range.site.instruction,
                range.site.operator.to_string(),
            );
            let found = seen.get(&key).copied().unwrap_or(Flags::empty());
            pairs += possible.bits().count_ones();
            open += may.bits().count_ones();
            if range.site.function == *name {
                own_pairs += possible.bits().count_ones();
                own_open += may.bits().count_ones();
                own_seen += (found & possible).bits().count_ones();
                if !(found & (possible - may)).is_empty() {
                    println!("UNSOUND {:?} {:?}", range, found);
                }
            }
            if names.len() == 1 && !possible.is_empty() {
                let location = range.site.location.map(|id| &program.locations[id.index()]);
                let line = location.map_or(0, |location| location.line);
                let column = location.map_or(0, |location| location.column);
                println!(
                    "{}:{line}:{column} {} reached={} {:?} seen {:?}",
                    range.site.function,
                    range.site.operator,
                    range.is_reached,
                    may.names(),
                    (found & possible).names()
                );
            }
        }
        all_pairs += own_pairs;
        all_open += own_open;
        all_seen += own_seen;
        println!(
            "{name}: own {}/{own_pairs} proved {own_seen} seen, with callees {}/{pairs}; boxes {} time {:.2}s incomplete {:?} opaque {:?}",
            own_pairs - own_open,
            pairs - open,
            ranges.boxes,
            start.elapsed().as_secs_f64(),
            ranges.incomplete,
            ranges.opaque
        );
    }
    println!("all: {}/{all_pairs} seen {all_seen}", all_pairs - all_open);
}
