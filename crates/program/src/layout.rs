//! How a call's inputs and outputs lie in flat records, the common currency of search and native execution.
//!
//! An *input record* holds, for each parameter in call order, its value or the memory it points to, each aligned to 16
//! bytes. An *output record* holds the result first, then the memory of every parameter that is not input-only, in the
//! same way. A *leaf* is one scalar of a record. Padding bytes are zero, so that records compare as bytes.

use labrys_float::Float;

use crate::{Access, Length, ParameterType, Pointee, ResultType, ScalarType, Signature};

/// One scalar of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// How a user writes it: `v`, `x[3]`, `p.re`, `p[2].w[0]`; `result` for the result.
    pub path: String,
    /// Index of the parameter it belongs to; `None` for the result.
    pub parameter: Option<usize>,
    /// Element index, where the parameter is a pointer to more than one element.
    pub element: Option<u64>,
    /// Its type.
    pub scalar: ScalarType,
    /// Offset in the record in bytes.
    pub offset: usize,
}

/// The input record of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputLayout {
    /// All scalars, in call order; output-only memory has none.
    pub leaves: Vec<Leaf>,
    /// Offset of each parameter's value or memory; `None` for output-only memory.
    pub parameters: Vec<Option<usize>>,
    /// Size in bytes, a multiple of 16.
    pub size: usize,
}

/// The output record of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputLayout {
    /// All scalars: the result's, then those of memory outputs.
    pub leaves: Vec<Leaf>,
    /// Offset of the result (always 0 where there is one).
    pub result: Option<usize>,
    /// Offset of each parameter's memory after the call; `None` where it is not an output.
    pub parameters: Vec<Option<usize>>,
    /// Size in bytes, a multiple of 16.
    pub size: usize,
}

const ALIGN: usize = 16;

/// Appends the leaves of `count` elements of `ty` at `offset`.
fn push_leaves(
    leaves: &mut Vec<Leaf>,
    path: &str,
    parameter: Option<usize>,
    ty: &Pointee,
    indexed: Option<u64>,
    offset: usize,
) {
    let count = indexed.unwrap_or(1);
    for i in 0..count {
        let path = if indexed.is_some() { format!("{path}[{i}]") } else { path.to_owned() };
        let at = offset + (i * ty.size()) as usize;
        let first = leaves.len();
        match ty {
            Pointee::Scalar(scalar) => {
                leaves.push(Leaf { path, parameter, element: None, scalar: *scalar, offset: at })
            }
            Pointee::Struct(of) => {
                for field in &of.fields {
                    let path = format!("{path}.{}", field.name);
                    let indexed = field.is_array.then_some(field.count);
                    push_leaves(leaves, &path, parameter, &field.ty, indexed, at + field.offset as usize);
                }
            }
        }
        for leaf in &mut leaves[first..] {
            leaf.element = indexed.map(|_| i);
        }
    }
}

fn index_of(length: Length) -> Option<u64> {
    (length != Length::Fixed(1)).then_some(length.capacity())
}

impl Signature {
    /// The layout of this signature's input record.
    pub fn input_layout(&self) -> InputLayout {
        let (mut leaves, mut parameters, mut size) = (Vec::new(), Vec::new(), 0usize);
        for (i, parameter) in self.parameters.iter().enumerate() {
            let (pointee, indexed, count) = match &parameter.ty {
                ParameterType::Value(pointee) => (pointee, None, 1),
                ParameterType::Pointer { access: Access::Out, .. } => {
                    parameters.push(None);
                    continue;
                }
                ParameterType::Pointer { pointee, length, .. } => (pointee, index_of(*length), length.capacity()),
            };
            parameters.push(Some(size));
            push_leaves(&mut leaves, &parameter.name, Some(i), pointee, indexed, size);
            size = (size + (pointee.size() * count) as usize).next_multiple_of(ALIGN);
        }
        InputLayout { leaves, parameters, size }
    }

    /// The layout of this signature's output record.
    pub fn output_layout(&self) -> OutputLayout {
        let (mut leaves, mut parameters, mut size) = (Vec::new(), Vec::new(), 0usize);
        let mut result = None;
        if let ResultType::Value(pointee) = &self.result {
            result = Some(0);
            push_leaves(&mut leaves, "result", None, pointee, None, 0);
            size = (pointee.size() as usize).next_multiple_of(ALIGN);
        }
        for (i, parameter) in self.parameters.iter().enumerate() {
            match &parameter.ty {
                ParameterType::Pointer { pointee, length, access: Access::Out | Access::InOut } => {
                    parameters.push(Some(size));
                    push_leaves(&mut leaves, &parameter.name, Some(i), pointee, index_of(*length), size);
                    size = (size + (pointee.size() * length.capacity()) as usize).next_multiple_of(ALIGN);
                }
                _ => parameters.push(None),
            }
        }
        OutputLayout { leaves, result, parameters, size }
    }
}

impl Leaf {
    /// This leaf's encoding in a record.
    pub fn read(&self, record: &[u8]) -> u128 {
        self.scalar.read(record, self.offset)
    }

    /// Writes an encoding into a record; bits above the type's width are dropped.
    pub fn write(&self, record: &mut [u8], bits: u128) {
        let count = self.scalar.value_bytes();
        record[self.offset..self.offset + count].copy_from_slice(&bits.to_le_bytes()[..count]);
    }

    /// This leaf as a number; `None` where it is an integer.
    pub fn float(&self, record: &[u8]) -> Option<Float> {
        match self.scalar {
            ScalarType::Float(float) => Some(Float::from_bits(float.format(), self.read(record))),
            ScalarType::Int { .. } | ScalarType::Bool => None,
        }
    }
}
