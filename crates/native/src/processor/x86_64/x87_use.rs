//! What a call of the function under test can do to the x87 unit.
//!
//! Reading the x87 status word costs as much as everything else that the driver loop adds to a call. Where no x87 or MMX
//! instruction can be reached from the function, no call changes that word. Where none can be reached that loads or clears
//! it, exceptions stay raised.
//!
//! **Claim.** If [`reachable`] says [`X87Use::None`], no instruction that a call executes touches the x87 state; if it says
//! [`X87Use::Sticky`], none clears some of the status word's exceptions and leaves others. [`X87Use::Unknown`] claims nothing.
//!
//! **Argument.** From the function's first instruction on, in the loaded process, every instruction that control can reach
//! is decoded: both ways of branches, calls and what follows them, and jumps and calls through memory at a fixed address,
//! whose targets the linker has put there already (the worker binds everything at loading). Whatever is not understood
//! makes the answer the last: calls through registers, jump tables, code that is too long, addresses that are not mapped.
//!
//! **What it may miss.** Code that rewrites itself or its linkage table, and signal handlers that it installs.

use std::collections::HashSet;

use iced_x86::{Code, CpuidFeature, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};

use crate::symbol::{Mapping, mappings};

/// What calls of a function can do to the x87 unit, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum X87Use {
    /// Nothing.
    None,
    /// Raise exceptions.
    Sticky,
    /// Raise and clear exceptions, or nobody knows.
    Any,
}

/// Instructions looked at: the whole of a large library function and what it calls takes some milliseconds.
const MOST_INSTRUCTIONS: usize = 200_000;

/// The longest instruction in bytes.
const LONGEST: u64 = 15;

/// What a call of the function at this address of this process can do to the x87 unit.
pub fn reachable(function: u64) -> X87Use {
    let memory = Memory { mappings: mappings() };
    let (mut seen, mut pending) = (HashSet::new(), vec![function]);
    let mut found = X87Use::None;
    while let Some(mut at) = pending.pop() {
        // One straight run of instructions, up to where control leaves it or one that was seen.
        while seen.insert(at) {
            let Some(instruction) = memory.decode(at).filter(|_| seen.len() <= MOST_INSTRUCTIONS) else {
                return X87Use::Any;
            };
            found = found.max(use_of(&instruction));
            let next = successors(&memory, &instruction);
            if found == X87Use::Any || next.are_unknown {
                return X87Use::Any;
            }
            pending.extend(next.elsewhere);
            if !next.falls_through {
                break;
            }
            at = instruction.next_ip();
        }
    }
    found
}

/// Where control can go after an instruction.
struct Successors {
    elsewhere: Option<u64>,
    falls_through: bool,
    /// Whether it can go where nobody knows.
    are_unknown: bool,
}

fn successors(memory: &Memory, instruction: &Instruction) -> Successors {
    let to = |elsewhere: Option<u64>, falls_through: bool| Successors {
        elsewhere,
        falls_through,
        are_unknown: elsewhere.is_none(),
    };
    let within = |falls_through| Successors { elsewhere: None, falls_through, are_unknown: false };
    match instruction.flow_control() {
        FlowControl::Next => within(true),
        // The kernel keeps the x87 state.
        FlowControl::Call if instruction.code() == Code::Syscall => within(true),
        FlowControl::Call | FlowControl::ConditionalBranch => to(near_target(instruction), true),
        FlowControl::UnconditionalBranch => to(near_target(instruction), false),
        FlowControl::IndirectCall => to(memory.target(instruction), true),
        FlowControl::IndirectBranch => to(memory.target(instruction), false),
        FlowControl::Return | FlowControl::Exception => within(false),
        FlowControl::Interrupt | FlowControl::XbeginXabortXend => to(None, true),
    }
}

fn near_target(instruction: &Instruction) -> Option<u64> {
    (instruction.op0_kind() == OpKind::NearBranch64).then(|| instruction.near_branch64())
}

/// This process' memory.
struct Memory {
    mappings: Vec<Mapping>,
}

impl Memory {
    /// So many bytes at an address, or fewer where the mapping ends, with all of these permissions.
    fn bytes(&self, address: u64, most: u64, permissions: &[char]) -> Option<&[u8]> {
        let holds = |mapping: &&Mapping| (mapping.range.0..mapping.range.1).contains(&address);
        let mapping = self.mappings.iter().find(holds)?;
        // The kernel's pages are not ordinary memory.
        if !permissions.iter().all(|needed| mapping.permissions.contains(*needed)) || mapping.path == "[vsyscall]" {
            return None;
        }
        let length = most.min(mapping.range.1 - address) as usize;
        // SAFETY: the bytes are mapped and readable; this process has one thread, and no library is unloaded.
        Some(unsafe { std::slice::from_raw_parts(address as *const u8, length) })
    }

    fn decode(&self, address: u64) -> Option<Instruction> {
        let code = self.bytes(address, LONGEST, &['r', 'x'])?;
        let instruction = Decoder::with_ip(64, code, address, DecoderOptions::NONE).decode();
        (!instruction.is_invalid()).then_some(instruction)
    }

    /// Where a jump or call through memory at a fixed address leads: the linkage table's entries are such.
    fn target(&self, instruction: &Instruction) -> Option<u64> {
        let fixed = instruction.op0_kind() == OpKind::Memory
            && instruction.memory_base() == Register::RIP
            && instruction.segment_prefix() == Register::None;
        if !fixed {
            return None;
        }
        let entry = self.bytes(instruction.ip_rel_memory_address(), 8, &['r'])?;
        Some(u64::from_le_bytes(entry.try_into().ok()?))
    }
}

fn use_of(instruction: &Instruction) -> X87Use {
    match instruction.mnemonic() {
        // These load the status word.
        Mnemonic::Fldenv
        | Mnemonic::Frstor
        | Mnemonic::Fxrstor
        | Mnemonic::Fxrstor64
        | Mnemonic::Xrstor
        | Mnemonic::Xrstor64
        | Mnemonic::Xrstors
        | Mnemonic::Xrstors64 => X87Use::Any,
        // These clear all of it.
        Mnemonic::Fclex
        | Mnemonic::Fnclex
        | Mnemonic::Finit
        | Mnemonic::Fninit
        | Mnemonic::Fsave
        | Mnemonic::Fnsave => X87Use::Any,
        _ if touches_x87(instruction) => X87Use::Sticky,
        _ => X87Use::None,
    }
}

fn touches_x87(instruction: &Instruction) -> bool {
    let legacy = |feature: &CpuidFeature| {
        matches!(
            feature,
            CpuidFeature::FPU
                | CpuidFeature::FPU287
                | CpuidFeature::FPU287XL_ONLY
                | CpuidFeature::FPU387
                | CpuidFeature::FPU387SL_ONLY
                | CpuidFeature::MMX
                | CpuidFeature::D3NOW
                | CpuidFeature::FXSR
                | CpuidFeature::XSAVE
        )
    };
    // SSE and SSE2 instructions have forms on MMX registers.
    let on_mmx = |operand| instruction.op_kind(operand) == OpKind::Register && instruction.op_register(operand).is_mm();
    instruction.cpuid_features().iter().any(legacy) || (0..instruction.op_count()).any(on_mmx)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `f` of a library made of this C can do to the x87 unit.
    fn reachable_in(source: &str, flags: &[&str]) -> X87Use {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (file, library) = (folder.path().join("f.c"), folder.path().join("f.so"));
        std::fs::write(&file, source).expect("a writable folder");
        let mut command = std::process::Command::new("clang-22");
        command.args(["-shared", "-fPIC", "-w"]).args(flags).arg("-o").arg(&library).arg(&file).arg("-lm");
        assert!(command.status().expect("clang-22 runs").success());
        let loaded = crate::library::open_library(&library, false).expect("it loads");
        reachable(crate::library::find(loaded, "f").expect("f is there") as u64)
    }

    #[test]
    fn only_what_the_function_reaches_counts() {
        let plain = "double f(double x) { return 2 / x + x * x; }\n";
        for flags in [&["-O0"][..], &["-O3", "-ffast-math", "-march=native", "-g"]] {
            assert_eq!(reachable_in(plain, flags), X87Use::None, "{flags:?}");
        }
        let beside = "double g(double x) { return (long double)x / 3; }\ndouble f(double x) { return 2 / x; }\n";
        assert_eq!(reachable_in(beside, &["-O2"]), X87Use::None, "x87 code that is not called");
        let inside = "double f(double x) { return (long double)x / 3; }\n";
        assert_eq!(reachable_in(inside, &["-O2"]), X87Use::Sticky, "x87 code");
        let below = "__attribute__((noinline)) static double g(double x) { return (long double)x / 3; }\n\
                     double f(double x) { return x > 0 ? g(x) : 1; }\n";
        assert_eq!(reachable_in(below, &["-O2"]), X87Use::Sticky, "x87 code that is called");
        let mmx = "double f(double x) { __asm__ volatile(\"paddb %mm0, %mm1\"); return x; }\n";
        assert_eq!(reachable_in(mmx, &["-O2"]), X87Use::Sticky, "MMX code");
        let pointer = "double f(double (*g)(double), double x) { return g(x) + 1; }\n";
        assert_eq!(reachable_in(pointer, &["-O2"]), X87Use::Any, "a call through a register");
        assert_eq!(reachable(8), X87Use::Any, "not mapped");
    }

    #[test]
    fn what_clears_is_told_from_what_raises() {
        let instructions = [
            ("fldenv %0", X87Use::Any),
            ("frstor %0", X87Use::Any),
            ("fxrstor %0", X87Use::Any),
            ("fnclex", X87Use::Any),
            ("fclex", X87Use::Any),
            ("fninit", X87Use::Any),
            ("finit", X87Use::Any),
            ("fnsave %0", X87Use::Any),
            ("fsave %0", X87Use::Any),
            ("fnstenv %0", X87Use::Sticky),
            ("fldcw %0", X87Use::Sticky),
            ("emms", X87Use::Sticky),
        ];
        for (instruction, wanted) in instructions {
            let source = format!(
                "double f(double x) {{\n  static char area[512] __attribute__((aligned(64)));\n  \
                 if (x > 1) __asm__ volatile(\"{instruction}\" : \"+m\"(area));\n  return x;\n}}\n"
            );
            assert_eq!(reachable_in(&source, &["-O2"]), wanted, "{instruction}");
        }
        let cleared = "#include <fenv.h>\ndouble f(long double x) { feclearexcept(FE_ALL_EXCEPT); return x / 3; }\n";
        assert_eq!(reachable_in(cleared, &["-O2"]), X87Use::Any);
        // Conversions change the control word and put it back.
        let converted = "long f(long double x) { return x / 3; }\n";
        assert_eq!(reachable_in(converted, &["-O2"]), X87Use::Sticky);
    }

    #[test]
    fn library_functions_are_followed() {
        let with = |call: &str| format!("#include <math.h>\ndouble f(double x) {{ return {call} + 1; }}\n");
        assert_eq!(reachable_in(&with("floor(x)"), &["-O2"]), X87Use::None);
        assert_ne!(reachable_in(&with("(double)sinl(x)"), &["-O2"]), X87Use::None);
        // A function of the library that the code does not call is no use.
        let beside =
            "#include <math.h>\ndouble g(double x) { return sinl(x); }\ndouble f(double x) { return x * x; }\n";
        assert_eq!(reachable_in(beside, &["-O2"]), X87Use::None);
    }
}
