//! Fast-math flags.

use inkwell::llvm_sys::{
    LLVMFastMathAllowContract, LLVMFastMathAllowReassoc, LLVMFastMathAllowReciprocal, LLVMFastMathApproxFunc,
    LLVMFastMathFlags, LLVMFastMathNoInfs, LLVMFastMathNoNaNs, LLVMFastMathNoSignedZeros,
};

use crate::FastMath;

/// LLVM's bits as flags.
pub(super) fn from_bits(bits: LLVMFastMathFlags) -> FastMath {
    let has = |flag| bits & flag != 0;
    FastMath {
        no_nans: has(LLVMFastMathNoNaNs),
        no_infinities: has(LLVMFastMathNoInfs),
        no_signed_zeros: has(LLVMFastMathNoSignedZeros),
        allow_reciprocal: has(LLVMFastMathAllowReciprocal),
        allow_contract: has(LLVMFastMathAllowContract),
        approximate_functions: has(LLVMFastMathApproxFunc),
        allow_reassociation: has(LLVMFastMathAllowReassoc),
    }
}

/// Flags as LLVM's bits.
pub(super) fn to_bits(flags: FastMath) -> LLVMFastMathFlags {
    let all = [
        (flags.no_nans, LLVMFastMathNoNaNs),
        (flags.no_infinities, LLVMFastMathNoInfs),
        (flags.no_signed_zeros, LLVMFastMathNoSignedZeros),
        (flags.allow_reciprocal, LLVMFastMathAllowReciprocal),
        (flags.allow_contract, LLVMFastMathAllowContract),
        (flags.approximate_functions, LLVMFastMathApproxFunc),
        (flags.allow_reassociation, LLVMFastMathAllowReassoc),
    ];
    all.iter().filter(|(set, _)| *set).fold(0, |bits, (_, bit)| bits | bit)
}
