//! The scalars that values of the IR consist of, and their C types.

use labrys_float::Format;
use labrys_program::{FloatType, Type};

use crate::error::Reason;

/// Scalars of one SSA value at most: a C variable is declared for each.
const MAX_SCALARS: usize = 4096;

/// The widest integers.
const MAX_BITS: u32 = 128;

/// A format that has shadows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Own {
    /// C's `float`.
    Single,
    /// C's `double`.
    Double,
    /// x87's `long double`.
    Extended,
}

/// What a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// An integer of so many bits.
    Int(u32),
    /// A number and its shadow.
    Float(Own),
    /// An address.
    Pointer,
}

/// One scalar of a type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Bytes from the beginning.
    pub(crate) offset: u64,
    /// What it is.
    pub(crate) kind: Kind,
}

impl Own {
    pub(crate) const ALL: [Own; 3] = [Own::Single, Own::Double, Own::Extended];

    /// The format of values; `None` where it has no shadows.
    pub(crate) fn of(format: Format) -> Option<Own> {
        match format {
            Format::BINARY32 => Some(Own::Single),
            Format::BINARY64 => Some(Own::Double),
            Format::X87 => Some(Own::Extended),
            _ => None,
        }
    }

    /// The format of a type of the source.
    pub(crate) fn of_source(float: FloatType) -> Option<Own> {
        Own::of(float.format())
    }

    /// The C type of numbers with their shadows.
    pub(crate) fn number(self) -> &'static str {
        match self {
            Own::Single => "F",
            Own::Double => "D",
            Own::Extended => "X",
        }
    }

    /// The C type of values.
    pub(crate) fn c_type(self) -> &'static str {
        match self {
            Own::Single => "float",
            Own::Double => "double",
            Own::Extended => "long double",
        }
    }

    /// What C's functions of the format have behind their names.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Own::Single => "f",
            Own::Double => "",
            Own::Extended => "l",
        }
    }

    /// The runtime's function on numbers of this format.
    pub(crate) fn function(self, name: &str) -> String {
        let prefix = match self {
            Own::Single => 'f',
            Own::Double => 'd',
            Own::Extended => 'x',
        };
        format!("{prefix}_{name}")
    }

    /// Bytes of a value in memory.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Own::Single => 4,
            Own::Double => 8,
            Own::Extended => 10,
        }
    }
}

impl Kind {
    /// The kind of a scalar type.
    pub(crate) fn of(ty: &Type) -> Result<Kind, Reason> {
        match ty {
            Type::Int(bits) if (1..=MAX_BITS).contains(bits) => Ok(Kind::Int(*bits)),
            Type::Int(bits) => Err(Reason::new(format!("integers of {bits} bits"))),
            Type::Pointer => Ok(Kind::Pointer),
            Type::Float(format) => Own::of(*format).map(Kind::Float).ok_or_else(|| {
                Reason::new(format!("numbers of {} bits with {} of precision", format.width(), format.precision()))
            }),
            other => Err(Reason::new(format!("values of type {other}"))),
        }
    }

    /// The C type of variables.
    pub(crate) fn c_type(self) -> String {
        match self {
            Kind::Int(bits) => format!("u{bits}"),
            Kind::Float(own) => own.number().to_owned(),
            Kind::Pointer => "P".to_owned(),
        }
    }

    /// Zero.
    pub(crate) fn zero(self) -> String {
        match self {
            Kind::Int(bits) => format!("(u{bits})0"),
            Kind::Float(own) => format!("({}){{0}}", own.number()),
            Kind::Pointer => "(P)0".to_owned(),
        }
    }

    /// The C type as which functions that have no shadow take and return it.
    pub(crate) fn c_abi(self) -> Result<&'static str, Reason> {
        Ok(match self {
            Kind::Int(1) => "_Bool",
            Kind::Int(8) => "uint8_t",
            Kind::Int(16) => "uint16_t",
            Kind::Int(32) => "uint32_t",
            Kind::Int(64) => "uint64_t",
            Kind::Int(128) => "uint128_t",
            Kind::Int(bits) => return Err(Reason::new(format!("a call with an integer of {bits} bits"))),
            Kind::Float(own) => own.c_type(),
            Kind::Pointer => "P",
        })
    }

    /// A variable of this kind as such a function takes it.
    pub(crate) fn to_abi(self, value: &str) -> String {
        match self {
            Kind::Float(_) => format!("{value}.v"),
            _ => value.to_owned(),
        }
    }
}

/// The scalars of a type, in order of memory.
pub(crate) fn scalars(ty: &Type) -> Result<Vec<Place>, Reason> {
    if ty.scalar_count() > MAX_SCALARS {
        return Err(Reason::new("values of thousands of scalars"));
    }
    let mut places = Vec::new();
    ty.for_each_scalar(&mut |place| {
        let kind = Kind::of(place.ty)?;
        if place.is_lane && matches!(kind, Kind::Float(Own::Extended)) {
            return Err(Reason::from("vectors of long doubles"));
        }
        places.push(Place { offset: place.offset, kind });
        Ok(())
    })?;
    Ok(places)
}

/// The kind of a type's lanes.
pub(crate) fn element(ty: &Type) -> Result<Kind, Reason> {
    Kind::of(ty.element())
}

/// The scalars of a type that memory may hold: lanes of a vector are whole bytes.
pub(crate) fn in_memory(ty: &Type) -> Result<Vec<Place>, Reason> {
    let mut packed = false;
    let mut look = |ty: &Type| {
        packed |= matches!(ty, Type::Vector(element, _) if matches!(**element, Type::Int(bits) if bits % 8 != 0))
    };
    visit(ty, &mut look);
    if packed { Err(Reason::from("vectors of bits in memory")) } else { scalars(ty) }
}

fn visit(ty: &Type, see: &mut impl FnMut(&Type)) {
    see(ty);
    match ty {
        Type::Array(element, count) if *count > 0 => visit(element, see),
        Type::Struct(layout) => layout.fields.iter().for_each(|field| visit(field, see)),
        _ => {}
    }
}
