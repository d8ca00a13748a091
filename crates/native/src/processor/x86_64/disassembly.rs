//! What an instruction does, and which function it calls.

use std::collections::HashMap;

/// The imported function that an instruction calls or jumps to: through its slot, or through a stub of the procedure
/// linkage table. `address` is the last byte of a call, or the first of a call or jump; `code` gives what stands at an address
/// and behind it; `imports` has functions by their slots.
pub fn callee<'a>(
    code: impl Fn(u64) -> Option<&'a [u8]>,
    imports: &HashMap<u64, String>,
    address: u64,
) -> Option<String> {
    // FF 15, FF 25: a call, a jump through a slot; E8, E9: a direct one.
    const THROUGH: [&[u8]; 2] = [&[0xff, 0x15], &[0xff, 0x25]];
    const DIRECT: [&[u8]; 2] = [&[0xe8], &[0xe9]];
    let starts_with = |at: u64, bytes: &[u8]| code(at).is_some_and(|code| code.starts_with(bytes));
    // What an instruction of that length with a final 32-bit displacement refers to.
    let displacement = |at: u64, length: u64| {
        let bytes = code(at)?.get(length as usize - 4..length as usize)?;
        let four: [u8; 4] = bytes.try_into().ok()?;
        Some((at + length).wrapping_add_signed(i64::from(i32::from_le_bytes(four))))
    };
    let end = address.checked_add(1)?;
    let starts = |at: u64, forms: [&[u8]; 2]| forms.iter().any(|form| starts_with(at, form));
    let first_of = |length: u64, forms: [&[u8]; 2]| {
        let call = end.checked_sub(length).filter(|at| starts_with(*at, forms[0]));
        call.or(Some(address)).filter(|at| starts(*at, forms))
    };
    if let Some(slot) = first_of(6, THROUGH).and_then(|at| displacement(at, 6))
        && let Some(name) = imports.get(&slot)
    {
        return Some(name.clone());
    }
    let stub = displacement(first_of(5, DIRECT)?, 5)?;
    // A stub is, after an optional ENDBR64 and BND prefix, FF 25: a jump through a slot.
    let after = stub + if starts_with(stub, &[0xf3, 0x0f, 0x1e, 0xfa]) { 4 } else { 0 };
    let jump = after + u64::from(starts_with(after, &[0xf2]));
    let slot = displacement(Some(jump).filter(|at| starts_with(*at, THROUGH[1]))?, 6)?;
    imports.get(&slot).cloned()
}

/// The operator of an instruction in LLVM's words, else its mnemonic.
pub fn operator(code: &[u8], address: u64) -> String {
    let mut decoder = iced_x86::Decoder::with_ip(64, code, address, iced_x86::DecoderOptions::NONE);
    let mnemonic = format!("{:?}", decoder.decode().mnemonic()).to_lowercase();
    family(mnemonic.strip_prefix('v').unwrap_or(&mnemonic)).map_or(mnemonic.clone(), str::to_owned)
}

/// Whether an instruction adds a register to itself, as code generators multiply by 2.
pub fn doubles(code: &[u8], address: u64) -> bool {
    let mut decoder = iced_x86::Decoder::with_ip(64, code, address, iced_x86::DecoderOptions::NONE);
    let instruction = decoder.decode();
    let name = format!("{:?}", instruction.mnemonic()).to_lowercase();
    let operands = instruction.op_count();
    if !name.trim_start_matches(['v', 'f']).starts_with("add") || operands < 2 {
        return false;
    }
    let register = |at: u32| Some(instruction.op_register(at)).filter(|register| *register != iced_x86::Register::None);
    register(operands - 1).is_some_and(|last| register(operands - 2) == Some(last))
}

/// The operator of an x86 mnemonic without the `v` of its AVX form, SSE and x87 alike.
fn family(mnemonic: &str) -> Option<&'static str> {
    // By prefix: the first that fits.
    const FAMILIES: [(&str, &str); 39] = [
        ("addsub", "fadd"),
        ("add", "fadd"),
        ("hadd", "fadd"),
        ("fadd", "fadd"),
        ("fiadd", "fadd"),
        ("sub", "fsub"),
        ("hsub", "fsub"),
        ("fsub", "fsub"),
        ("fisub", "fsub"),
        ("mul", "fmul"),
        ("dp", "fmul"),
        ("fmul", "fmul"),
        ("fimul", "fmul"),
        ("div", "fdiv"),
        ("fdiv", "fdiv"),
        ("fidiv", "fdiv"),
        ("sqrt", "fsqrt"),
        ("fsqrt", "fsqrt"),
        ("fmadd", "fma"),
        ("fmsub", "fma"),
        ("fnmadd", "fma"),
        ("fnmsub", "fma"),
        ("fprem", "frem"),
        ("cvt", "fconvert"),
        ("fst", "fconvert"),
        ("fist", "fconvert"),
        ("fld", "fconvert"),
        ("fild", "fconvert"),
        ("ucomis", "fcmp"),
        ("comis", "fcmp"),
        ("cmp", "fcmp"),
        ("fcom", "fcmp"),
        ("ficom", "fcmp"),
        ("fucom", "fcmp"),
        ("ftst", "fcmp"),
        ("min", "fmin"),
        ("max", "fmax"),
        ("round", "fround"),
        ("rndscale", "fround"),
    ];
    match mnemonic {
        "frndint" => Some("fround"),
        // Stores of control and status words convert nothing.
        "fstcw" | "fstsw" | "fstenv" | "fldcw" | "fldenv" => None,
        _ => FAMILIES.iter().find(|(prefix, _)| mnemonic.starts_with(prefix)).map(|(_, family)| *family),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_register_added_to_itself_doubles() {
        // addsd xmm0, xmm0; addss xmm3, xmm3; vaddpd ymm1, ymm2, ymm2; fadd st, st.
        let doubling: [&[u8]; 4] =
            [&[0xf2, 0x0f, 0x58, 0xc0], &[0xf3, 0x0f, 0x58, 0xdb], &[0xc5, 0xed, 0x58, 0xca], &[0xd8, 0xc0]];
        for code in doubling {
            assert!(doubles(code, 0x1000), "{code:x?}");
            assert_eq!(operator(code, 0x1000), "fadd", "{code:x?}");
        }
        // addsd xmm0, xmm1; addsd xmm0, [rip]; mulsd xmm0, xmm0; vaddpd ymm1, ymm1, ymm2; subsd xmm0, xmm0.
        let others: [&[u8]; 5] = [
            &[0xf2, 0x0f, 0x58, 0xc1],
            &[0xf2, 0x0f, 0x58, 0x05, 0, 0, 0, 0],
            &[0xf2, 0x0f, 0x59, 0xc0],
            &[0xc5, 0xf5, 0x58, 0xca],
            &[0xf2, 0x0f, 0x5c, 0xc0],
        ];
        for code in others {
            assert!(!doubles(code, 0x1000), "{code:x?}");
        }
    }
}
