//! What a variant's flags mean, as clang says.

use std::fs;
use std::process::Command;
use std::time::Instant;

use inkwell::targets::TargetMachine;

use super::error::VariantError;
use crate::compile::process;
use crate::load::parse_trusted_file;
use crate::{BuildError, Compiler, FastMath, Language};

/// How to make a variant of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantOptions {
    /// The pipeline: "O0", "O1", "O2", "O3", "Os" or "Oz".
    pub level: String,
    /// The fast-math flags that every instruction gets.
    pub fast_math: FastMath,
    /// The processor and its features in LLVM's words; `None` keeps each function's own.
    pub processor: Option<Processor>,
}

/// A processor that code is optimised for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processor {
    /// LLVM's name: `znver4`, `x86-64-v3`.
    pub name: String,
    /// LLVM's feature string: `+avx2,+fma,-avx512f`.
    pub features: String,
}

impl Default for VariantOptions {
    /// `-O3 -ffast-math` for the processor the module names.
    fn default() -> VariantOptions {
        VariantOptions { level: "O3".to_owned(), fast_math: FastMath::FAST, processor: None }
    }
}

impl Processor {
    /// The machine this runs on: `-march=native`.
    pub fn host() -> Processor {
        let name = TargetMachine::get_host_cpu_name().to_string_lossy().into_owned();
        let features = TargetMachine::get_host_cpu_features().to_string_lossy().into_owned();
        Processor { name, features }
    }
}

impl VariantOptions {
    /// What clang's flags ask of a module: its level (`-O0` where there is none), the fast-math flags, and the processor
    /// where a flag that begins with `-m` chooses one. Flags that begin otherwise than `-f`, `-m` or `-O` say nothing.
    ///
    /// Only clang knows how such flags combine, so a probe is compiled with them and its IR is read.
    ///
    /// # Errors
    ///
    /// clang is missing, or rejects the flags.
    pub fn from_flags(flags: &[String], deadline: Instant) -> Result<VariantOptions, VariantError> {
        let meant: Vec<&String> =
            flags.iter().filter(|flag| ["-f", "-m", "-O"].iter().any(|start| flag.starts_with(start))).collect();
        let clang = Compiler::find("clang", Language::Ir, deadline)?;
        let failed = |source| VariantError::Compiler(BuildError::Run { name: clang.name.clone(), source });
        let folder = tempfile::tempdir().map_err(failed)?;
        let (source, product) = (folder.path().join("probe.c"), folder.path().join("probe.bc"));
        fs::write(&source, "double f(double x, double y) { return x / y; }\n").map_err(failed)?;
        let mut command = Command::new(&clang.executable);
        command.args(&meant).args(["-c", "-emit-llvm", "-w", "-x", "c"]).arg(&source).arg("-o").arg(&product);
        let finished = process::run(&mut command, &clang.name, deadline)?;
        if !finished.status.success() {
            let flags = meant.iter().map(|flag| flag.as_str()).collect::<Vec<_>>().join(" ");
            return Err(VariantError::Flags { flags, message: finished.stderr.trim().to_owned() });
        }
        let module = parse_trusted_file(&product)?;
        let mut options = VariantOptions { level: level(&meant), fast_math: FastMath::default(), processor: None };
        let Some(function) = module.functions().find(|function| function.name() == "f") else { return Ok(options) };
        let mut instructions = function.blocks().flat_map(|block| block.instructions());
        if let Some(division) = instructions.find(|it| it.takes_fast_math() && it.operand_count() == 2) {
            options.fast_math = division.fast_math();
        }
        if meant.iter().any(|flag| flag.starts_with("-m")) {
            let attribute = |key| function.string_attribute(key).unwrap_or_default();
            options.processor =
                Some(Processor { name: attribute("target-cpu"), features: attribute("target-features") });
        }
        Ok(options)
    }
}

/// Whether the last `-O` asks for an optimiser.
pub(crate) fn is_optimised(flags: &[String]) -> bool {
    level(&Vec::from_iter(flags)) != "O0"
}

/// The pipeline of the last `-O`, as clang reads it.
fn level(flags: &[&String]) -> String {
    let last = flags.iter().rev().find_map(|flag| flag.strip_prefix("-O"));
    match last {
        None | Some("0") => "O0",
        Some("" | "1" | "g") => "O1",
        Some("2") => "O2",
        Some("s") => "Os",
        Some("z") => "Oz",
        // `-O3`, `-Ofast`, and higher numbers.
        Some(_) => "O3",
    }
    .to_owned()
}
