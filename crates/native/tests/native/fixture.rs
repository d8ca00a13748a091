//! A small C source built into a shared object, and a worker for it.

use std::process::Command;

use labrys_float::Flags;
use labrys_native::{
    Confirmation, Confirmer, Driver, Filling, NativeError, Observation, Startup, Tracing, Worker, WorkerConfig,
    WorkerLimits,
};
use labrys_program::{
    FloatType, InputLayout, OutputLayout, Parameter, ParameterType, Pointee, ResultType, ScalarType, Signature,
};

/// C's `double`.
pub const F64: ScalarType = ScalarType::Float(FloatType::F64);

/// `f` of scalars `x0`, `x1`, … with a scalar result.
pub fn of_scalars(parameters: &[ScalarType], result: ScalarType) -> Signature {
    let parameter = |(i, scalar): (usize, &ScalarType)| Parameter {
        name: format!("x{i}"),
        ty: ParameterType::Value(Pointee::Scalar(*scalar)),
    };
    Signature {
        name: "f".to_owned(),
        symbol: "f".to_owned(),
        parameters: parameters.iter().enumerate().map(parameter).collect(),
        result: ResultType::Value(Pointee::Scalar(result)),
    }
}

/// `f(x)` of one scalar type.
pub fn unary(scalar: ScalarType) -> Signature {
    of_scalars(&[scalar], scalar)
}

/// A library, its driver and how to run it.
pub struct Fixture {
    _folder: tempfile::TempDir,
    pub config: WorkerConfig,
    pub inputs: InputLayout,
    pub outputs: OutputLayout,
}

impl Fixture {
    /// Builds `source` with clang-22 and these flags.
    pub fn new(source: &str, flags: &[&str]) -> Fixture {
        Fixture::of_signature("clang-22", source, unary(F64), flags)
    }

    /// Builds `source` with a compiler for a signature.
    pub fn of_signature(compiler: &str, source: &str, signature: Signature, flags: &[&str]) -> Fixture {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("f.c");
        std::fs::write(&file, source).expect("a writable folder");
        let library = folder.path().join("f.so");
        let built = Command::new(compiler)
            .args(["-g", "-w", "-shared", "-fPIC", "-fno-builtin"])
            .args(flags)
            .arg("-o")
            .arg(&library)
            .arg(&file)
            .arg("-lm")
            .output()
            .expect("the compiler runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let (inputs, outputs) = (signature.input_layout(), signature.output_layout());
        let driver = Driver::compile(&signature, folder.path()).expect("the driver compiles");
        let config = WorkerConfig {
            command: vec![env!("CARGO_BIN_EXE_labrys-native-worker").into()],
            library,
            signature,
            address: None,
            init: None,
            binds_lazily: true,
            driver,
            startup: Startup::Loaded,
            filling: Filling::Zeros,
            tracing: Tracing::TrapThenStep,
            limits: WorkerLimits::default(),
        };
        Fixture { _folder: folder, config, inputs, outputs }
    }

    pub fn worker(&self) -> Worker {
        self.try_worker().expect("a worker")
    }

    pub fn worker_with(&self, limits: WorkerLimits) -> Worker {
        Worker::spawn(WorkerConfig { limits, ..self.config.clone() }).expect("a worker")
    }

    pub fn try_worker(&self) -> Result<Worker, NativeError> {
        Worker::spawn(self.config.clone())
    }

    /// A record with these values in its leaves.
    pub fn record(&self, values: &[f64]) -> Vec<u8> {
        let mut record = vec![0; self.inputs.size];
        for (leaf, value) in self.inputs.leaves.iter().zip(values) {
            let bits = if leaf.scalar.size() == 4 {
                u128::from((*value as f32).to_bits())
            } else {
                u128::from(value.to_bits())
            };
            leaf.write(&mut record, bits);
        }
        record
    }

    /// Traces one input, and repeats that with every filling.
    pub fn confirm(&self, values: &[f64]) -> Confirmation {
        let record = self.record(values);
        let observation = self.worker().trace(&record, Flags::NOTABLE).expect("the worker runs");
        let mut confirmer = Confirmer::new(self.config.clone());
        confirmer.confirm(observation, &record, Flags::NOTABLE).expect("the worker runs")
    }

    /// The first output as a double.
    pub fn result(&self, observation: &Observation) -> f64 {
        f64::from_bits(self.outputs.leaves[0].read(&observation.output) as u64)
    }
}
