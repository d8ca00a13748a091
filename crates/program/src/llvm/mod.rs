//! The part of LLVM's C API that loading and optimising need, behind types that borrow the module.
//!
//! Why the calls are sound. A [`Module`] owns its context and frees both when it is dropped. [`Value`], [`TypeRef`],
//! [`Block`] and [`Metadata`] are non-null pointers into that context and cannot outlive the module they borrow. LLVM's
//! accessors are total on the kinds of object they are defined for; those defined for one kind only are called
//! under a match on that kind (an opcode, a type kind, a value kind), and their documentation here names it. A context
//! is used by one thread at a time: none of these types is `Send` or `Sync`.

/// A call of LLVM's C API.
macro_rules! llvm {
    ($call:expr) => {
        // SAFETY: every pointer is non-null and belongs to a live module: see the head of `llvm/mod.rs`.
        unsafe { $call }
    };
}

mod contents;
mod counting;
mod debug_types;
mod fast_math;
mod few;
mod linking;
mod metadata;
mod module;
mod ty;
mod value;

pub use counting::{Counters, counters};
pub(crate) use debug_types::TypeKind;
pub(crate) use linking::LIBRARY_ATTRIBUTE;
pub(crate) use metadata::Metadata;
pub(crate) use module::{Module, ParseError};
pub(crate) use ty::TypeRef;
pub(crate) use value::{Block, Declaration, Value};

use std::ffi::{CStr, c_char};

/// Runs `work` on a stack of 64 MiB. LLVM's parser and passes recurse; a thread of Rust's has 2 MiB, where clang, by which
/// strangers' files are tried first, has 8.
pub(crate) fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, work)?;
        worker.join().map_err(|_| std::io::Error::other("the thread that reads IR ended early"))
    })
}

/// The version of the LLVM library that is loaded: `22.1.8`.
pub fn version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: the function writes three numbers to where it is told.
    unsafe { inkwell::llvm_sys::core::LLVMGetVersion(&mut major, &mut minor, &mut patch) };
    format!("{major}.{minor}.{patch}")
}

/// A C string that LLVM handed over, copied and freed.
fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    let text = llvm!(CStr::from_ptr(message)).to_string_lossy().into_owned();
    llvm!(inkwell::llvm_sys::core::LLVMDisposeMessage(message));
    text
}

/// `length` bytes at `start`, which LLVM keeps.
fn copy_text(start: *const c_char, length: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    String::from_utf8_lossy(llvm!(std::slice::from_raw_parts(start.cast::<u8>(), length))).into_owned()
}
