//! What a module holds.

use inkwell::llvm_sys::core::{
    LLVMGetFirstFunction, LLVMGetFirstGlobal, LLVMGetFirstGlobalAlias, LLVMGetNextFunction, LLVMGetNextGlobal,
    LLVMGetNextGlobalAlias,
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

    /// All aliases, in file order.
    pub(crate) fn aliases(&self) -> impl Iterator<Item = Value<'_>> {
        let first = Value::new(llvm!(LLVMGetFirstGlobalAlias(self.raw())));
        std::iter::successors(first, |alias| Value::new(llvm!(LLVMGetNextGlobalAlias(alias.raw()))))
    }
}
