//! Counters in functions, for compilers whose front ends count nothing: how often each block is entered, and how often each conditional branch goes
//! where its condition is 1.
//!
//! The intrinsics are clang's own, `llvm.instrprof.increment` and `.step`; clang makes counters of them and links what writes these to a file.
//! Nothing else of a function is changed: a branch's outcome is added to its counter as a number, and no edge is split. The blocks have their numbers
//! in the function's order; the branches follow, in the order of the blocks that they end ([`counters`]).

use std::collections::HashMap;
use std::ffi::{CString, c_char};
use std::ptr;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBuilderRef, LLVMTypeRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMLinkage, LLVMOpcode};

use super::{Block, Module, Value};
use crate::{BlockId, Function, Terminator};

/// The number of a graph: what a profile says of a function is of this graph alone.
fn hash(blocks: impl Iterator<Item = (bool, Vec<u32>)>) -> u64 {
    // FNV-1a.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |number: u32| hash = (hash ^ u64::from(number)).wrapping_mul(0x100_0000_01b3);
    for (is_branch, mut successors) in blocks {
        if !is_branch {
            successors.sort_unstable();
        }
        add(u32::from(is_branch));
        add(successors.len() as u32);
        successors.into_iter().for_each(&mut add);
    }
    // Signs are no matter of LLVM's tools.
    hash >> 1
}

/// What counters a function has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    /// The number of its graph, as the profile has it.
    pub hash: u64,
    /// For each block that a conditional branch ends, the number of the counter that tells how often its condition was 1.
    pub branches: Vec<(BlockId, usize)>,
    /// How many there are: one for each block, by its number, and one for each such branch.
    pub count: usize,
}

/// The counters that `Module::add_counters` gives a function.
pub fn counters(function: &Function) -> Counters {
    let blocks = function.blocks.iter().map(|block| {
        let is_branch = matches!(block.terminator, Terminator::CondBranch(..));
        (is_branch, block.terminator.successors().iter().map(|block| block.0).collect())
    });
    let is_branch = |(_, block): &(usize, &crate::Block)| matches!(block.terminator, Terminator::CondBranch(..));
    let ended = function.blocks.iter().enumerate().filter(is_branch).map(|(index, _)| BlockId(index as u32));
    let first = function.blocks.len();
    let branches: Vec<(BlockId, usize)> = ended.zip(first..).collect();
    Counters { hash: hash(blocks), count: first + branches.len(), branches }
}

impl Module {
    /// Has every function count.
    pub(crate) fn add_counters(&mut self) {
        let builder = llvm!(LLVMCreateBuilderInContext(self.context()));
        let functions: Vec<Value<'_>> = self.functions().filter(|function| function.is_defined()).collect();
        for function in functions {
            Counting { module: &*self, builder }.of(function);
        }
        llvm!(LLVMDisposeBuilder(builder));
    }
}

struct Counting<'m> {
    module: &'m Module,
    builder: LLVMBuilderRef,
}

impl<'m> Counting<'m> {
    fn of(&self, function: Value<'m>) {
        let blocks: Vec<Block<'m>> = function.blocks().collect();
        let numbers: HashMap<Block<'m>, u32> = blocks.iter().copied().zip(0..).collect();
        let end = |block: &Block<'m>| block.instructions().last();
        let is_branch = |end: &Value<'m>| end.opcode() == LLVMOpcode::LLVMBr && end.condition().is_some();
        let graph = blocks.iter().map(|block| {
            let Some(end) = end(block) else { return (false, Vec::new()) };
            let successors = end.successors().iter().filter_map(|to| numbers.get(to).copied()).collect();
            (is_branch(&end), successors)
        });
        let hash = hash(graph);
        let ends: Vec<Value<'m>> = blocks.iter().filter_map(end).filter(is_branch).collect();
        let count = blocks.len() + ends.len();
        let name = self.name(&function.name());
        for (number, block) in blocks.iter().enumerate() {
            let first = block.instructions().find(|of| of.opcode() != LLVMOpcode::LLVMPHI);
            let Some(first) = first else { continue };
            llvm!(LLVMPositionBuilderBefore(self.builder, first.raw()));
            self.count((name, hash), (count, number), None);
        }
        for (end, number) in ends.iter().zip(blocks.len()..) {
            let Some(condition) = end.condition() else { continue };
            llvm!(LLVMPositionBuilderBefore(self.builder, end.raw()));
            let empty = c"".as_ptr();
            let step = llvm!(LLVMBuildZExt(self.builder, condition.raw(), self.integer(64), empty));
            self.count((name, hash), (count, number), Some(step));
        }
    }

    fn integer(&self, bits: u32) -> LLVMTypeRef {
        llvm!(LLVMIntTypeInContext(self.module.context(), bits))
    }

    /// The variable by whose name and contents a profile names a function.
    fn name(&self, function: &str) -> LLVMValueRef {
        let (start, length) = (function.as_ptr().cast::<c_char>(), function.len());
        let text = llvm!(LLVMConstStringInContext2(self.module.context(), start, length, 1));
        // Symbols have no NUL.
        let name = CString::new(format!("__profn_{function}")).unwrap_or_default();
        let variable = llvm!(LLVMAddGlobal(self.module.raw(), LLVMTypeOf(text), name.as_ptr()));
        llvm!(LLVMSetInitializer(variable, text));
        llvm!(LLVMSetGlobalConstant(variable, 1));
        llvm!(LLVMSetLinkage(variable, LLVMLinkage::LLVMPrivateLinkage));
        variable
    }

    /// Adds to a counter where the builder is: one, or `step`.
    fn count(&self, (name, hash): (LLVMValueRef, u64), (count, number): (usize, usize), step: Option<LLVMValueRef>) {
        let intrinsic = match step {
            None => "llvm.instrprof.increment",
            Some(_) => "llvm.instrprof.increment.step",
        };
        let id = llvm!(LLVMLookupIntrinsicID(intrinsic.as_ptr().cast::<c_char>(), intrinsic.len()));
        let callee = llvm!(LLVMGetIntrinsicDeclaration(self.module.raw(), id, ptr::null_mut(), 0));
        let ty = llvm!(LLVMIntrinsicGetType(self.module.context(), id, ptr::null_mut(), 0));
        let small = |value: usize| llvm!(LLVMConstInt(self.integer(32), value as u64, 0));
        let hash = llvm!(LLVMConstInt(self.integer(64), hash, 0));
        let mut operands = vec![name, hash, small(count), small(number)];
        operands.extend(step);
        let empty = c"".as_ptr();
        llvm!(LLVMBuildCall2(self.builder, ty, callee, operands.as_mut_ptr(), operands.len() as u32, empty));
    }
}
