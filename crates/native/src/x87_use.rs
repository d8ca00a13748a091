//! Whether a call of the function under test can touch the x87 unit at all.
//!
//! Reading the x87 status word costs as much as everything else that the driver loop adds to a call. Where no x87 or MMX
//! instruction can be reached from the function, no call changes that word.
//!
//! **Claim.** If [`possible`] says no, no instruction that a call executes touches the x87 state.
//!
//! **Argument.** From the function's first instruction on, in the loaded process, every instruction that control can reach
//! is decoded: both ways of branches, calls and what follows them, and jumps and calls through memory at a fixed address,
//! whose targets the linker has put there already (the worker binds everything at loading). Whatever is not understood
//! counts as a use: calls through registers, jump tables, code that is too long, addresses that are not mapped.
//!
//! **What it may miss.** Code that rewrites itself or its linkage table, and signal handlers that it installs.

/// Whether a call of the function at this address of this process can execute x87 or MMX instructions.
pub fn possible(function: u64) -> bool {
    #[cfg(target_arch = "x86_64")]
    return walk::reaches_x87(function);
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = function;
        true
    }
}

#[cfg(target_arch = "x86_64")]
mod walk {
    use std::collections::HashSet;

    use iced_x86::{Code, CpuidFeature, Decoder, DecoderOptions, FlowControl, Instruction, OpKind, Register};

    use crate::symbol::{Mapping, mappings};

    /// Instructions looked at: the whole of a large library function and what it calls takes some milliseconds.
    const MOST_INSTRUCTIONS: usize = 200_000;

    /// The longest instruction in bytes.
    const LONGEST: u64 = 15;

    pub fn reaches_x87(function: u64) -> bool {
        let memory = Memory { mappings: mappings() };
        let (mut seen, mut pending) = (HashSet::new(), vec![function]);
        while let Some(mut at) = pending.pop() {
            // One straight run of instructions, up to where control leaves it or one that was seen.
            while seen.insert(at) {
                let Some(instruction) = memory.decode(at) else { return true };
                if touches_x87(&instruction) || seen.len() > MOST_INSTRUCTIONS {
                    return true;
                }
                let Some(next) = successors(&memory, &instruction) else { return true };
                pending.extend(next.elsewhere);
                if !next.falls_through {
                    break;
                }
                at = instruction.next_ip();
            }
        }
        false
    }

    /// Where control can go after an instruction.
    struct Successors {
        elsewhere: Option<u64>,
        falls_through: bool,
    }

    /// `None` where that is not known.
    fn successors(memory: &Memory, instruction: &Instruction) -> Option<Successors> {
        let (elsewhere, falls_through) = match instruction.flow_control() {
            FlowControl::Next => (None, true),
            // The kernel keeps the x87 state.
            FlowControl::Call if instruction.code() == Code::Syscall => (None, true),
            FlowControl::Call | FlowControl::ConditionalBranch => (Some(near_target(instruction)?), true),
            FlowControl::UnconditionalBranch => (Some(near_target(instruction)?), false),
            FlowControl::IndirectCall => (Some(memory.target(instruction)?), true),
            FlowControl::IndirectBranch => (Some(memory.target(instruction)?), false),
            FlowControl::Return | FlowControl::Exception => (None, false),
            FlowControl::Interrupt | FlowControl::XbeginXabortXend => return None,
        };
        Some(Successors { elsewhere, falls_through })
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
        let on_mmx =
            |operand| instruction.op_kind(operand) == OpKind::Register && instruction.op_register(operand).is_mm();
        instruction.cpuid_features().iter().any(legacy) || (0..instruction.op_count()).any(on_mmx)
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// Whether `f` of a library made of this C can use x87.
    fn possible_in(source: &str, flags: &[&str]) -> bool {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (file, library) = (folder.path().join("f.c"), folder.path().join("f.so"));
        std::fs::write(&file, source).expect("a writable folder");
        let mut command = std::process::Command::new("clang-22");
        command.args(["-shared", "-fPIC", "-w"]).args(flags).arg("-o").arg(&library).arg(&file).arg("-lm");
        assert!(command.status().expect("clang-22 runs").success());
        let loaded = crate::child::open_library(&library, false).expect("it loads");
        possible(crate::child::find(loaded, "f").expect("f is there") as u64)
    }

    #[test]
    fn only_what_the_function_reaches_counts() {
        let plain = "double f(double x) { return 2 / x + x * x; }\n";
        for flags in [&["-O0"][..], &["-O3", "-ffast-math", "-march=native", "-g"]] {
            assert!(!possible_in(plain, flags), "{flags:?}");
        }
        let beside = "double g(double x) { return (long double)x / 3; }\ndouble f(double x) { return 2 / x; }\n";
        assert!(!possible_in(beside, &["-O2"]), "x87 code that is not called");
        assert!(possible_in("double f(double x) { return (long double)x / 3; }\n", &["-O2"]), "x87 code");
        let below = "__attribute__((noinline)) static double g(double x) { return (long double)x / 3; }\n\
                     double f(double x) { return x > 0 ? g(x) : 1; }\n";
        assert!(possible_in(below, &["-O2"]), "x87 code that is called");
        let mmx = "double f(double x) { __asm__ volatile(\"paddb %mm0, %mm1\"); return x; }\n";
        assert!(possible_in(mmx, &["-O2"]), "MMX code");
        let pointer = "double f(double (*g)(double), double x) { return g(x) + 1; }\n";
        assert!(possible_in(pointer, &["-O2"]), "a call through a register");
        assert!(possible(8), "not mapped");
    }

    #[test]
    fn library_functions_are_followed() {
        let with = |call: &str| format!("#include <math.h>\ndouble f(double x) {{ return {call} + 1; }}\n");
        assert!(!possible_in(&with("floor(x)"), &["-O2"]));
        assert!(possible_in(&with("(double)sinl(x)"), &["-O2"]));
        // A function of the library that the code does not call is no use.
        let beside =
            "#include <math.h>\ndouble g(double x) { return sinl(x); }\ndouble f(double x) { return x * x; }\n";
        assert!(!possible_in(beside, &["-O2"]));
    }
}
