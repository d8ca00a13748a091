//! Modules linked, and names that must not meet.

use std::ffi::{CStr, CString, c_char};
use std::ptr;

use inkwell::llvm_sys::LLVMLinkage;
use inkwell::llvm_sys::core::{
    LLVMAddFunction, LLVMCreateMemoryBufferWithMemoryRangeCopy, LLVMDisposeMemoryBuffer, LLVMFunctionType,
    LLVMGetFirstFunction, LLVMGetFirstGlobal, LLVMGetFirstGlobalAlias, LLVMGetNamedFunction, LLVMGetNextFunction,
    LLVMGetNextGlobal, LLVMGetNextGlobalAlias, LLVMReplaceAllUsesWith, LLVMSetLinkage, LLVMSetValueName2,
    LLVMVoidTypeInContext,
};
use inkwell::llvm_sys::ir_reader::LLVMParseIRInContext2;
use inkwell::llvm_sys::linker::LLVMLinkModules2;
use inkwell::llvm_sys::prelude::LLVMModuleRef;

use super::few::ask_for_few;
use super::{Module, ParseError, Value, take_message};

/// The attribute of functions that came with a library.
pub(crate) const LIBRARY_ATTRIBUTE: &str = "labrys-library";

impl Module {
    /// Reads bitcode or textual IR and adds what it defines to this module, as a linker does. Before that, functions that the
    /// other module keeps to itself get the names that `rename` gives for theirs.
    pub(crate) fn link(
        &mut self,
        bytes: &[u8],
        name: &str,
        rename: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), ParseError> {
        let other = self.read(bytes, name)?;
        rename_internal(other, rename);
        self.join(other)
    }

    /// Reads another module into this one's context.
    fn read(&self, bytes: &[u8], name: &str) -> Result<LLVMModuleRef, ParseError> {
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
        Ok(other)
    }

    /// Adds another module of this one's context, which is consumed, whether that succeeds or not.
    fn join(&mut self, other: LLVMModuleRef) -> Result<(), ParseError> {
        match llvm!(LLVMLinkModules2(self.raw(), other)) {
            0 => Ok(()),
            _ => Err(ParseError::Invalid(self.explain(String::new()))),
        }
    }

    /// Reads bitcode and adds what this module needs of it, as a linker does with an archive: what is defined here stays as it is.
    /// Its functions have [`LIBRARY_ATTRIBUTE`]. Functions that `is_left_out` are only declared, those that `rename` knows get other names, and those
    /// that `asks` knows ask for few values.
    pub(crate) fn link_library_but(
        &mut self,
        bytes: &[u8],
        name: &str,
        is_left_out: &dyn Fn(&str) -> bool,
        rename: &dyn Fn(&str) -> Option<String>,
        asks: &dyn Fn(&str) -> bool,
    ) -> Result<(), ParseError> {
        let library = self.read(bytes, name)?;
        leave_out(library, is_left_out);
        ask_for_few(library, asks);
        rename_functions(library, true, rename);
        let mut next = Value::new(llvm!(LLVMGetFirstFunction(library)));
        while let Some(function) = next {
            next = Value::new(llvm!(LLVMGetNextFunction(function.raw())));
            if function.is_defined() {
                function.set_string_attribute(self, LIBRARY_ATTRIBUTE, "");
            }
        }
        share_all(library);
        self.join(library)
    }

    /// Adds what this module needs of others, which may need each other: as a linker does with archives that are searched again and again.
    /// Says which of them were left out, and why.
    pub(crate) fn link_needed(&mut self, others: &[(String, Vec<u8>)]) -> Result<Vec<String>, ParseError> {
        let mut left_out = Vec::new();
        let mut all: Option<LLVMModuleRef> = None;
        for (name, bytes) in others {
            let joined = self.read(bytes, name).and_then(|other| match all {
                None => {
                    all = Some(other);
                    Ok(())
                }
                Some(all) if llvm!(LLVMLinkModules2(all, other)) != 0 => {
                    Err(ParseError::Invalid(self.explain(String::new())))
                }
                Some(_) => Ok(()),
            });
            if let Err(ParseError::Malformed(why) | ParseError::Invalid(why)) = joined {
                left_out.push(format!("the IR of {name} is left out: {why}"));
            }
        }
        let Some(all) = all else { return Ok(left_out) };
        share_all(all);
        self.join(all)?;
        Ok(left_out)
    }

    /// Gives functions that are only declared the names that `rename` gives for theirs.
    pub(crate) fn rename_declarations(&mut self, rename: &dyn Fn(&str) -> Option<String>) {
        rename_functions(self.raw(), false, rename);
    }

    /// Declares a function, so that a library's definition of it is taken whoever calls it.
    pub(crate) fn declare(&mut self, name: &CStr) {
        if !llvm!(LLVMGetNamedFunction(self.raw(), name.as_ptr())).is_null() {
            return;
        }
        let nothing = llvm!(LLVMVoidTypeInContext(self.context()));
        let ty = llvm!(LLVMFunctionType(nothing, ptr::null_mut(), 0, 0));
        llvm!(LLVMAddFunction(self.raw(), name.as_ptr(), ty));
    }

    /// Gives the function of that name another.
    pub(crate) fn rename_defined(&mut self, from: &str, to: &str) {
        let mut next = Value::new(llvm!(LLVMGetFirstFunction(self.raw())));
        while let Some(function) = next {
            next = Value::new(llvm!(LLVMGetNextFunction(function.raw())));
            if function.is_defined() && function.name() == from {
                llvm!(LLVMSetValueName2(function.raw(), to.as_ptr().cast::<c_char>(), to.len()));
            }
        }
    }

    /// Renames functions that the module keeps to itself, as [`Module::link`] does.
    pub(crate) fn rename_internal(&mut self, rename: &dyn Fn(&str) -> Option<String>) {
        rename_internal(self.raw(), rename);
    }
}

/// Renames those of a module's functions that are defined, or only declared.
fn rename_functions(module: LLVMModuleRef, are_defined: bool, rename: &dyn Fn(&str) -> Option<String>) {
    let mut next = Value::new(llvm!(LLVMGetFirstFunction(module)));
    while let Some(function) = next {
        next = Value::new(llvm!(LLVMGetNextFunction(function.raw())));
        if function.is_defined() == are_defined
            && let Some(name) = rename(&function.name())
        {
            let name = CString::new(name).unwrap_or_default();
            let other = llvm!(LLVMGetNamedFunction(module, name.as_ptr()));
            if !are_defined && !other.is_null() {
                llvm!(LLVMReplaceAllUsesWith(function.raw(), other));
                continue;
            }
            let name = name.as_bytes();
            llvm!(LLVMSetValueName2(function.raw(), name.as_ptr().cast::<c_char>(), name.len()));
        }
    }
}

/// Has a module only declare the functions that are left out: their definitions lose their names and uses, so that no linker takes them.
fn leave_out(module: LLVMModuleRef, is_left_out: &dyn Fn(&str) -> bool) {
    let mut next = Value::new(llvm!(LLVMGetFirstFunction(module)));
    while let Some(function) = next {
        next = Value::new(llvm!(LLVMGetNextFunction(function.raw())));
        let name = function.name();
        if !function.is_defined() || !is_left_out(&name) {
            continue;
        }
        let spare = format!("labrys.left.out.{name}");
        llvm!(LLVMSetValueName2(function.raw(), spare.as_ptr().cast::<c_char>(), spare.len()));
        let Ok(name) = CString::new(name) else { continue };
        let ty = function.value_type().raw();
        let declared = llvm!(LLVMAddFunction(module, name.as_ptr(), ty));
        llvm!(LLVMReplaceAllUsesWith(function.raw(), declared));
    }
}

/// Has a linker take a module's definitions only where they are used and not defined already.
fn share_all(module: LLVMModuleRef) {
    let mut next = Value::new(llvm!(LLVMGetFirstFunction(module)));
    while let Some(function) = next {
        next = Value::new(llvm!(LLVMGetNextFunction(function.raw())));
        if function.is_defined() {
            share(function);
        }
    }
    let mut next = Value::new(llvm!(LLVMGetFirstGlobal(module)));
    while let Some(global) = next {
        next = Value::new(llvm!(LLVMGetNextGlobal(global.raw())));
        if global.is_defined() {
            share(global);
        }
    }
    let mut next = Value::new(llvm!(LLVMGetFirstGlobalAlias(module)));
    while let Some(alias) = next {
        next = Value::new(llvm!(LLVMGetNextGlobalAlias(alias.raw())));
        share(alias);
    }
}

/// Has a linker take a definition only where it is used and not defined already.
fn share(definition: Value<'_>) {
    if definition.is_external() {
        llvm!(LLVMSetLinkage(definition.raw(), LLVMLinkage::LLVMLinkOnceODRLinkage));
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
