//! Whether a library's functions can touch the x87 unit at all.
//!
//! Reading the x87 status word costs as much as everything else that the driver loop adds to a call. Where the library's
//! own code has no x87 or MMX instruction and imports nothing but what the compiler's start-up code asks for, no call can
//! change that word: there is no other code that it could reach. Whatever is not understood counts as a use.

use std::path::Path;

use object::{Object, ObjectSection, ObjectSymbol, SectionKind};

/// What start-up code of gcc and clang imports, none of which runs during a call.
const START_UP: [&str; 5] =
    ["", "__cxa_finalize", "__gmon_start__", "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable"];

/// Whether a call of one of the library's functions can execute x87 or MMX instructions.
pub fn possible(library: &Path) -> bool {
    let Ok(bytes) = std::fs::read(library) else { return true };
    let Ok(file) = object::File::parse(&*bytes) else { return true };
    if file.architecture() != object::Architecture::X86_64 {
        return true;
    }
    let imports = |symbol: &object::Symbol<'_, '_>| {
        symbol.is_undefined() && !symbol.name().is_ok_and(|name| START_UP.contains(&name))
    };
    if file.dynamic_symbols().any(|symbol| imports(&symbol)) {
        return true;
    }
    // Disassembly starts afresh at every function, so that data between functions does not hide what follows.
    let mut starts: Vec<u64> = file.symbols().chain(file.dynamic_symbols()).map(|symbol| symbol.address()).collect();
    starts.sort_unstable();
    starts.dedup();
    file.sections().filter(|section| section.kind() == SectionKind::Text).any(|section| {
        let (first, Ok(code)) = (section.address(), section.data()) else { return true };
        let end = first + code.len() as u64;
        let inside = starts.iter().copied().filter(|start| (first + 1..end).contains(start));
        let bounds: Vec<u64> = std::iter::once(first).chain(inside).chain([end]).collect();
        bounds.windows(2).any(|pair| uses_x87(&code[(pair[0] - first) as usize..(pair[1] - first) as usize], pair[0]))
    })
}

#[cfg(target_arch = "x86_64")]
fn uses_x87(code: &[u8], address: u64) -> bool {
    use iced_x86::CpuidFeature;
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
    let on_mmx = |instruction: &iced_x86::Instruction| {
        (0..instruction.op_count()).any(|operand| {
            instruction.op_kind(operand) == iced_x86::OpKind::Register && instruction.op_register(operand).is_mm()
        })
    };
    let decoder = iced_x86::Decoder::with_ip(64, code, address, iced_x86::DecoderOptions::NONE);
    decoder.into_iter().any(|instruction| {
        instruction.is_invalid() || instruction.cpuid_features().iter().any(legacy) || on_mmx(&instruction)
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn uses_x87(_code: &[u8], _address: u64) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a library made of this C can use x87.
    fn possible_in(source: &str, flags: &[&str]) -> bool {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (file, library) = (folder.path().join("f.c"), folder.path().join("f.so"));
        std::fs::write(&file, source).expect("a writable folder");
        let mut command = std::process::Command::new("clang-22");
        command.args(["-shared", "-fPIC", "-w"]).args(flags).arg("-o").arg(&library).arg(&file).arg("-lm");
        assert!(command.status().expect("clang-22 runs").success());
        possible(&library)
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn plain_code_cannot_and_other_code_can() {
        let plain = "double f(double x) { return 2 / x + x * x; }\n";
        for flags in [&["-O0"][..], &["-O3", "-ffast-math", "-march=native", "-g"]] {
            assert!(!possible_in(plain, flags), "{flags:?}");
        }
        assert!(possible_in("double f(double x) { return (long double)x / 3; }\n", &["-O2"]), "x87 code");
        assert!(possible_in("double log(double);\ndouble f(double x) { return log(x); }\n", &["-O2"]), "an import");
        let mmx = "double f(double x) { __asm__ volatile(\"paddb %mm0, %mm1\"); return x; }\n";
        assert!(possible_in(mmx, &["-O2"]), "MMX code");
        assert!(possible(Path::new("/nonexistent")), "not understood");
    }
}
