//! Functions that ask for one of few values of what they are given.
//!
//! What makes texts of floats goes through all of a number's digits, which execution of unknown numbers does not follow. Where a number has few
//! values, the executor takes one path for each (`labrys_few_double` and its kin).

use std::ffi::CStr;

use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBuilderRef, LLVMModuleRef, LLVMTypeRef};

use super::Value;

/// Has functions of a module, which `asks` knows by their symbols, ask for each parameter that is a float or an integer of 64 bits.
pub(super) fn ask_for_few(module: LLVMModuleRef, asks: &dyn Fn(&str) -> bool) {
    let builder = llvm!(LLVMCreateBuilderInContext(LLVMGetModuleContext(module)));
    let mut next = Value::new(llvm!(LLVMGetFirstFunction(module)));
    while let Some(function) = next {
        next = Value::new(llvm!(LLVMGetNextFunction(function.raw())));
        if function.is_defined() && asks(&function.name()) {
            ask(module, builder, function);
        }
    }
    llvm!(LLVMDisposeBuilder(builder));
}

/// The function that gives one of few values of a type.
fn request(ty: LLVMTypeRef) -> Option<&'static CStr> {
    match llvm!(LLVMGetTypeKind(ty)) {
        LLVMTypeKind::LLVMFloatTypeKind => Some(c"labrys_few_float"),
        LLVMTypeKind::LLVMDoubleTypeKind => Some(c"labrys_few_double"),
        LLVMTypeKind::LLVMIntegerTypeKind if llvm!(LLVMGetIntTypeWidth(ty)) == 64 => Some(c"labrys_few_long"),
        _ => None,
    }
}

fn ask(module: LLVMModuleRef, builder: LLVMBuilderRef, function: Value<'_>) {
    let first = llvm!(LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function.raw())));
    llvm!(LLVMPositionBuilderBefore(builder, first));
    for parameter in function.parameters() {
        let mut given = parameter.raw();
        let mut ty = llvm!(LLVMTypeOf(given));
        let Some(name) = request(ty) else { continue };
        let call = llvm!(LLVMFunctionType(ty, &mut ty, 1, 0));
        let mut callee = llvm!(LLVMGetNamedFunction(module, name.as_ptr()));
        if callee.is_null() {
            callee = llvm!(LLVMAddFunction(module, name.as_ptr(), call));
        }
        let one = llvm!(LLVMBuildCall2(builder, call, callee, &mut given, 1, c"".as_ptr()));
        llvm!(LLVMReplaceAllUsesWith(given, one));
        // Its own operand was replaced, too.
        llvm!(LLVMSetOperand(one, 0, given));
    }
}
