//! Which instructions read or write the sticky exception bits of MXCSR or of the x87 status word.

/// Whether the instruction whose bytes `byte` gives (0 for the first) reads or writes sticky bits other than by raising
/// exceptions. Asks for no byte behind the instruction's last, so that it may stand at the end of mapped memory.
pub fn accesses_status(byte: impl Fn(u64) -> u8) -> bool {
    // An instruction is at most 15 bytes long.
    let mut at = 0;
    while at < 15 && is_prefix(byte(at)) {
        at += 1;
    }
    let is_memory = |modrm: u8| modrm >> 6 != 3;
    let field = |modrm: u8| modrm >> 3 & 7;
    match byte(at) {
        0x0f => match byte(at + 1) {
            // fxsave, fxrstor, ldmxcsr, stmxcsr, xsave, xrstor, xsaveopt; the forms with registers are fences.
            0xae => is_memory(byte(at + 2)) && field(byte(at + 2)) <= 6,
            // xrstors, xsavec, xsaves.
            0xc7 => is_memory(byte(at + 2)) && (3..=5).contains(&field(byte(at + 2))),
            _ => false,
        },
        // vldmxcsr, vstmxcsr.
        0xc5 => byte(at + 2) == 0xae,
        0xc4 => byte(at + 1) & 0x1f == 1 && byte(at + 3) == 0xae,
        // fldenv, fnstenv.
        0xd9 => is_memory(byte(at + 1)) && matches!(field(byte(at + 1)), 4 | 6),
        // fnclex, fninit.
        0xdb => matches!(byte(at + 1), 0xe2 | 0xe3),
        // frstor, fnsave, fnstsw to memory.
        0xdd => is_memory(byte(at + 1)) && matches!(field(byte(at + 1)), 4 | 6 | 7),
        // fnstsw to ax.
        0xdf => byte(at + 1) == 0xe0,
        _ => false,
    }
}

fn is_prefix(byte: u8) -> bool {
    matches!(byte, 0x26 | 0x2e | 0x36 | 0x3e | 0x40..=0x4f | 0x64..=0x67 | 0xf0 | 0xf2 | 0xf3)
}

#[cfg(test)]
mod tests {
    use super::accesses_status;

    fn accesses(bytes: &[u8]) -> bool {
        accesses_status(|at| bytes[at as usize])
    }

    #[test]
    fn instructions_that_touch_status() {
        assert!(accesses(&[0x0f, 0xae, 0x5c, 0x24, 0xfc]), "stmxcsr");
        assert!(accesses(&[0x41, 0x0f, 0xae, 0x10]), "ldmxcsr with a prefix");
        assert!(accesses(&[0xc5, 0xf8, 0xae, 0x18]), "vstmxcsr");
        assert!(accesses(&[0xc4, 0xc1, 0x78, 0xae, 0x10]), "vldmxcsr with an extended register");
        assert!(accesses(&[0x48, 0x0f, 0xc7, 0x64, 0x24, 0x40]), "xsavec");
        assert!(accesses(&[0xdf, 0xe0]) && accesses(&[0xdd, 0x38]), "fnstsw");
        assert!(accesses(&[0xd9, 0x30]) && accesses(&[0xd9, 0x20]), "fnstenv, fldenv");
        assert!(accesses(&[0xdb, 0xe2]) && accesses(&[0xdb, 0xe3]), "fnclex, fninit");
    }

    #[test]
    fn instructions_that_do_not() {
        assert!(!accesses(&[0xf2, 0x0f, 0x5e, 0xc1]), "divsd");
        assert!(!accesses(&[0x0f, 0xae, 0xe8]), "lfence");
        assert!(!accesses(&[0xd9, 0x6c, 0x24, 0x02]), "fldcw");
        assert!(!accesses(&[0xdd, 0x45, 0x10]), "fld");
        assert!(!accesses(&[0xc3]), "ret");
        assert!(!accesses(&[0xc5, 0xfb, 0x5e, 0xc1]), "vdivsd");
    }
}
