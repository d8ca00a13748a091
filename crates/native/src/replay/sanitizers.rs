//! Which sanitizers a program is compiled with.

use labrys_program::Instrumentation;

/// Which errors a build of a program shows. A report ends the program: what is not asked about must not be checked, or it
/// would hide what comes behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sanitizers {
    /// Accesses, frees and arithmetic.
    Address {
        /// Also what only a type tells: an index beyond an array within a larger object, and a null pointer before it is accessed.
        types: bool,
        /// Shifts by too many bits.
        shift: bool,
        /// Overflow of signed integers.
        signed_overflow: bool,
        /// Errors of arithmetic are traps that debug information names (clang only): reports of the integers themselves end in the
        /// sanitizer's own failure where these have more than 128 bits.
        traps: bool,
    },
    /// Decisions by what was never written (clang only).
    Memory,
}

impl Sanitizers {
    /// The flags, for clang and gcc alike.
    pub fn instrumentation(self) -> Instrumentation {
        let mut flags = Vec::new();
        let mut add = |flag: &str| flags.push(flag.to_owned());
        let attribute = match self {
            Sanitizers::Address { types, shift, signed_overflow, traps } => {
                add("-fsanitize=address");
                let mut arithmetic = vec!["integer-divide-by-zero"];
                // Where overflow is asked about, signed integers that are shifted left out of their range are, too.
                arithmetic.extend(shift.then_some(if signed_overflow { "shift" } else { "shift-exponent" }));
                arithmetic.extend(signed_overflow.then_some("signed-integer-overflow"));
                let mut checks = vec!["unreachable", "return"];
                checks.extend(types.then_some(["null", "bounds"]).into_iter().flatten());
                add(&format!("-fsanitize={},{}", arithmetic.join(","), checks.join(",")));
                if traps {
                    add(&format!("-fsanitize-trap={}", arithmetic.join(",")));
                }
                "sanitize_address"
            }
            Sanitizers::Memory => {
                add("-fsanitize=memory");
                // Passing a value on decides nothing.
                add("-fno-sanitize-memory-param-retval");
                "sanitize_memory"
            }
        };
        add("-fno-sanitize-recover=all");
        Instrumentation { flags, attribute: Some(attribute) }
    }

    /// The file name of its build.
    pub(super) fn name(self) -> String {
        match self {
            Sanitizers::Address { types, shift, signed_overflow, traps } => {
                let [types, shift, overflow, traps] = [types, shift, signed_overflow, traps].map(u8::from);
                format!("address-{types}{shift}{overflow}{traps}")
            }
            Sanitizers::Memory => "memory".to_owned(),
        }
    }
}
