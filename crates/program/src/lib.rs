//! From sources to [`Program`]s: compiler drivers, bitcode loading, signatures.
//!
//! No LLVM type crosses this crate's border: a [`Program`] is an owned arena that keeps source locations and parameter
//! names. What it cannot express is an `Unsupported` node with a reason, which ends the path that reaches it.
//!
//! ```
//! use labrys_program::{LengthOptions, Program, parse_signature};
//!
//! let ir = "define double @half(double %x) { %r = fmul double %x, 0.5 ret double %r }";
//! let program = Program::from_bytes(ir.as_bytes(), "half.ll").unwrap();
//! let half = program.function("half").unwrap();
//! assert_eq!(program.functions[half.index()].blocks[0].instructions.len(), 1);
//!
//! // Inputs are flat records: the arguments one after the other.
//! let signature = parse_signature("double half(double x)", &LengthOptions::default()).unwrap();
//! assert_eq!(signature.input_layout().leaves[0].path, "x");
//! ```

mod binding;
mod c_structs;
mod call_graph;
mod changing_globals;
mod compile;
mod contraction;
mod display;
mod dwarf;
mod fingerprint;
mod floats;
mod glue;
mod ir;
mod known;
mod layout;
mod library;
mod llvm;
mod load;
mod namesakes;
mod operands;
mod package;
mod passes;
mod prototype;
mod signature;
mod temporary;
mod ty;
mod variable_type;
mod whole;

pub use binding::{BindingError, IrBinding, IrParameter, IrPart, IrResult, map_parameters};
pub use c_structs::CStructs;
pub use call_graph::{CallGraph, indirect_targets};
pub use changing_globals::ChangingGlobals;
pub use compile::{
    Build, BuildError, BuildSpec, CompilationDatabase, Compiler, CompilerKind, Finished, FlagElement, FlagText,
    Language, Origin, ProjectFlags, START_UP, build_shared, build_shared_telling, control_spec, emit_ir, parse_build,
    run_until,
};
pub use display::ProgramDisplay;
pub use dwarf::{
    DEFAULT_CAPACITY, FunctionInfo, LengthOptions, MOST_BEYOND, SignatureError, choose_function, demangled, exports,
    functions_in, is_length, signature, signature_with_guesses,
};
pub use fingerprint::Fingerprints;
pub use glue::{Glue, cpp_caller, cpp_instance, fortran_caller, may_define};
pub use ir::*;
pub use known::{
    Allocation, ClassMask, Ending, Extreme, FloatCall, FloatOperation, Freed, HeapFamily, IntegerCall, Intrinsic,
    IntrinsicKind, KnownFunction, SIGN_OF_GAMMA, Truth, Wrapping, is_silent_symbol, points_of, reduction_steps,
};
pub use layout::{InputLayout, Leaf, OutputLayout};
pub use library::{
    FunctionFilter, LibraryBuild, LibraryError, LibraryFunction, LibraryOptions, LibraryScript, LibraryUnit,
    address_in, build_library, make_modules, may_change_results, with_directions,
};
pub use llvm::{Counters, counters, version as llvm_version};
pub use load::LoadError;
pub use package::{Beginning, CargoOptions, CrateError, CrateFunction, CratePart, CratePath, PassLimit};
pub use passes::{
    OperationPlace, Processor, Product, VariantError, VariantOptions, build_without_flags_at, fast_variant, same_code,
    same_ir,
};
pub use prototype::parse_signature;
pub use signature::{
    Access, FloatType, Length, Parameter, ParameterType, Pointee, ResultType, ScalarType, Signature, StructField,
    StructType,
};
pub use temporary::{TemporaryFolder, remove_temporary_folders};
pub use ty::{ScalarPlace, StructLayout, Type};
pub use variable_type::VariableType;
pub use whole::{
    CAUGHT_PANIC, Counted, CoverageFormat, CoverageTools, EXITS, HASH_KEYS, InputType, Instrumentation, PRINT,
    PRINT_ERROR, REPORT_ERROR, RUST_NAMES, SET_HOOK, VerifierCall, WholeError, WholeProgram, WholeSpec,
    build_executable, build_whole, catches_unwinding, input_types, is_of_fortran_alone, runtime_words, rust_path,
    variable_of_call,
};
