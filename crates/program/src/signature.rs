//! What a function takes and returns, as its source declares it: more than LLVM's IR knows (opaque pointers, coerced
//! structs), less than the language's type system.

/// A floating-point type of the source language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatType {
    /// C's `_Float16`, binary16.
    F16,
    /// C's `float`, binary32.
    F32,
    /// C's `double`, binary64.
    F64,
    /// C's `long double` on x86-64: 80 bits in 16 bytes.
    X87,
}

/// A scalar that can be driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarType {
    /// Floating point.
    Float(FloatType),
    /// An integer of 8, 16, 32 or 64 bits.
    Int {
        /// Width in bits.
        bits: u32,
        /// Whether values are signed.
        signed: bool,
    },
    /// `bool`: a byte that holds 0 or 1.
    Bool,
}

/// A struct of drivable parts, in memory order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructType {
    /// Its name in the source, for messages and the driver's declarations; may be empty.
    pub name: String,
    /// Size in bytes, padding included.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// The members.
    pub fields: Vec<StructField>,
}

/// One member of a struct.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructField {
    /// Its name.
    pub name: String,
    /// Offset in bytes.
    pub offset: u64,
    /// Its type.
    pub ty: Pointee,
    /// How many elements an array member has; 1 for a plain member.
    pub count: u64,
    /// Whether it was declared as an array (an array of one is still an array).
    pub is_array: bool,
}

/// What memory holds: a scalar or a struct.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pointee {
    /// A scalar.
    Scalar(ScalarType),
    /// A struct.
    Struct(StructType),
}

/// How many elements a pointer parameter points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// So many.
    Fixed(u64),
    /// As many as the integer parameter of that index says, which is kept within 0..=`max`, and some more.
    Parameter {
        /// Index of the length parameter.
        index: usize,
        /// The greatest value of that parameter.
        max: u64,
        /// Elements beyond those: 1 for the coefficients of a polynomial whose degree is the parameter.
        beyond: u64,
    },
}

impl Length {
    /// The elements that there are at most: as many as have a place in memory and in records.
    pub fn capacity(self) -> u64 {
        match self {
            Length::Fixed(count) => count,
            Length::Parameter { max, beyond, .. } => max.saturating_add(beyond),
        }
    }
}

/// Whether memory behind a pointer is read, written or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Only read: an input.
    In,
    /// Only written: an output; it starts as zero bytes.
    Out,
    /// Both.
    InOut,
}

/// The type of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ParameterType {
    /// A scalar or struct by value.
    Value(Pointee),
    /// Memory behind a pointer or reference; Fortran's by-reference scalars have length 1.
    Pointer {
        /// Element type.
        pointee: Pointee,
        /// Number of elements.
        length: Length,
        /// Direction.
        access: Access,
    },
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// Its name in the source; `argN` where the source has none.
    pub name: String,
    /// Its type.
    pub ty: ParameterType,
}

/// What a function returns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ResultType {
    /// Nothing.
    Void,
    /// A scalar or a struct by value.
    Value(Pointee),
}

/// A function as a caller sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// The name users know: source name, demangled.
    pub name: String,
    /// The symbol in object files.
    pub symbol: String,
    /// Parameters in call order.
    pub parameters: Vec<Parameter>,
    /// The result.
    pub result: ResultType,
}

impl ScalarType {
    /// Size in memory in bytes: 16 for x87.
    pub fn size(self) -> u64 {
        match self {
            ScalarType::Float(FloatType::F16) => 2,
            ScalarType::Float(FloatType::F32) => 4,
            ScalarType::Float(FloatType::F64) => 8,
            ScalarType::Float(FloatType::X87) => 16,
            ScalarType::Int { bits, .. } => u64::from(bits) / 8,
            ScalarType::Bool => 1,
        }
    }

    /// The encoding of such a value at an offset of a record; zero where the record does not reach so far.
    pub fn read(self, record: &[u8], offset: usize) -> u128 {
        let mut bytes = [0u8; 16];
        let width = self.value_bytes();
        if let Some(source) = record.get(offset..offset + width) {
            bytes[..width].copy_from_slice(source);
        }
        u128::from_le_bytes(bytes)
    }

    /// How many of its bytes hold the value: 10 for x87.
    pub fn value_bytes(self) -> usize {
        match self {
            ScalarType::Float(FloatType::X87) => 10,
            other => other.size() as usize,
        }
    }

    /// Its name in reports: C's.
    pub fn name(self) -> &'static str {
        match self {
            ScalarType::Float(FloatType::F16) => "_Float16",
            ScalarType::Float(FloatType::F32) => "float",
            ScalarType::Float(FloatType::F64) => "double",
            ScalarType::Float(FloatType::X87) => "long double",
            ScalarType::Int { bits: 8, signed: true } => "int8_t",
            ScalarType::Int { bits: 16, signed: true } => "int16_t",
            ScalarType::Int { bits: 32, signed: true } => "int32_t",
            ScalarType::Int { signed: true, .. } => "int64_t",
            ScalarType::Int { bits: 8, .. } => "uint8_t",
            ScalarType::Int { bits: 16, .. } => "uint16_t",
            ScalarType::Int { bits: 32, .. } => "uint32_t",
            ScalarType::Int { .. } => "uint64_t",
            ScalarType::Bool => "bool",
        }
    }

    /// Its type in C with `stdint.h`, whether or not `stdbool.h` is there.
    pub fn c_name(self) -> &'static str {
        if self == ScalarType::Bool { "_Bool" } else { self.name() }
    }
}

impl StructType {
    /// Whether C lays the members out as they lie: each at the next offset that its alignment allows, no tail but padding.
    pub fn is_natural(&self) -> bool {
        let (mut end, mut widest) = (0u64, 1u64);
        for field in &self.fields {
            let align = field.ty.align().max(1);
            if field.offset != end.next_multiple_of(align) {
                return false;
            }
            widest = widest.max(align);
            end = field.offset + field.ty.size() * field.count;
        }
        self.size == end.next_multiple_of(widest) && self.align.max(1) == widest
    }
}

impl FloatType {
    /// C's `long double` where this program runs: only x86-64's can be driven, not AArch64's binary128.
    pub const LONG_DOUBLE: Option<FloatType> = if cfg!(target_arch = "x86_64") { Some(FloatType::X87) } else { None };

    /// The format of its values.
    pub fn format(self) -> labrys_float::Format {
        match self {
            FloatType::F16 => labrys_float::Format::BINARY16,
            FloatType::F32 => labrys_float::Format::BINARY32,
            FloatType::F64 => labrys_float::Format::BINARY64,
            FloatType::X87 => labrys_float::Format::X87,
        }
    }
}

impl Pointee {
    /// Size in memory in bytes.
    pub fn size(&self) -> u64 {
        match self {
            Pointee::Scalar(scalar) => scalar.size(),
            Pointee::Struct(of) => of.size,
        }
    }

    /// Alignment in bytes.
    pub fn align(&self) -> u64 {
        match self {
            Pointee::Scalar(scalar) => scalar.size(),
            Pointee::Struct(of) => of.align,
        }
    }
}
