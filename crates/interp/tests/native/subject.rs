//! One file of generated functions, as a program and as a shared object.

use std::path::{Path, PathBuf};
use std::process::Command;

use labrys_float::{Environment, Flags, Float, Format};
use labrys_interp::{Limits, RecordExecution, interpret_record};
use labrys_program::{
    Access, FloatType, FunctionId, IrBinding, Length, Parameter, ParameterType, Pointee, Program, ResultType,
    ScalarType, Signature, map_parameters,
};
use libloading::Library;

use crate::generator::Arguments;

type Function = unsafe extern "C" fn(f64, f64, f32, i32, i64, *mut f64, *mut i32) -> f64;

pub struct Subject {
    pub source: PathBuf,
    pub program: Program,
    library: Library,
    // The library's file must outlive it.
    _folder: tempfile::TempDir,
}

/// What one call gave.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub result: f64,
    pub v: [f64; 4],
    pub w: [i32; 4],
    pub flags: Flags,
}

impl Outcome {
    /// Equality of values: all NaNs are one.
    pub fn agrees(&self, other: &Outcome) -> bool {
        let same = |a: f64, b: f64| Float::from_f64(a).same_value(&Float::from_f64(b));
        same(self.result, other.result) && self.v.iter().zip(&other.v).all(|(a, b)| same(*a, *b)) && self.w == other.w
    }
}

fn clang(source: &Path, output: &Path, flags: &[&str], kind: &[&str]) {
    let mut command = Command::new("clang-22");
    command.args(kind).args(flags).arg("-o").arg(output).arg(source).arg("-lm");
    let result = command.output().unwrap();
    assert!(result.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&result.stderr));
}

impl Subject {
    pub fn compile(text: &str, flags: &[&str]) -> Subject {
        let folder = tempfile::tempdir().unwrap();
        let (source, bitcode, object) =
            (folder.path().join("f.c"), folder.path().join("f.bc"), folder.path().join("f.so"));
        std::fs::write(&source, text).unwrap();
        clang(&source, &bitcode, flags, &["-w", "-c", "-emit-llvm"]);
        clang(&source, &object, flags, &["-w", "-shared", "-fPIC"]);
        let program = Program::from_bitcode_file(&bitcode).unwrap();
        // SAFETY: the object was just made from our own source and has no initialisers.
        let library = unsafe { Library::new(&object) }.unwrap();
        Subject { source, program, library, _folder: folder }
    }

    pub fn native(&self, name: &str, arguments: &Arguments) -> Outcome {
        let Arguments { x, y, s, n, m, mut v, mut w } = *arguments;
        // SAFETY: every generated function has this signature and stays within the two arrays.
        let (result, flags) = unsafe {
            let function = self.library.get::<Function>(name).unwrap();
            with_flags(|| function(x, y, s, n, m, v.as_mut_ptr(), w.as_mut_ptr()))
        };
        Outcome { result, v, w, flags }
    }

    pub fn function(&self, name: &str) -> (FunctionId, IrBinding, Signature) {
        let signature = signature(name);
        let id = self.program.function(name).unwrap();
        let binding = map_parameters(&signature, &self.program, id).unwrap();
        (id, binding, signature)
    }

    /// Interprets the function; also says whether no undefined value reached the outputs.
    pub fn interpreted(&self, name: &str, arguments: &Arguments) -> (Outcome, RecordExecution) {
        let (id, binding, signature) = self.function(name);
        let layout = signature.input_layout();
        let mut record = vec![0; layout.size];
        let values = leaves(arguments);
        for (leaf, bits) in layout.leaves.iter().zip(values) {
            leaf.write(&mut record, bits);
        }
        let environment = Environment::default();
        let limits = Limits::default();
        let execution = interpret_record(&self.program, id, &binding, &signature, &record, &environment, &limits);
        let output = execution.output.as_ref().unwrap_or_else(|stop| panic!("{name} {arguments:?}: {stop}"));
        let bits: Vec<u128> = signature.output_layout().leaves.iter().map(|leaf| leaf.read(output)).collect();
        let outcome = Outcome {
            result: f64::from_bits(bits[0] as u64),
            v: std::array::from_fn(|i| f64::from_bits(bits[1 + i] as u64)),
            w: std::array::from_fn(|i| bits[5 + i] as i32),
            flags: execution.flags,
        };
        (outcome, execution)
    }
}

/// The encodings of the input leaves, in order.
pub fn leaves(arguments: &Arguments) -> Vec<u128> {
    let Arguments { x, y, s, n, m, v, w } = arguments;
    let double = |value: &f64| Float::from_f64(*value).to_u128().unwrap();
    let mut all = vec![double(x), double(y), u128::from(s.to_bits())];
    all.extend([u128::from(*n as u32), u128::from(*m as u64)]);
    all.extend(v.iter().map(double));
    all.extend(w.iter().map(|value| u128::from(*value as u32)));
    debug_assert_eq!(Format::BINARY64.width(), 64);
    all
}

fn signature(name: &str) -> Signature {
    let scalar =
        |name: &str, scalar| Parameter { name: name.to_owned(), ty: ParameterType::Value(Pointee::Scalar(scalar)) };
    let array = |name: &str, scalar| Parameter {
        name: name.to_owned(),
        ty: ParameterType::Pointer {
            pointee: Pointee::Scalar(scalar),
            length: Length::Fixed(4),
            access: Access::InOut,
        },
    };
    let (double, single) = (ScalarType::Float(FloatType::F64), ScalarType::Float(FloatType::F32));
    let int = |bits| ScalarType::Int { bits, signed: true };
    Signature {
        name: name.to_owned(),
        symbol: name.to_owned(),
        parameters: vec![
            scalar("x", double),
            scalar("y", double),
            scalar("s", single),
            scalar("n", int(32)),
            scalar("m", int(64)),
            array("v", double),
            array("w", int(32)),
        ],
        result: ResultType::Value(Pointee::Scalar(double)),
    }
}

/// Runs `call` with the status flags cleared and reads them afterwards.
#[cfg(target_arch = "x86_64")]
fn with_flags(call: impl FnOnce() -> f64) -> (f64, Flags) {
    use std::arch::asm;
    let (mut before, mut after) = (0u32, 0u32);
    // SAFETY: reads and writes the SSE control register; only status bits change, and they are restored.
    unsafe {
        asm!("stmxcsr [{}]", in(reg) &mut before, options(nostack));
        let clear = before & !0x3f;
        asm!("ldmxcsr [{}]", in(reg) &clear, options(nostack));
    }
    let result = call();
    // SAFETY: as above.
    unsafe {
        asm!("stmxcsr [{}]", in(reg) &mut after, options(nostack));
        asm!("ldmxcsr [{}]", in(reg) &before, options(nostack));
    }
    const BITS: [(Flags, u32); 5] = [
        (Flags::INVALID, 1),
        (Flags::DIVBYZERO, 4),
        (Flags::OVERFLOW, 8),
        (Flags::UNDERFLOW, 16),
        (Flags::INEXACT, 32),
    ];
    let raised = BITS.iter().filter(|(_, bit)| after & bit != 0).map(|(flag, _)| *flag);
    (result, raised.collect())
}
