//! A module with its context.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;

use inkwell::llvm_sys::LLVMDiagnosticSeverity;
use inkwell::llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use inkwell::llvm_sys::bit_writer::LLVMWriteBitcodeToFile;
use inkwell::llvm_sys::core::{
    LLVMContextCreate, LLVMContextDispose, LLVMContextSetDiagnosticHandler, LLVMCreateMemoryBufferWithMemoryRangeCopy,
    LLVMDisposeMemoryBuffer, LLVMDisposeModule, LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity,
    LLVMGetModuleInlineAsm, LLVMGetTarget,
};
use inkwell::llvm_sys::debuginfo::{
    LLVMCreateDIBuilderDisallowUnresolved, LLVMDIBuilderCreateExpression, LLVMDIBuilderFinalize, LLVMDisposeDIBuilder,
};
use inkwell::llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use inkwell::llvm_sys::ir_reader::LLVMParseIRInContext2;
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMDiagnosticInfoRef, LLVMModuleRef};
use inkwell::llvm_sys::target::{
    LLVMByteOrder, LLVMByteOrdering, LLVMGetModuleDataLayout, LLVMPointerSize, LLVMTargetDataRef,
};
use inkwell::llvm_sys::target_machine::LLVMTargetMachineRef;
use inkwell::llvm_sys::transforms::pass_builder::LLVMRunPasses;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::TargetMachine;

use super::{Metadata, copy_text, take_message};

/// What LLVM said while it worked on a module.
type Diagnostics = RefCell<Vec<String>>;

/// A module and the context it lives in.
pub(crate) struct Module {
    context: LLVMContextRef,
    module: LLVMModuleRef,
    /// Errors that the context reported. Boxed: the context holds its address.
    diagnostics: Box<Diagnostics>,
}

/// Why bytes are not a module.
#[derive(Debug)]
pub(crate) enum ParseError {
    /// They cannot be read as IR.
    Malformed(String),
    /// They can, but the verifier rejects what they say.
    Invalid(String),
}

/// Collects errors. Without a handler LLVM prints them and ends the process.
extern "C" fn collect(info: LLVMDiagnosticInfoRef, diagnostics: *mut c_void) {
    if llvm!(LLVMGetDiagInfoSeverity(info)) != LLVMDiagnosticSeverity::LLVMDSError {
        return;
    }
    let message = take_message(llvm!(LLVMGetDiagInfoDescription(info)));
    // SAFETY: the pointer is the box of the `Module` whose context calls, which outlives the context.
    let diagnostics = unsafe { &*diagnostics.cast::<Diagnostics>() };
    if let Ok(mut messages) = diagnostics.try_borrow_mut() {
        messages.push(message);
    }
}

impl Module {
    /// Reads bitcode or textual IR and verifies it. `name` stands in messages.
    pub(crate) fn parse(bytes: &[u8], name: &str) -> Result<Module, ParseError> {
        let diagnostics: Box<Diagnostics> = Box::default();
        let context = llvm!(LLVMContextCreate());
        let handle = ptr::from_ref::<Diagnostics>(&diagnostics).cast_mut().cast::<c_void>();
        llvm!(LLVMContextSetDiagnosticHandler(context, Some(collect), handle));
        let mut parsed = Module { context, module: ptr::null_mut(), diagnostics };

        let name = CString::new(name).unwrap_or_default();
        let start = bytes.as_ptr().cast::<c_char>();
        let buffer = llvm!(LLVMCreateMemoryBufferWithMemoryRangeCopy(start, bytes.len(), name.as_ptr()));
        let mut message = ptr::null_mut();
        let failed = llvm!(LLVMParseIRInContext2(context, buffer, &mut parsed.module, &mut message)) != 0;
        llvm!(LLVMDisposeMemoryBuffer(buffer));
        let message = take_message(message);
        if failed || parsed.module.is_null() {
            parsed.module = ptr::null_mut();
            return Err(ParseError::Malformed(parsed.explain(message)));
        }
        parsed.verify().map_err(ParseError::Invalid)?;
        Ok(parsed)
    }

    /// Checks LLVM's rules for IR.
    pub(crate) fn verify(&self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
        let broken = llvm!(LLVMVerifyModule(self.module, action, &mut message)) != 0;
        let message = take_message(message);
        if broken { Err(self.explain(message)) } else { Ok(()) }
    }

    /// LLVM's message, or what the diagnostic handler heard where that is empty.
    pub(crate) fn explain(&self, message: String) -> String {
        let message = if message.trim().is_empty() { self.diagnostics.borrow().join("; ") } else { message };
        if message.contains("'wchar_size'") {
            return "wchar_t has another size in one of them (-fshort-wchar); the C library's has 4 bytes".to_owned();
        }
        if message.trim().is_empty() { "LLVM gives no reason".to_owned() } else { message.trim().to_owned() }
    }

    /// Writes bitcode; whether that succeeded.
    pub(crate) fn write_bitcode(&self, path: &CStr) -> bool {
        llvm!(LLVMWriteBitcodeToFile(self.module, path.as_ptr())) == 0
    }

    /// The target triple.
    pub(crate) fn triple(&self) -> String {
        let start = llvm!(LLVMGetTarget(self.module));
        if start.is_null() { String::new() } else { copy_text(start, llvm!(CStr::from_ptr(start)).to_bytes().len()) }
    }

    /// Assembly that stands beside the functions.
    pub(crate) fn inline_assembly(&self) -> String {
        let mut length = 0;
        let start = llvm!(LLVMGetModuleInlineAsm(self.module, &mut length));
        copy_text(start, length)
    }

    /// Sizes and offsets on the target.
    pub(crate) fn layout(&self) -> LLVMTargetDataRef {
        llvm!(LLVMGetModuleDataLayout(self.module))
    }

    /// Whether memory is little-endian and pointers have 64 bits.
    pub(crate) fn is_little_endian_64(&self) -> bool {
        let layout = self.layout();
        llvm!(LLVMByteOrder(layout)) == LLVMByteOrdering::LLVMLittleEndian && llvm!(LLVMPointerSize(layout)) == 8
    }

    /// Runs a pipeline of passes for a machine.
    pub(crate) fn run_passes(
        &self,
        pipeline: &CStr,
        machine: &TargetMachine,
        options: &PassBuilderOptions,
    ) -> Result<(), String> {
        self.run_pipeline(pipeline, machine.as_mut_ptr(), options)
    }

    /// Runs a pipeline of passes that ask nothing of a machine.
    pub(crate) fn run_generic_passes(&self, pipeline: &CStr) -> Result<(), String> {
        self.run_pipeline(pipeline, ptr::null_mut(), &PassBuilderOptions::create())
    }

    fn run_pipeline(
        &self,
        pipeline: &CStr,
        machine: LLVMTargetMachineRef,
        options: &PassBuilderOptions,
    ) -> Result<(), String> {
        // A null machine is allowed: the passes then know nothing of the target.
        let error = llvm!(LLVMRunPasses(self.module, pipeline.as_ptr(), machine, options.as_mut_ptr()));
        if error.is_null() {
            return Ok(());
        }
        let message = llvm!(LLVMGetErrorMessage(error));
        let text = llvm!(CStr::from_ptr(message)).to_string_lossy().into_owned();
        llvm!(LLVMDisposeErrorMessage(message));
        Err(self.explain(text))
    }

    /// The DIExpression without operations, of which a context has one.
    pub(crate) fn empty_expression(&self) -> Option<Metadata<'_>> {
        let builder = llvm!(LLVMCreateDIBuilderDisallowUnresolved(self.module));
        let expression = llvm!(LLVMDIBuilderCreateExpression(builder, ptr::null_mut(), 0));
        llvm!(LLVMDIBuilderFinalize(builder));
        llvm!(LLVMDisposeDIBuilder(builder));
        Metadata::new(expression)
    }

    /// The context's own pointer.
    pub(crate) fn context(&self) -> LLVMContextRef {
        self.context
    }

    /// The module itself.
    pub(super) fn raw(&self) -> LLVMModuleRef {
        self.module
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if !self.module.is_null() {
            llvm!(LLVMDisposeModule(self.module));
        }
        llvm!(LLVMContextDispose(self.context));
    }
}
