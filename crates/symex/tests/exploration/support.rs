//! C programs compiled to the IR, with signatures of plain scalars and arrays.

use std::path::Path;
use std::process::Command;

use labrys_program::{
    Access, FloatType, FunctionId, IrBinding, Length, Parameter, ParameterType, Pointee, Program, ResultType,
    ScalarType, Signature, map_parameters,
};
use labrys_symex::{EveryPath, Exploration, Intervals, Options, explore};
use labrys_term::Store;

pub const DOUBLE: ScalarType = ScalarType::Float(FloatType::F64);
pub const FLOAT: ScalarType = ScalarType::Float(FloatType::F32);
pub const INT: ScalarType = ScalarType::Int { bits: 32, signed: true };

/// A function ready to be explored.
pub struct Subject {
    pub program: Program,
    pub function: FunctionId,
    pub binding: IrBinding,
    pub signature: Signature,
}

/// Compiles `source` with clang-22 and `flags`.
pub fn compile(source: &Path, flags: &[&str]) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("program.bc");
    let mut command = Command::new("clang-22");
    command.args(["-c", "-emit-llvm", "-g", "-o"]).arg(&output).args(flags).arg(source);
    let result = command.output().unwrap();
    assert!(result.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&result.stderr));
    Program::from_bitcode_file(&output).unwrap()
}

/// Compiles a text.
pub fn compile_text(text: &str, flags: &[&str]) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source.c");
    std::fs::write(&source, text).unwrap();
    compile(&source, flags)
}

pub fn value(name: &str, scalar: ScalarType) -> Parameter {
    Parameter { name: name.to_owned(), ty: ParameterType::Value(Pointee::Scalar(scalar)) }
}

pub fn array(name: &str, scalar: ScalarType, count: u64, access: Access) -> Parameter {
    let pointee = Pointee::Scalar(scalar);
    Parameter { name: name.to_owned(), ty: ParameterType::Pointer { pointee, length: Length::Fixed(count), access } }
}

/// The function `name` of a program, returning `result`.
pub fn subject(program: Program, name: &str, parameters: Vec<Parameter>, result: ScalarType) -> Subject {
    let signature = Signature {
        name: name.to_owned(),
        symbol: name.to_owned(),
        parameters,
        result: ResultType::Value(Pointee::Scalar(result)),
    };
    let function = program.function(name).unwrap();
    let binding = map_parameters(&signature, &program, function).unwrap();
    Subject { program, function, binding, signature }
}

/// The path of one of the example programs.
pub fn example(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// Explores with the default options.
pub fn run(subject: &Subject, store: &mut Store) -> Exploration {
    run_with(subject, store, &Options::default())
}

/// Explores, taking every path for possible.
pub fn run_with(subject: &Subject, store: &mut Store, options: &Options) -> Exploration {
    let Subject { program, function, binding, signature } = subject;
    explore(program, *function, binding, signature, store, options, &mut EveryPath)
}

/// Explores, asking the intervals.
pub fn run_pruned(subject: &Subject, store: &mut Store, options: &Options) -> Exploration {
    let Subject { program, function, binding, signature } = subject;
    explore(program, *function, binding, signature, store, options, &mut Intervals::default())
}

/// Parameters of type double.
pub fn doubles(names: &[&str]) -> Vec<Parameter> {
    names.iter().map(|name| value(name, DOUBLE)).collect()
}
