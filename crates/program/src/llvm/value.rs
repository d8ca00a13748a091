//! Values, instructions and blocks.

use std::ffi::CStr;
use std::marker::PhantomData;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::{LLVMGetSubprogram, LLVMInstructionGetDebugLoc};
use inkwell::llvm_sys::prelude::{LLVMAttributeRef, LLVMBasicBlockRef, LLVMBuilderRef, LLVMValueRef};
use inkwell::llvm_sys::{
    LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMAttributeFunctionIndex, LLVMAttributeIndex, LLVMDbgRecordKind,
    LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMRealPredicate, LLVMValueKind,
};

use super::{Metadata, Module, TypeRef, copy_text, fast_math, take_message};
use crate::FastMath;

/// A value: a constant, global, function, argument or instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Value<'m> {
    raw: LLVMValueRef,
    module: PhantomData<&'m Module>,
}

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Block<'m> {
    raw: LLVMBasicBlockRef,
    module: PhantomData<&'m Module>,
}

/// That a variable lives in memory.
#[derive(Clone, Copy)]
pub(crate) struct Declaration<'m> {
    /// The memory's address.
    pub(crate) memory: Value<'m>,
    /// Its DILocalVariable.
    pub(crate) variable: Metadata<'m>,
    /// What is done to the address to come to the variable: nothing, if it is [`Module::empty_expression`].
    pub(crate) expression: Metadata<'m>,
    /// Where it is declared.
    pub(crate) location: Metadata<'m>,
}

/// The kind of metadata that describes loops.
const LOOP: &CStr = c"llvm.loop";

impl<'m> Value<'m> {
    /// `raw` is null (then `None`) or belongs to a module that lives for `'m`.
    pub(super) fn new(raw: LLVMValueRef) -> Option<Value<'m>> {
        (!raw.is_null()).then_some(Value { raw, module: PhantomData })
    }

    pub(super) fn raw(self) -> LLVMValueRef {
        self.raw
    }

    /// What kind of value it is.
    pub(crate) fn kind(self) -> LLVMValueKind {
        llvm!(LLVMGetValueKind(self.raw))
    }

    /// Its type.
    pub(crate) fn ty(self) -> TypeRef<'m> {
        TypeRef::new(llvm!(LLVMTypeOf(self.raw)))
    }

    /// Its name; empty where it has none.
    pub(crate) fn name(self) -> String {
        let mut length = 0;
        let start = llvm!(LLVMGetValueName2(self.raw, &mut length));
        copy_text(start, length)
    }

    /// As LLVM writes it.
    pub(crate) fn text(self) -> String {
        take_message(llvm!(LLVMPrintValueToString(self.raw))).trim().to_owned()
    }

    /// Operand of an instruction or constant.
    pub(crate) fn operand(self, index: u32) -> Option<Value<'m>> {
        (index < self.operand_count()).then(|| Value::new(llvm!(LLVMGetOperand(self.raw, index)))).flatten()
    }

    /// Number of operands of an instruction or constant.
    pub(crate) fn operand_count(self) -> u32 {
        llvm!(LLVMGetNumOperands(self.raw)) as u32
    }
}

/// Constants.
impl<'m> Value<'m> {
    /// The value of a scalar integer constant of at most 64 bits, zero-extended.
    pub(crate) fn small_int(self) -> u64 {
        llvm!(LLVMConstIntGetZExtValue(self.raw))
    }

    /// The value of a scalar integer constant of at most 64 bits, sign-extended.
    pub(crate) fn small_signed_int(self) -> i64 {
        llvm!(LLVMConstIntGetSExtValue(self.raw))
    }

    /// A constant's bits read as another type of the same width; folded for scalar floating-point constants.
    pub(crate) fn bit_cast(self, to: TypeRef<'m>) -> Option<Value<'m>> {
        Value::new(llvm!(LLVMConstBitCast(self.raw, to.raw())))
    }

    /// Element of a constant aggregate.
    pub(crate) fn aggregate_element(self, index: u32) -> Option<Value<'m>> {
        Value::new(llvm!(LLVMGetAggregateElement(self.raw, index)))
    }

    /// Operation of a constant expression.
    pub(crate) fn constant_opcode(self) -> LLVMOpcode {
        llvm!(LLVMGetConstOpcode(self.raw))
    }

    /// What an alias stands for; `None` for other values.
    pub(crate) fn aliasee(self) -> Option<Value<'m>> {
        let is_alias = self.kind() == LLVMValueKind::LLVMGlobalAliasValueKind;
        if is_alias { Value::new(llvm!(LLVMAliasGetAliasee(self.raw))) } else { None }
    }
}

/// Globals and functions.
impl<'m> Value<'m> {
    /// The type of a global variable's memory, or a function's type.
    pub(crate) fn value_type(self) -> TypeRef<'m> {
        TypeRef::new(llvm!(LLVMGlobalGetValueType(self.raw)))
    }

    /// A global variable's initial value.
    pub(crate) fn initializer(self) -> Option<Value<'m>> {
        Value::new(llvm!(LLVMGetInitializer(self.raw)))
    }

    /// Whether a global variable is constant.
    pub(crate) fn is_global_constant(self) -> bool {
        llvm!(LLVMIsGlobalConstant(self.raw)) != 0
    }

    /// Explicit alignment of a global, alloca, load or store in bytes; 0 where there is none.
    pub(crate) fn alignment(self) -> u64 {
        u64::from(llvm!(LLVMGetAlignment(self.raw)))
    }

    /// Whether other modules can see a global or function.
    pub(crate) fn is_external(self) -> bool {
        !matches!(llvm!(LLVMGetLinkage(self.raw)), LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
    }

    /// Whether it is a global or function whose definition here gives way to another one.
    pub(crate) fn is_weak_definition(self) -> bool {
        use LLVMLinkage::*;
        matches!(llvm!(LLVMGetLinkage(self.raw)), LLVMWeakAnyLinkage | LLVMLinkOnceAnyLinkage | LLVMCommonLinkage)
    }

    /// Whether it is a global or function that is declared and may stay undefined, its address then null.
    pub(crate) fn is_weak_declaration(self) -> bool {
        llvm!(LLVMGetLinkage(self.raw)) == LLVMLinkage::LLVMExternalWeakLinkage
    }

    /// Whether a function or global has its definition here.
    pub(crate) fn is_defined(self) -> bool {
        llvm!(LLVMIsDeclaration(self.raw)) == 0
    }

    /// A function's intrinsic name without type suffixes; `None` for other functions.
    pub(crate) fn intrinsic_name(self) -> Option<String> {
        let id = llvm!(LLVMGetIntrinsicID(self.raw));
        if id == 0 {
            // A name in LLVM's own space that this LLVM does not know.
            return Some(self.name()).filter(|name| name.starts_with("llvm."));
        }
        let mut length = 0;
        let start = llvm!(LLVMIntrinsicGetName(id, &mut length));
        Some(copy_text(start, length))
    }

    /// A function's parameters.
    pub(crate) fn parameters(self) -> Vec<Value<'m>> {
        let count = llvm!(LLVMCountParams(self.raw));
        (0..count).filter_map(|index| Value::new(llvm!(LLVMGetParam(self.raw, index)))).collect()
    }

    /// A function's debug information.
    pub(crate) fn subprogram(self) -> Option<Metadata<'m>> {
        Metadata::new(llvm!(LLVMGetSubprogram(self.raw)))
    }

    /// A function's string attribute.
    pub(crate) fn string_attribute(self, key: &str) -> Option<String> {
        let attribute = llvm!(LLVMGetStringAttributeAtIndex(
            self.raw,
            LLVMAttributeFunctionIndex,
            key.as_ptr().cast(),
            key.len() as u32
        ));
        if attribute.is_null() {
            return None;
        }
        let mut length = 0;
        let start = llvm!(LLVMGetStringAttributeValue(attribute, &mut length));
        Some(copy_text(start, length as usize))
    }

    fn parameter_attribute(self, parameter: u32, name: &str) -> Option<LLVMAttributeRef> {
        let kind = attribute_kind(name);
        // Index 0 is the result, parameters count from 1.
        let index: LLVMAttributeIndex = parameter + 1;
        let attribute = llvm!(LLVMGetEnumAttributeAtIndex(self.raw, index, kind));
        (kind != 0 && !attribute.is_null()).then_some(attribute)
    }

    /// Whether a function's parameter has the attribute.
    pub(crate) fn has_parameter_attribute(self, parameter: u32, name: &str) -> bool {
        self.parameter_attribute(parameter, name).is_some()
    }

    /// The number in a parameter's attribute, such as `align`.
    pub(crate) fn parameter_attribute_number(self, parameter: u32, name: &str) -> Option<u64> {
        Some(llvm!(LLVMGetEnumAttributeValue(self.parameter_attribute(parameter, name)?)))
    }

    /// The type in a parameter's attribute, such as `byval`.
    pub(crate) fn parameter_attribute_type(self, parameter: u32, name: &str) -> Option<TypeRef<'m>> {
        let attribute = self.parameter_attribute(parameter, name)?;
        (llvm!(LLVMIsTypeAttribute(attribute)) != 0).then(|| TypeRef::new(llvm!(LLVMGetTypeAttributeValue(attribute))))
    }

    /// Whether a function has a string attribute whose name begins so.
    pub(crate) fn has_string_attribute(self, beginning: &str) -> bool {
        let count = llvm!(LLVMGetAttributeCountAtIndex(self.raw, LLVMAttributeFunctionIndex));
        let mut all = vec![std::ptr::null_mut(); count as usize];
        llvm!(LLVMGetAttributesAtIndex(self.raw, LLVMAttributeFunctionIndex, all.as_mut_ptr()));
        all.into_iter().filter(|&attribute| llvm!(LLVMIsStringAttribute(attribute)) != 0).any(|attribute| {
            let mut length = 0;
            let start = llvm!(LLVMGetStringAttributeKind(attribute, &mut length));
            copy_text(start, length as usize).starts_with(beginning)
        })
    }

    /// Whether a function has an attribute that says that it writes to no memory.
    pub(crate) fn only_reads(self) -> bool {
        // Two bits for each kind of memory: 1 is read, 2 is written.
        const WRITES: u64 = 0xaaaa_aaaa;
        let kind = attribute_kind("memory");
        let attribute = llvm!(LLVMGetEnumAttributeAtIndex(self.raw, LLVMAttributeFunctionIndex, kind));
        !attribute.is_null() && llvm!(LLVMGetEnumAttributeValue(attribute)) & WRITES == 0
    }

    /// Removes an attribute of a function.
    pub(crate) fn remove_function_attribute(self, name: &str) {
        let kind = attribute_kind(name);
        if kind != 0 {
            llvm!(LLVMRemoveEnumAttributeAtIndex(self.raw, LLVMAttributeFunctionIndex, kind));
        }
    }

    /// Sets a string attribute of a function.
    pub(crate) fn set_string_attribute(self, module: &Module, key: &str, value: &str) {
        let (key_length, value_length) = (key.len() as u32, value.len() as u32);
        let (key, value) = (key.as_ptr().cast(), value.as_ptr().cast());
        let attribute = llvm!(LLVMCreateStringAttribute(module.context(), key, key_length, value, value_length));
        llvm!(LLVMAddAttributeAtIndex(self.raw, LLVMAttributeFunctionIndex, attribute));
    }

    /// A function's blocks, entry first.
    pub(crate) fn blocks(self) -> impl Iterator<Item = Block<'m>> {
        let first = Block::new(llvm!(LLVMGetFirstBasicBlock(self.raw)));
        std::iter::successors(first, |block| Block::new(llvm!(LLVMGetNextBasicBlock(block.raw))))
    }
}

/// LLVM's number for an attribute's name; 0 if it has none.
fn attribute_kind(name: &str) -> u32 {
    llvm!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()))
}

/// Instructions. Accessors for one opcode say which.
impl<'m> Value<'m> {
    /// An instruction's operation.
    pub(crate) fn opcode(self) -> LLVMOpcode {
        llvm!(LLVMGetInstructionOpcode(self.raw))
    }

    /// An instruction's DILocation.
    pub(crate) fn debug_location(self) -> Option<Metadata<'m>> {
        Metadata::new(llvm!(LLVMInstructionGetDebugLoc(self.raw)))
    }

    /// What an instruction says of the loop that it goes back in.
    pub(crate) fn loop_description(self, module: &'m Module) -> Option<Metadata<'m>> {
        let kind = llvm!(LLVMGetMDKindIDInContext(module.context(), LOOP.as_ptr(), LOOP.count_bytes() as u32));
        let value = llvm!(LLVMGetMetadata(self.raw, kind));
        if value.is_null() { None } else { Metadata::new(llvm!(LLVMValueAsMetadata(value))) }
    }

    /// The variables that are said, before an instruction, to live in memory from there on.
    pub(crate) fn declarations(self) -> Vec<Declaration<'m>> {
        let mut found = Vec::new();
        let mut record = llvm!(LLVMGetFirstDbgRecord(self.raw));
        while !record.is_null() {
            if matches!(llvm!(LLVMDbgRecordGetKind(record)), LLVMDbgRecordKind::LLVMDbgRecordDeclare) {
                let declaration = Value::new(llvm!(LLVMDbgVariableRecordGetValue(record, 0))).and_then(|memory| {
                    Some(Declaration {
                        memory,
                        variable: Metadata::new(llvm!(LLVMDbgVariableRecordGetVariable(record)))?,
                        expression: Metadata::new(llvm!(LLVMDbgVariableRecordGetExpression(record)))?,
                        location: Metadata::new(llvm!(LLVMDbgRecordGetDebugLoc(record)))?,
                    })
                });
                found.extend(declaration);
            }
            record = llvm!(LLVMGetNextDbgRecord(record));
        }
        found
    }

    /// The DIGlobalVariable of a global.
    pub(crate) fn global_variable(self) -> Option<Metadata<'m>> {
        let mut count = 0;
        let entries = llvm!(LLVMGlobalCopyAllMetadata(self.raw, &mut count));
        let found = (0..count as u32).find_map(|index| {
            let entry = Metadata::new(llvm!(LLVMValueMetadataEntriesGetMetadata(entries, index)))?;
            entry.variable_of_expression()
        });
        llvm!(LLVMDisposeValueMetadataEntries(entries));
        found
    }

    /// Whether an instruction can have fast-math flags.
    pub(crate) fn takes_fast_math(self) -> bool {
        llvm!(LLVMCanValueUseFastMathFlags(self.raw)) != 0
    }

    /// Fast-math flags; none where the instruction cannot have them.
    pub(crate) fn fast_math(self) -> FastMath {
        fast_math::from_bits(if self.takes_fast_math() { llvm!(LLVMGetFastMathFlags(self.raw)) } else { 0 })
    }

    /// Sets further fast-math flags of an instruction that can have them.
    pub(crate) fn add_fast_math(self, flags: FastMath) {
        let old = llvm!(LLVMGetFastMathFlags(self.raw));
        llvm!(LLVMSetFastMathFlags(self.raw, old | fast_math::to_bits(flags)));
    }

    /// Puts the same operation without fast-math flags in an instruction's place, of a call of `llvm.fmuladd` a product and a sum; phis and invokes stay.
    pub(crate) fn replace_by_strict(self, module: &Module) {
        use LLVMOpcode::*;
        let operand = |index| llvm!(LLVMGetOperand(self.raw, index));
        let name = c"".as_ptr();
        let builder = llvm!(LLVMCreateBuilderInContext(module.context()));
        // What is built has the instruction's debug location. LLVM adds flags to an instruction, and takes none away.
        llvm!(LLVMPositionBuilderBefore(builder, self.raw));
        let strict = match self.opcode() {
            opcode @ (LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem) => {
                llvm!(LLVMBuildBinOp(builder, opcode, operand(0), operand(1), name))
            }
            opcode @ (LLVMFPTrunc | LLVMFPExt) => {
                llvm!(LLVMBuildCast(builder, opcode, operand(0), LLVMTypeOf(self.raw), name))
            }
            LLVMFNeg => llvm!(LLVMBuildFNeg(builder, operand(0), name)),
            LLVMFCmp => llvm!(LLVMBuildFCmp(builder, self.float_predicate(), operand(0), operand(1), name)),
            LLVMSelect => llvm!(LLVMBuildSelect(builder, operand(0), operand(1), operand(2), name)),
            LLVMCall if self.callee().and_then(Value::intrinsic_name).as_deref() == Some("llvm.fmuladd") => {
                let product = llvm!(LLVMBuildFMul(builder, operand(0), operand(1), name));
                llvm!(LLVMBuildFAdd(builder, product, operand(2), name))
            }
            LLVMCall => self.strict_call(builder),
            _ => std::ptr::null_mut(),
        };
        llvm!(LLVMDisposeBuilder(builder));
        if !strict.is_null() {
            llvm!(LLVMReplaceAllUsesWith(self.raw, strict));
            llvm!(LLVMInstructionEraseFromParent(self.raw));
        }
    }

    /// A call like this one without fast-math flags.
    fn strict_call(self, builder: LLVMBuilderRef) -> LLVMValueRef {
        let mut arguments: Vec<LLVMValueRef> = self.arguments().into_iter().map(Value::raw).collect();
        let (ty, callee) = (llvm!(LLVMGetCalledFunctionType(self.raw)), llvm!(LLVMGetCalledValue(self.raw)));
        let count = arguments.len() as u32;
        let call = llvm!(LLVMBuildCall2(builder, ty, callee, arguments.as_mut_ptr(), count, c"".as_ptr()));
        llvm!(LLVMSetInstructionCallConv(call, LLVMGetInstructionCallConv(self.raw)));
        llvm!(LLVMSetTailCallKind(call, LLVMGetTailCallKind(self.raw)));
        // The function's, the result's and each argument's.
        for index in std::iter::once(LLVMAttributeFunctionIndex).chain(0..=count) {
            let many = llvm!(LLVMGetCallSiteAttributeCount(self.raw, index));
            let mut attributes: Vec<LLVMAttributeRef> = vec![std::ptr::null_mut(); many as usize];
            llvm!(LLVMGetCallSiteAttributes(self.raw, index, attributes.as_mut_ptr()));
            attributes.into_iter().for_each(|of| llvm!(LLVMAddCallSiteAttribute(call, index, of)));
        }
        call
    }

    /// `nuw` or `nsw` of add, sub, mul, shl.
    pub(crate) fn no_wrap(self) -> bool {
        llvm!(LLVMGetNUW(self.raw)) != 0 || llvm!(LLVMGetNSW(self.raw)) != 0
    }

    /// `exact` of a division or right shift.
    pub(crate) fn is_exact(self) -> bool {
        llvm!(LLVMGetExact(self.raw)) != 0
    }

    /// `disjoint` of an or.
    pub(crate) fn is_disjoint(self) -> bool {
        llvm!(LLVMGetIsDisjoint(self.raw)) != 0
    }

    /// Predicate of an icmp.
    pub(crate) fn int_predicate(self) -> LLVMIntPredicate {
        llvm!(LLVMGetICmpPredicate(self.raw))
    }

    /// Predicate of an fcmp.
    pub(crate) fn float_predicate(self) -> LLVMRealPredicate {
        llvm!(LLVMGetFCmpPredicate(self.raw))
    }

    /// Values and blocks of a phi.
    pub(crate) fn incoming(self) -> Vec<(Block<'m>, Value<'m>)> {
        let pair = |index| {
            let block = Block::new(llvm!(LLVMGetIncomingBlock(self.raw, index)))?;
            Some((block, Value::new(llvm!(LLVMGetIncomingValue(self.raw, index)))?))
        };
        (0..llvm!(LLVMCountIncoming(self.raw))).filter_map(pair).collect()
    }

    /// Element type of an alloca.
    pub(crate) fn allocated_type(self) -> TypeRef<'m> {
        TypeRef::new(llvm!(LLVMGetAllocatedType(self.raw)))
    }

    /// Element type of a getelementptr, instruction or constant expression.
    pub(crate) fn gep_element_type(self) -> TypeRef<'m> {
        TypeRef::new(llvm!(LLVMGetGEPSourceElementType(self.raw)))
    }

    /// Whether a load or store is volatile or atomic.
    pub(crate) fn is_ordered(self) -> bool {
        llvm!(LLVMGetVolatile(self.raw)) != 0
            || llvm!(LLVMGetOrdering(self.raw)) != LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
    }

    /// Mask of a shufflevector; `None` is poison.
    pub(crate) fn shuffle_mask(self) -> Vec<Option<u32>> {
        let count = llvm!(LLVMGetNumMaskElements(self.raw));
        (0..count).map(|index| u32::try_from(llvm!(LLVMGetMaskValue(self.raw, index))).ok()).collect()
    }

    /// Indices of an extractvalue or insertvalue.
    pub(crate) fn indices(self) -> Vec<u32> {
        let (count, start) = (llvm!(LLVMGetNumIndices(self.raw)), llvm!(LLVMGetIndices(self.raw)));
        if start.is_null() {
            return Vec::new();
        }
        llvm!(std::slice::from_raw_parts(start, count as usize)).to_vec()
    }

    /// What a call or invoke calls.
    pub(crate) fn callee(self) -> Option<Value<'m>> {
        use LLVMOpcode::{LLVMCall, LLVMCallBr, LLVMInvoke};
        matches!(self.opcode(), LLVMCall | LLVMInvoke | LLVMCallBr)
            .then(|| Value::new(llvm!(LLVMGetCalledValue(self.raw))))
            .flatten()
    }

    /// How many parameters the type of what a call or invoke calls declares.
    pub(crate) fn called_parameters(self) -> u32 {
        llvm!(LLVMCountParamTypes(LLVMGetCalledFunctionType(self.raw)))
    }

    /// Whether an argument of a call or invoke has an attribute there.
    pub(crate) fn has_call_attribute(self, argument: u32, name: &str) -> bool {
        // Index 0 is the result.
        !llvm!(LLVMGetCallSiteEnumAttribute(self.raw, argument + 1, attribute_kind(name))).is_null()
    }

    /// Arguments of a call or invoke.
    pub(crate) fn arguments(self) -> Vec<Value<'m>> {
        (0..llvm!(LLVMGetNumArgOperands(self.raw))).filter_map(|index| self.operand(index)).collect()
    }

    /// The text of an operand that is metadata, if it is one.
    pub(crate) fn metadata_text(self) -> Option<String> {
        let mut length = 0;
        if llvm!(LLVMIsAMDString(self.raw)).is_null() {
            return None;
        }
        let text = llvm!(LLVMGetMDString(self.raw, &mut length));
        Some(copy_text(text, length as usize))
    }

    /// Text of inline assembly.
    pub(crate) fn assembly(self) -> String {
        let mut length = 0;
        let start = llvm!(LLVMGetInlineAsmAsmString(self.raw, &mut length));
        copy_text(start, length)
    }

    /// The constraints of inline assembly, `=r,0,~{memory}`.
    pub(crate) fn assembly_constraints(self) -> String {
        let mut length = 0;
        let start = llvm!(LLVMGetInlineAsmConstraintString(self.raw, &mut length));
        copy_text(start, length)
    }

    /// What an atomicrmw computes.
    pub(crate) fn atomic_operation(self) -> LLVMAtomicRMWBinOp {
        llvm!(LLVMGetAtomicRMWBinOp(self.raw))
    }

    /// The clauses of a landingpad, and whether it cleans up.
    pub(crate) fn clauses(self) -> (Vec<Value<'m>>, bool) {
        let count = llvm!(LLVMGetNumClauses(self.raw));
        let clauses = (0..count).filter_map(|index| Value::new(llvm!(LLVMGetClause(self.raw, index)))).collect();
        (clauses, llvm!(LLVMIsCleanup(self.raw)) != 0)
    }

    /// The block whose address a block address is.
    pub(crate) fn label(self) -> Option<Block<'m>> {
        Block::new(llvm!(LLVMGetBlockAddressBasicBlock(self.raw)))
    }

    /// Where an invoke goes when the callee returns.
    pub(crate) fn normal_destination(self) -> Option<Block<'m>> {
        Block::new(llvm!(LLVMGetNormalDest(self.raw)))
    }

    /// Where an invoke goes when the callee throws.
    pub(crate) fn unwind_destination(self) -> Option<Block<'m>> {
        Block::new(llvm!(LLVMGetUnwindDest(self.raw)))
    }

    /// Successors of a terminator.
    pub(crate) fn successors(self) -> Vec<Block<'m>> {
        let count = llvm!(LLVMGetNumSuccessors(self.raw));
        (0..count).filter_map(|index| Block::new(llvm!(LLVMGetSuccessor(self.raw, index)))).collect()
    }

    /// Condition of a conditional br; `None` for an unconditional one.
    pub(crate) fn condition(self) -> Option<Value<'m>> {
        let conditional = llvm!(LLVMIsConditional(self.raw)) != 0;
        conditional.then(|| Value::new(llvm!(LLVMGetCondition(self.raw)))).flatten()
    }

    /// The constant of a switch's successor, which counts from 1.
    pub(crate) fn case(self, successor: u32) -> Option<Value<'m>> {
        Value::new(llvm!(LLVMGetSwitchCaseValue(self.raw, successor)))
    }
}

impl<'m> Block<'m> {
    fn new(raw: LLVMBasicBlockRef) -> Option<Block<'m>> {
        (!raw.is_null()).then_some(Block { raw, module: PhantomData })
    }

    /// The function that it belongs to.
    pub(crate) fn function(self) -> Option<Value<'m>> {
        Value::new(llvm!(LLVMGetBasicBlockParent(self.raw)))
    }

    /// Its instructions, terminator last.
    pub(crate) fn instructions(self) -> impl Iterator<Item = Value<'m>> {
        let first = Value::new(llvm!(LLVMGetFirstInstruction(self.raw)));
        std::iter::successors(first, |value| Value::new(llvm!(LLVMGetNextInstruction(value.raw))))
    }
}
