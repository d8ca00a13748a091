//! Modules linked, and names that must not meet.

use std::ffi::{CString, c_char};
use std::ptr;

use inkwell::llvm_sys::core::{
    LLVMCreateMemoryBufferWithMemoryRangeCopy, LLVMDisposeMemoryBuffer, LLVMGetFirstFunction, LLVMGetNextFunction,
    LLVMSetValueName2,
};
use inkwell::llvm_sys::ir_reader::LLVMParseIRInContext2;
use inkwell::llvm_sys::linker::LLVMLinkModules2;
use inkwell::llvm_sys::prelude::LLVMModuleRef;

use super::{Module, ParseError, Value, take_message};

impl Module {
    /// Reads bitcode or textual IR and adds what it defines to this module, as a linker does. Before that, functions that the
    /// other module keeps to itself get the names that `rename` gives for theirs.
    pub(crate) fn link(
        &mut self,
        bytes: &[u8],
        name: &str,
        rename: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), ParseError> {
        let name = CString::new(name).unwrap_or_default();
        let start = bytes.as_ptr().cast::<c_char>();
        let buffer = llvm!(LLVMCreateMemoryBufferWithMemoryRangeCopy(start, bytes.len(), name.as_ptr()));
        let (mut other, mut message) = (ptr::null_mut(), ptr::null_mut());
        let failed = llvm!(LLVMParseIRInContext2(self.context(), buffer, &mut other, &mut message)) != 0;
        llvm!(LLVMDisposeMemoryBuffer(buffer));
        let message = take_message(message);
        if failed || other.is_null() {
            return Err(ParseError::Malformed(self.explain(message)));
        }
        rename_internal(other, rename);
        // The other module is consumed, whether that succeeds or not.
        if llvm!(LLVMLinkModules2(self.raw(), other)) != 0 {
            return Err(ParseError::Invalid(self.explain(String::new())));
        }
        Ok(())
    }

    /// Renames functions that the module keeps to itself, as [`Module::link`] does.
    pub(crate) fn rename_internal(&mut self, rename: &dyn Fn(&str) -> Option<String>) {
        rename_internal(self.raw(), rename);
    }
}

/// Gives the functions that are not visible to other modules, and that `rename` knows, their new names.
fn rename_internal(module: LLVMModuleRef, rename: &dyn Fn(&str) -> Option<String>) {
    let mut next = Value::new(llvm!(LLVMGetFirstFunction(module)));
    while let Some(function) = next {
        next = Value::new(llvm!(LLVMGetNextFunction(function.raw())));
        if !function.is_external()
            && let Some(name) = rename(&function.name())
        {
            llvm!(LLVMSetValueName2(function.raw(), name.as_ptr().cast::<c_char>(), name.len()));
        }
    }
}
