//! Types of the IR and their sizes in memory, which are those of x86-64 and AArch64.

use std::sync::Arc;

use labrys_float::Format;

/// A first-class type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value.
    Void,
    /// An integer of so many bits.
    Int(u32),
    /// A floating-point number.
    Float(Format),
    /// A pointer (64 bits).
    Pointer,
    /// A fixed vector.
    Vector(Arc<Type>, u32),
    /// An array.
    Array(Arc<Type>, u64),
    /// A struct with its layout.
    Struct(Arc<StructLayout>),
    /// Anything else (scalable vectors, tokens, metadata), with its LLVM spelling.
    Unsupported(Arc<str>),
}

/// A struct type's members and where they lie.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructLayout {
    /// Member types.
    pub fields: Vec<Type>,
    /// Member offsets in bytes.
    pub offsets: Vec<u64>,
    /// Size in bytes, padding included.
    pub size: u64,
}

/// One of the scalars that a type consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalarPlace<'t> {
    /// Bytes from the beginning; lanes of a vector are taken to be whole bytes ([`Type::store_size`] of its element apart).
    pub offset: u64,
    /// Its type.
    pub ty: &'t Type,
    /// Whether it is a lane of a vector.
    pub is_lane: bool,
}

impl Type {
    /// Bytes that a load or store of this type touches; x87's type stores 10 and is allocated 16.
    pub fn store_size(&self) -> u64 {
        match self {
            Type::Void | Type::Unsupported(_) => 0,
            Type::Int(bits) => u64::from(bits.div_ceil(8)),
            Type::Float(format) => u64::from(format.width().div_ceil(8)),
            Type::Pointer => 8,
            Type::Vector(element, count) => match **element {
                // Vectors are packed to the bit: <8 x i1> is one byte.
                Type::Int(bits) => (u64::from(bits) * u64::from(*count)).div_ceil(8),
                _ => element.store_size() * u64::from(*count),
            },
            Type::Array(element, count) => element.alloc_size() * count,
            Type::Struct(layout) => layout.size,
        }
    }

    /// The distance in bytes between two elements of this type in an array.
    pub fn alloc_size(&self) -> u64 {
        match self {
            Type::Int(bits) => match u64::from(bits.div_ceil(8)) {
                bytes @ ..=16 => bytes.next_power_of_two(),
                // The largest alignment of an integer is i128's.
                bytes => bytes.next_multiple_of(16),
            },
            Type::Float(format) if *format == Format::X87 => 16,
            Type::Vector(..) => self.store_size().next_power_of_two(),
            other => other.store_size(),
        }
    }

    /// The type of a vector's lanes, and any other type itself.
    pub fn element(&self) -> &Type {
        match self {
            Type::Vector(element, _) => element,
            other => other,
        }
    }

    /// Shows the scalars that this type consists of, in order of memory, until `see` fails.
    ///
    /// # Errors
    ///
    /// What `see` returned then.
    pub fn for_each_scalar<'t, E>(&'t self, see: &mut impl FnMut(ScalarPlace<'t>) -> Result<(), E>) -> Result<(), E> {
        self.scalars_from(0, see)
    }

    fn scalars_from<'t, E>(
        &'t self,
        offset: u64,
        see: &mut impl FnMut(ScalarPlace<'t>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Type::Void => Ok(()),
            Type::Vector(element, count) => (0..u64::from(*count)).try_for_each(|lane| {
                let offset = offset + lane * element.store_size();
                see(ScalarPlace { offset, ty: element, is_lane: true })
            }),
            Type::Array(element, count) => {
                (0..*count).try_for_each(|index| element.scalars_from(offset + index * element.alloc_size(), see))
            }
            Type::Struct(layout) => (layout.fields.iter().zip(&layout.offsets))
                .try_for_each(|(field, at)| field.scalars_from(offset + at, see)),
            scalar => see(ScalarPlace { offset, ty: scalar, is_lane: false }),
        }
    }

    /// How many scalars this type consists of.
    pub fn scalar_count(&self) -> usize {
        match self {
            Type::Void => 0,
            Type::Vector(_, count) => *count as usize,
            Type::Array(element, length) => element.scalar_count() * *length as usize,
            Type::Struct(layout) => layout.fields.iter().map(Type::scalar_count).sum(),
            _ => 1,
        }
    }

    /// The scalars that a member of an aggregate type occupies: first and number. `None` where the path leads to none.
    ///
    /// ```
    /// use labrys_program::Type;
    /// let pairs = Type::Array(Type::Array(Type::Pointer.into(), 2).into(), 3);
    /// assert_eq!(pairs.member(&[1]), Some((2, 2)));
    /// assert_eq!(pairs.member(&[1, 1, 0]), None);
    /// ```
    pub fn member(&self, path: &[u32]) -> Option<(usize, usize)> {
        let (mut ty, mut first) = (self, 0);
        for &index in path {
            match ty {
                Type::Struct(layout) => {
                    let field = layout.fields.get(index as usize)?;
                    first += layout.fields[..index as usize].iter().map(Type::scalar_count).sum::<usize>();
                    ty = field;
                }
                Type::Array(element, _) => {
                    first += element.scalar_count() * index as usize;
                    ty = element;
                }
                _ => return None,
            }
        }
        Some((first, ty.scalar_count()))
    }
}
