//! Compiles small sources with the installed compilers.

use std::path::{Path, PathBuf};
use std::process::Command;

use labrys_program::{Function, InstructionKind, Program};
use tempfile::TempDir;

/// A folder with one source in it.
pub struct Source {
    folder: TempDir,
    name: &'static str,
}

impl Source {
    /// The suffix of `name` chooses the compiler.
    pub fn new(name: &'static str, text: &str) -> Source {
        let folder = TempDir::new().expect("a temporary folder");
        std::fs::write(folder.path().join(name), text).expect("the source is written");
        Source { folder, name }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Compiles to bitcode with debug information.
    pub fn bitcode(&self, flags: &str) -> PathBuf {
        let output = self.path("out.bc");
        let (compiler, own): (_, &[&str]) = match Path::new(self.name).extension().and_then(|it| it.to_str()) {
            Some("c") => ("clang-22", &["-c", "-emit-llvm", "-o"]),
            Some("cpp") => ("clang++-22", &["-c", "-emit-llvm", "-o"]),
            Some("f90") => ("flang-22", &["-c", "-emit-llvm", "-o"]),
            _ => ("rustc", &["--crate-type=lib", "--emit=llvm-bc", "-Awarnings", "-o"]),
        };
        let mut command = Command::new(compiler);
        command.current_dir(self.folder.path()).arg("-g").args(flags.split_whitespace()).args(own);
        let result = command.arg(&output).arg(self.name).output().expect("the compiler is installed");
        assert!(result.status.success(), "{command:?}: {}", String::from_utf8_lossy(&result.stderr));
        output
    }

    pub fn program(&self, flags: &str) -> Program {
        Program::from_bitcode_file(&self.bitcode(flags)).expect("the compiler's bitcode loads")
    }
}

/// The function of that symbol.
pub fn function<'p>(program: &'p Program, name: &str) -> &'p Function {
    &program.functions[program.function(name).unwrap_or_else(|| panic!("{name} is in the program")).index()]
}

/// All instructions of a function.
pub fn kinds(function: &Function) -> Vec<&InstructionKind> {
    function.blocks.iter().flat_map(|block| &block.instructions).map(|instruction| &instruction.kind).collect()
}
