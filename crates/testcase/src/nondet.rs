//! The functions `__VERIFIER_nondet_X` by which SV-COMP's programs ask for inputs: one row for each X.

/// What a scalar's bytes mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarKind {
    /// A signed integer in two's complement.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// 0 or 1.
    Bool,
    /// A float of C's type of this size; 16 bytes hold x87's 80 bits.
    Float,
    /// An address.
    Pointer,
}

/// A function that asks for an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nondet {
    /// What stands behind `__VERIFIER_nondet_`.
    pub suffix: &'static str,
    /// Its result's type in C.
    pub c_type: &'static str,
    /// That type's size in bytes on 64-bit Linux.
    pub bytes: usize,
    /// What the bytes mean.
    pub kind: ScalarKind,
}

/// What the names of all of them begin with.
pub const NONDET_PREFIX: &str = "__VERIFIER_nondet_";

const fn row(suffix: &'static str, c_type: &'static str, bytes: usize, kind: ScalarKind) -> Nondet {
    Nondet { suffix, c_type, bytes, kind }
}

/// Those of SV-COMP's rules, and the other spellings that its programs have.
pub const NONDET: [Nondet; 38] = [
    row("bool", "_Bool", 1, ScalarKind::Bool),
    row("char", "char", 1, ScalarKind::Signed),
    row("schar", "signed char", 1, ScalarKind::Signed),
    row("uchar", "unsigned char", 1, ScalarKind::Unsigned),
    row("unsigned_char", "unsigned char", 1, ScalarKind::Unsigned),
    row("short", "short", 2, ScalarKind::Signed),
    row("ushort", "unsigned short", 2, ScalarKind::Unsigned),
    row("int", "int", 4, ScalarKind::Signed),
    row("uint", "unsigned int", 4, ScalarKind::Unsigned),
    row("unsigned", "unsigned int", 4, ScalarKind::Unsigned),
    row("unsigned_int", "unsigned int", 4, ScalarKind::Unsigned),
    row("long", "long", 8, ScalarKind::Signed),
    row("ulong", "unsigned long", 8, ScalarKind::Unsigned),
    row("unsigned_long", "unsigned long", 8, ScalarKind::Unsigned),
    row("longlong", "long long", 8, ScalarKind::Signed),
    row("ulonglong", "unsigned long long", 8, ScalarKind::Unsigned),
    row("int128", "__int128", 16, ScalarKind::Signed),
    row("uint128", "unsigned __int128", 16, ScalarKind::Unsigned),
    row("s8", "signed char", 1, ScalarKind::Signed),
    row("u8", "unsigned char", 1, ScalarKind::Unsigned),
    row("s16", "short", 2, ScalarKind::Signed),
    row("u16", "unsigned short", 2, ScalarKind::Unsigned),
    row("s32", "int", 4, ScalarKind::Signed),
    row("u32", "unsigned int", 4, ScalarKind::Unsigned),
    row("s64", "long", 8, ScalarKind::Signed),
    row("u64", "unsigned long", 8, ScalarKind::Unsigned),
    row("size_t", "unsigned long", 8, ScalarKind::Unsigned),
    row("ssize_t", "long", 8, ScalarKind::Signed),
    row("loff_t", "long", 8, ScalarKind::Signed),
    row("off_t", "long", 8, ScalarKind::Signed),
    row("sector_t", "unsigned long", 8, ScalarKind::Unsigned),
    row("pthread_t", "unsigned long", 8, ScalarKind::Unsigned),
    row("float", "float", 4, ScalarKind::Float),
    row("double", "double", 8, ScalarKind::Float),
    row("longdouble", "long double", 16, ScalarKind::Float),
    row("long_double", "long double", 16, ScalarKind::Float),
    row("pchar", "char *", 8, ScalarKind::Pointer),
    row("pointer", "void *", 8, ScalarKind::Pointer),
];

impl Nondet {
    /// The function of a name such as `__VERIFIER_nondet_double`.
    ///
    /// ```
    /// use labrys_testcase::{Nondet, ScalarKind};
    /// let double = Nondet::named("__VERIFIER_nondet_double").unwrap();
    /// assert_eq!((double.bytes, double.kind), (8, ScalarKind::Float));
    /// assert!(Nondet::named("x").is_none());
    /// ```
    pub fn named(name: &str) -> Option<&'static Nondet> {
        let suffix = name.strip_prefix(NONDET_PREFIX)?;
        NONDET.iter().find(|nondet| nondet.suffix == suffix)
    }

    /// Its declaration in C, without a semicolon.
    pub(crate) fn prototype(&self) -> String {
        let space = if self.c_type.ends_with('*') { "" } else { " " };
        format!("{}{space}{NONDET_PREFIX}{}(void)", self.c_type, self.suffix)
    }
}
