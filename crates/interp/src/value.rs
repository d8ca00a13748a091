//! Run-time values: integers that are concrete wherever possible, a domain's floats, pointers as (object, offset).

use std::borrow::Cow;
use std::rc::Rc;

use labrys_program::FunctionId;
use num_bigint::{BigInt, BigUint};
use num_traits::One;
use smallvec::SmallVec;

/// Index of a memory object. The program's globals come first, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

/// The symbol type of domains whose integers are always concrete: it has no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Never {}

/// An integer of a width of at least 1 bit: a known value or a domain's symbol. Those of programs have at most [`MAX_INT_BITS`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Int<S>(Repr<S>);

/// A known value is kept in halves: a `u128` would be aligned to 16 bytes, and make every value of a state larger by a third.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Repr<S> {
    /// Below 2^bits, 1 to 128.
    Concrete {
        bits: u32,
        low: u64,
        high: u64,
    },
    Symbolic {
        bits: u32,
        symbol: S,
    },
    /// A known value below 2^bits, which are more than 128.
    Wide {
        bits: u32,
        value: Rc<BigUint>,
    },
}

/// The widest integer of a program that values hold, in bits. Wider ones are `Unsupported`: a product of this many has millions of
/// gates as a circuit, one of twice as many four times as many.
pub const MAX_INT_BITS: u32 = 1024;

/// The widest integer whose known values are machine words.
pub(crate) const WORD_BITS: u32 = 128;

/// All ones in the lowest `bits` bits.
pub(crate) fn mask(bits: u32) -> u128 {
    if bits >= WORD_BITS { u128::MAX } else { (1 << bits) - 1 }
}

/// `value`, which is below 2^bits, read as two's complement; `bits` is at most 128.
pub(crate) fn sign_extended(bits: u32, value: u128) -> i128 {
    let shift = WORD_BITS - bits;
    ((value << shift) as i128) >> shift
}

impl<S> Int<S> {
    /// A known value; bits above the width are dropped.
    pub fn new(bits: u32, value: u128) -> Int<S> {
        if bits > WORD_BITS {
            return Int::number(bits, BigUint::from(value));
        }
        let value = value & mask(bits);
        Int(Repr::Concrete { bits, low: value as u64, high: (value >> 64) as u64 })
    }

    /// A known value of any size; bits above the width are dropped.
    pub fn number(bits: u32, value: BigUint) -> Int<S> {
        let fits = value.bits() <= u64::from(bits);
        let value = if fits { value } else { value & ((BigUint::one() << bits) - 1u8) };
        match u128::try_from(&value) {
            Ok(word) if bits <= WORD_BITS => Int::new(bits, word),
            _ => Int(Repr::Wide { bits, value: Rc::new(value) }),
        }
    }

    /// −1: all ones.
    pub fn minus_one(bits: u32) -> Int<S> {
        if bits > WORD_BITS { Int::number(bits, (BigUint::one() << bits) - 1u8) } else { Int::new(bits, u128::MAX) }
    }

    /// The least signed number: the highest bit alone.
    pub fn least(bits: u32) -> Int<S> {
        if bits > WORD_BITS { Int::number(bits, BigUint::one() << (bits - 1)) } else { Int::new(bits, 1 << (bits - 1)) }
    }

    /// The greatest signed number: all bits but the highest.
    pub fn greatest(bits: u32) -> Int<S> {
        if bits > WORD_BITS {
            Int::number(bits, (BigUint::one() << (bits - 1)) - 1u8)
        } else {
            Int::new(bits, mask(bits) >> 1)
        }
    }

    /// A symbol for an integer of that width.
    pub fn symbolic(bits: u32, symbol: S) -> Int<S> {
        Int(Repr::Symbolic { bits, symbol })
    }

    /// A truth value: one bit.
    pub fn bool(value: bool) -> Int<S> {
        Int::new(1, u128::from(value))
    }

    /// Width in bits.
    pub fn bits(&self) -> u32 {
        match self.0 {
            Repr::Concrete { bits, .. } | Repr::Symbolic { bits, .. } | Repr::Wide { bits, .. } => bits,
        }
    }

    /// Whether the value is known.
    pub fn is_known(&self) -> bool {
        !matches!(self.0, Repr::Symbolic { .. })
    }

    /// The value, unsigned, where it is known and has at most 128 bits.
    pub fn concrete(&self) -> Option<u128> {
        match self.0 {
            Repr::Concrete { low, high, .. } => Some(u128::from(high) << 64 | u128::from(low)),
            Repr::Symbolic { .. } | Repr::Wide { .. } => None,
        }
    }

    /// The value, unsigned, where it is known, of any width.
    pub fn known_number(&self) -> Option<Cow<'_, BigUint>> {
        match &self.0 {
            Repr::Concrete { .. } => self.concrete().map(|value| Cow::Owned(BigUint::from(value))),
            Repr::Wide { value, .. } => Some(Cow::Borrowed(value)),
            Repr::Symbolic { .. } => None,
        }
    }

    /// Whether the value is known to be a number, of which bits above the width are dropped.
    pub fn is(&self, number: u128) -> bool {
        match &self.0 {
            Repr::Concrete { bits, .. } => self.concrete() == Some(number & mask(*bits)),
            Repr::Wide { value, .. } => u128::try_from(value.as_ref()) == Ok(number),
            Repr::Symbolic { .. } => false,
        }
    }

    /// The value in two's complement, where it is known and has at most 128 bits.
    pub fn signed(&self) -> Option<i128> {
        self.concrete().map(|value| sign_extended(self.bits(), value))
    }

    /// The value in two's complement if `signed`, else unsigned, where it is known, of any width.
    pub fn known_integer(&self, signed: bool) -> Option<BigInt> {
        let value = self.known_number()?;
        let is_negative = signed && value.bit(u64::from(self.bits()) - 1);
        let value = BigInt::from(value.into_owned());
        Some(if is_negative { value - (BigInt::one() << self.bits()) } else { value })
    }

    /// The symbol, where the value is not known.
    pub fn symbol(&self) -> Option<&S> {
        match &self.0 {
            Repr::Concrete { .. } | Repr::Wide { .. } => None,
            Repr::Symbolic { symbol, .. } => Some(symbol),
        }
    }
}

/// What a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// Nothing: the offset is an address. Null is offset 0.
    Absolute,
    /// A memory object at a made-up address.
    Object {
        /// The object.
        id: ObjectId,
        /// Its address, so that pointers turn to integers without a look at memory.
        address: u64,
    },
    /// A function's code.
    Function(FunctionId),
}

/// A pointer: what it points into and a 64-bit offset from there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pointer<S> {
    /// What it points into.
    pub base: Base,
    /// Offset in bytes, 64 bits wide.
    pub offset: Int<S>,
}

/// Where functions are: below every object, and as far apart as code would be aligned.
const FUNCTIONS: u64 = 0x1000;
const FUNCTION_BYTES: u64 = 16;

impl Base {
    /// The address of offset 0.
    pub fn address(self) -> u64 {
        match self {
            Base::Absolute => 0,
            Base::Object { address, .. } => address,
            Base::Function(id) => FUNCTIONS + FUNCTION_BYTES * u64::from(id.0),
        }
    }

    /// The function whose address would be that.
    pub(crate) fn function_at(address: u64) -> Option<FunctionId> {
        let behind = address.checked_sub(FUNCTIONS).filter(|behind| behind % FUNCTION_BYTES == 0)?;
        u32::try_from(behind / FUNCTION_BYTES).ok().map(FunctionId)
    }
}

impl<S> Pointer<S> {
    /// A pointer to a known offset.
    pub fn new(base: Base, offset: u64) -> Pointer<S> {
        Pointer { base, offset: Int::new(64, u128::from(offset)) }
    }

    /// The null pointer.
    pub fn null() -> Pointer<S> {
        Pointer::new(Base::Absolute, 0)
    }
}

/// A scalar's content: an integer, a domain's float or a pointer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Datum<F, S> {
    /// An integer.
    Int(Int<S>),
    /// A floating-point number.
    Float(F),
    /// A pointer.
    Pointer(Pointer<S>),
}

/// A scalar and whether it depends on undef, poison or uninitialised memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scalar<F, S> {
    /// The content; arbitrary (zero, as a rule) where undef or poison made it.
    pub datum: Datum<F, S>,
    /// Whether undef, poison or uninitialised memory reached it.
    pub tainted: bool,
}

impl<F, S> Scalar<F, S> {
    /// A defined integer.
    pub fn int(value: Int<S>) -> Scalar<F, S> {
        Scalar { datum: Datum::Int(value), tainted: false }
    }

    /// A defined float.
    pub fn float(value: F) -> Scalar<F, S> {
        Scalar { datum: Datum::Float(value), tainted: false }
    }

    /// A defined pointer.
    pub fn pointer(value: Pointer<S>) -> Scalar<F, S> {
        Scalar { datum: Datum::Pointer(value), tainted: false }
    }

    /// The same, tainted if `tainted` says so too.
    pub fn taint(mut self, tainted: bool) -> Scalar<F, S> {
        self.tainted |= tainted;
        self
    }
}

/// A first-class value: its scalars in order. Vectors have one per lane, structs and arrays those of their members.
pub type Value<F, S> = SmallVec<[Scalar<F, S>; 1]>;
