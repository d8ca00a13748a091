//! A small source as a program, the shadow of one of its functions in a worker, and its MPFR twin.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use labrys_elementary::rug;
use labrys_float::Flags;
use labrys_interp::precise::{PreciseExecution, Twin};
use labrys_interp::{Datum, Limits};
use labrys_native::{Driver, Filling, Observation, Outcome, Startup, Tracing, Worker, WorkerConfig, WorkerLimits};
use labrys_program::{
    FunctionId, IrBinding, LengthOptions, Program, ScalarType, Signature, map_parameters, parse_signature,
};
use labrys_shadow::{Shadow, ShadowRecord, lower};

/// Bits of the twin's numbers.
pub const PRECISION: u32 = 400;

/// A file compiled twice: to IR, and to the shared object that runs.
pub struct Source {
    folder: tempfile::TempDir,
    pub program: Program,
    pub library: PathBuf,
}

/// One function of a file.
pub struct Subject<'s> {
    pub program: &'s Program,
    pub function: FunctionId,
    pub binding: IrBinding,
    pub signature: Signature,
    pub shadow: Shadow,
    shadowed: Worker,
    plain: Worker,
    init: Option<FunctionId>,
}

/// What the program and its shadow made of one input.
pub struct Call {
    pub plain: Observation,
    pub shadowed: Observation,
    pub record: ShadowRecord,
}

fn run(command: &mut Command) {
    let output = command.output().expect("the compiler runs");
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// A worker for a function of a library, with its initialiser and its address where symbols do not tell it.
pub fn worker(
    library: &Path,
    signature: &Signature,
    folder: &Path,
    (init, address): (Option<String>, Option<u64>),
) -> Worker {
    let config = WorkerConfig {
        command: vec![env!("CARGO_BIN_EXE_labrys-shadow-worker").into()],
        library: library.to_owned(),
        signature: signature.clone(),
        address,
        init,
        binds_lazily: true,
        driver: Driver::cached(signature, folder).expect("a driver"),
        startup: Startup::Loaded,
        filling: Filling::Zeros,
        tracing: Tracing::TrapThenStep,
        limits: WorkerLimits::default(),
    };
    Worker::spawn(config).expect("a worker")
}

/// Whether the shadow's own outputs are the program's, bit by bit; NaNs are all the same.
pub fn own_is_plain(shadow: &Shadow, signature: &Signature, plain: &Observation, shadowed: &Observation) -> bool {
    if plain.outcome != Outcome::Returned || shadowed.outcome != Outcome::Returned {
        return plain.outcome == shadowed.outcome;
    }
    let own = shadow.own(&shadowed.output);
    signature.output_layout().leaves.iter().all(|leaf| match (leaf.float(own), leaf.float(&plain.output)) {
        (Some(a), Some(b)) if a.is_nan() && b.is_nan() => true,
        _ => leaf.read(own) == leaf.read(&plain.output),
    })
}

impl Source {
    /// C, by clang at -O0.
    pub fn c(text: &str) -> Source {
        Source::of("clang-22", "f.c", text, &["-O0"])
    }

    /// A file by a compiler.
    pub fn of(compiler: &str, name: &str, text: &str, flags: &[&str]) -> Source {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        let (source, bitcode, library) = (at(name), at("f.bc"), at("f.so"));
        std::fs::write(&source, text).expect("a writable folder");
        let command = |more: &[&str], output: &Path| {
            let mut command = Command::new(compiler);
            command.args(flags).args(["-g", "-w", "-fPIC", "-ffp-contract=off"]).args(more);
            command.current_dir(folder.path()).arg("-o").arg(output).arg(&source);
            command
        };
        run(&mut command(&["-c", "-emit-llvm"], &bitcode));
        run(command(&["-shared"], &library).arg("-lm"));
        let bytes = std::fs::read(&bitcode).expect("bitcode");
        let program = Program::from_bytes_promoted(&bytes, "f.bc").expect("a program");
        Source { folder, program, library }
    }

    /// A function with a prototype in C.
    pub fn subject(&self, prototype: &str) -> Subject<'_> {
        let signature = parse_signature(prototype, &LengthOptions::default()).expect("a prototype");
        self.subject_of(signature, None)
    }

    /// A function with a signature.
    pub fn subject_of(&self, signature: Signature, init: Option<&str>) -> Subject<'_> {
        let program = &self.program;
        let function = program.function(&signature.symbol).expect("the function");
        let binding = map_parameters(&signature, program, function).expect("a binding");
        let initialiser = init.map(|init| program.function(init).expect("the initialiser"));
        let shadow = lower(program, function, &binding, &signature, initialiser).expect("a shadow");
        let folder = self.folder.path().join(format!("shadow-{}", signature.symbol));
        std::fs::create_dir_all(&folder).expect("a writable folder");
        let deadline = Instant::now() + Duration::from_secs(100);
        let build = shadow.compile(&folder, &[], deadline).unwrap_or_else(|error| {
            panic!("{error} {:?}", std::error::Error::source(&error).map(ToString::to_string));
        });
        let worker = |library: &Path, signature: &Signature, init: Option<String>| {
            worker(library, signature, self.folder.path(), (init, None))
        };
        let shadowed = worker(&build.library, &shadow.signature, shadow.init.clone());
        let plain = worker(&self.library, &signature, init.map(str::to_owned));
        Subject { program, function, binding, signature, shadow, shadowed, plain, init: initialiser }
    }
}

impl Subject<'_> {
    /// An input record with these values, which become integers where the leaf is one.
    pub fn input(&self, values: &[f64]) -> Vec<u8> {
        let layout = self.signature.input_layout();
        let mut record = vec![0; layout.size];
        for (leaf, value) in layout.leaves.iter().zip(values) {
            let bits = match leaf.scalar {
                ScalarType::Float(labrys_program::FloatType::F32) => u128::from((*value as f32).to_bits()),
                ScalarType::Float(labrys_program::FloatType::F64) => u128::from(value.to_bits()),
                ScalarType::Float(float) => {
                    let environment = labrys_float::Environment::default();
                    let converted = environment.convert(&labrys_float::Float::from_f64(*value), float.format());
                    converted.value.to_u128().expect("80 bits")
                }
                _ => *value as i64 as u128,
            };
            leaf.write(&mut record, bits);
        }
        record
    }

    /// Runs the program and its shadow.
    pub fn run(&mut self, inputs: &[Vec<u8>]) -> Vec<Call> {
        let plain = self.plain.run(inputs, Flags::empty()).expect("the worker runs");
        let shadowed = self.shadowed.run(inputs, Flags::empty()).expect("the worker runs");
        (plain.into_iter().zip(shadowed))
            .map(|(plain, shadowed)| {
                let record = self.shadow.read(&shadowed.output);
                Call { plain, shadowed, record }
            })
            .collect()
    }

    /// Runs one input of doubles and integers.
    pub fn call(&mut self, values: &[f64]) -> Call {
        let input = self.input(values);
        self.run(&[input]).pop().expect("one observation")
    }

    /// Whether the shadow's own outputs are the program's.
    pub fn own_is_plain(&self, call: &Call) -> bool {
        own_is_plain(&self.shadow, &self.signature, &call.plain, &call.shadowed)
    }

    /// What the MPFR twin makes of an input.
    pub fn precise(&self, input: &[u8]) -> PreciseExecution {
        let mut twin = Twin::new(self.program, self.init, Limits::default());
        twin.call(self.function, &self.binding, &self.signature, input, PRECISION)
    }

    /// For each float output the distance of its shadow from the twin's value, in bits: 96 where it is 2^−96 of the value.
    /// Both zero, or both not finite, is very close.
    pub fn bits(&self, call: &Call, precise: &PreciseExecution) -> Vec<f64> {
        let outputs = precise.outputs.as_ref().expect("the twin returns");
        let leaves = self.signature.output_layout().leaves;
        let floats = leaves.iter().zip(outputs).filter(|(leaf, _)| leaf.float(&[]).is_some());
        let truths = floats.map(|(_, scalar)| match &scalar.datum {
            Datum::Float(value) => value.value().clone(),
            _ => rug::Float::with_val(PRECISION, f64::NAN),
        });
        truths.zip(&call.record.outputs).map(|(truth, shadow)| agreement(&truth, shadow.high, shadow.low)).collect()
    }
}

/// The bits in which a double word agrees with a value.
pub fn agreement(truth: &rug::Float, high: f64, low: f64) -> f64 {
    let shadow = rug::Float::with_val(2500, high) + low;
    let difference = rug::Float::with_val(2500, &shadow - truth).abs();
    if difference.is_zero() || (!truth.is_finite() && !shadow.is_finite()) {
        return f64::INFINITY;
    }
    if !difference.is_finite() || truth.is_zero() {
        return f64::NEG_INFINITY;
    }
    -rug::Float::with_val(100, difference / rug::Float::with_val(100, truth.abs_ref())).log2().to_f64()
}
