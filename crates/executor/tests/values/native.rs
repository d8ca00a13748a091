//! Programs compiled by clang and run by the processor.

use std::fmt::Write;
use std::process::Command;

use libloading::Library;

use crate::program::{SLOT, StraightLine, declarations};

type Entry = unsafe extern "C" fn(*mut u8);

unsafe extern "C" {
    fn fesetround(mode: std::ffi::c_int) -> std::ffi::c_int;
}

/// A shared object with functions p0, p1, … for programs.
pub struct Native {
    library: Library,
    // The library's file must outlive it.
    _folder: tempfile::TempDir,
}

/// Slots at an address that is a multiple of 16.
#[repr(align(16))]
struct Slots([u8; SLOT * 256]);

impl Native {
    pub fn compile(programs: &[StraightLine]) -> Native {
        let folder = tempfile::tempdir().unwrap();
        let (source, object) = (folder.path().join("p.ll"), folder.path().join("p.so"));
        let mut text = declarations();
        for (index, program) in programs.iter().enumerate() {
            let _ = write!(text, "{}", program.text(&format!("p{index}")));
        }
        std::fs::write(&source, &text).unwrap();
        let mut command = Command::new("clang-22");
        command.args(["-w", "-O0", "-shared", "-fPIC", "-o"]).arg(&object).arg(&source).arg("-lm");
        let result = command.output().unwrap();
        assert!(result.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&result.stderr));
        // SAFETY: the object was just made from our own source and has no initialisers.
        let library = unsafe { Library::new(&object) }.unwrap();
        Native { library, _folder: folder }
    }

    /// All slots after a run.
    pub fn run(&self, index: usize, program: &StraightLine, inputs: &[u128]) -> Vec<u128> {
        let mut slots = Box::new(Slots([0; SLOT * 256]));
        assert!(program.kinds.len() <= 256);
        for (slot, input) in inputs.iter().enumerate() {
            slots.0[slot * SLOT..(slot + 1) * SLOT].copy_from_slice(&input.to_le_bytes());
        }
        // SAFETY: a function of this signature that stays within its slots; the rounding mode is restored.
        unsafe {
            let entry = self.library.get::<Entry>(format!("p{index}")).unwrap();
            entry(slots.0.as_mut_ptr());
            fesetround(0);
        }
        let bits = program.kinds.iter().enumerate().map(|(slot, kind)| {
            let mut bytes = [0; SLOT];
            bytes.copy_from_slice(&slots.0[slot * SLOT..(slot + 1) * SLOT]);
            u128::from_le_bytes(bytes) & (u128::MAX >> (128 - kind.bits()))
        });
        bits.collect()
    }
}
