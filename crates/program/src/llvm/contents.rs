//! What a module holds.

use std::ffi::c_char;

use inkwell::llvm_sys::LLVMAttributeFunctionIndex;
use inkwell::llvm_sys::core::{
    LLVMAddAttributeAtIndex, LLVMCreateEnumAttribute, LLVMGetEnumAttributeKindForName, LLVMGetFirstFunction,
    LLVMGetFirstGlobal, LLVMGetFirstGlobalAlias, LLVMGetNextFunction, LLVMGetNextGlobal, LLVMGetNextGlobalAlias,
};

use super::{Module, Value};

impl Module {
    /// All functions, in file order.
    pub(crate) fn functions(&self) -> impl Iterator<Item = Value<'_>> {
        let first = Value::new(llvm!(LLVMGetFirstFunction(self.raw())));
        std::iter::successors(first, |function| Value::new(llvm!(LLVMGetNextFunction(function.raw()))))
    }

    /// All global variables, in file order.
    pub(crate) fn globals(&self) -> impl Iterator<Item = Value<'_>> {
        let first = Value::new(llvm!(LLVMGetFirstGlobal(self.raw())));
        std::iter::successors(first, |global| Value::new(llvm!(LLVMGetNextGlobal(global.raw()))))
    }

    /// The names of functions and variables that need not be defined anywhere, and are not here.
    pub(crate) fn weak_declarations(&self) -> impl Iterator<Item = String> {
        self.functions().chain(self.globals()).filter(|value| value.is_weak_declaration()).map(Value::name)
    }

    /// All aliases, in file order.
    pub(crate) fn aliases(&self) -> impl Iterator<Item = Value<'_>> {
        let first = Value::new(llvm!(LLVMGetFirstGlobalAlias(self.raw())));
        std::iter::successors(first, |alias| Value::new(llvm!(LLVMGetNextGlobalAlias(alias.raw()))))
    }

    /// Gives every function an attribute that takes no value; one that LLVM does not know is none.
    pub(crate) fn add_to_functions(&self, attribute: &str) {
        let kind = llvm!(LLVMGetEnumAttributeKindForName(attribute.as_ptr().cast::<c_char>(), attribute.len()));
        if kind == 0 {
            return;
        }
        let attribute = llvm!(LLVMCreateEnumAttribute(self.context(), kind, 0));
        for function in self.functions().filter(|function| function.intrinsic_name().is_none()) {
            llvm!(LLVMAddAttributeAtIndex(function.raw(), LLVMAttributeFunctionIndex, attribute));
        }
    }
}
