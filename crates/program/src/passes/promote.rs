//! Local variables of unoptimised code as values: LLVM's `mem2reg`, and nothing else.
//!
//! The result computes what the module computes, operation by operation: `mem2reg` replaces loads and stores of scalar
//! locals by the values themselves and adds phis. It neither adds, removes, moves nor speculates any other instruction,
//! so that every floating-point operation of the unoptimised build has its counterpart, executed as often and in the
//! same order. `sroa`, which would promote structs too, is not run: it deletes computations whose results are
//! stored into a struct that nobody reads, and native code executes those.

use std::path::Path;

use crate::llvm::{Module, on_large_stack};
use crate::load::{load, parse, parse_file, with_library_code};
use crate::{LoadError, Program};

impl Program {
    /// Reads a file of textual IR or bitcode as [`Program::from_ir_file`] does, scalar locals made values.
    ///
    /// # Errors
    ///
    /// Those of [`Program::from_ir_file`], and [`LoadError::Invalid`] with LLVM's words if the pass fails.
    pub fn from_ir_file_promoted(path: &Path) -> Result<Program, LoadError> {
        Program::from_ir_file_promoted_with(path, None)
    }

    /// As [`Program::from_ir_file_promoted`], with the code that the module needs of C's library and flang's runtime, of which `library` has the IR.
    ///
    /// # Errors
    ///
    /// Those too that linking it has.
    pub fn from_ir_file_promoted_with(path: &Path, library: Option<&Path>) -> Result<Program, LoadError> {
        let name = path.display().to_string();
        let loaded = on_large_stack(|| load(&promoted(with_library_code(parse_file(path)?, library)?, &name)?, &name));
        loaded.unwrap_or_else(|source| Err(LoadError::Read { name: name.clone(), source }))
    }

    /// Reads textual IR or bitcode as [`Program::from_bytes`] does, scalar locals made values.
    ///
    /// # Errors
    ///
    /// As [`Program::from_ir_file_promoted`].
    ///
    /// ```
    /// use labrys_program::Program;
    ///
    /// let text = "define double @same(double %x) { %a = alloca double store double %x, ptr %a
    ///     %y = load double, ptr %a ret double %y }";
    /// let program = Program::from_bytes_promoted(text.as_bytes(), "same.ll").unwrap();
    /// assert!(program.functions[0].blocks[0].instructions.is_empty());
    /// ```
    pub fn from_bytes_promoted(bytes: &[u8], name: &str) -> Result<Program, LoadError> {
        Program::from_bytes_promoted_with(bytes, name, None)
    }

    /// As [`Program::from_bytes_promoted`], with the code that the module needs of C's library and flang's runtime, of which `library` has the IR.
    ///
    /// # Errors
    ///
    /// Those too that linking it has.
    pub fn from_bytes_promoted_with(bytes: &[u8], name: &str, library: Option<&Path>) -> Result<Program, LoadError> {
        load(&promoted(with_library_code(parse(bytes, name)?, library)?, name)?, name)
    }
}

fn promoted(module: Module, name: &str) -> Result<Module, LoadError> {
    for function in module.functions() {
        // Passes leave functions with this attribute alone.
        function.remove_function_attribute("optnone");
    }
    module
        .run_generic_passes(c"function(mem2reg)")
        .and_then(|()| module.verify())
        .map_err(|message| LoadError::Invalid { name: name.to_owned(), message })?;
    Ok(module)
}
