//! Inputs: where they come from, what they turn into, and how a divergence's witness becomes simple.
//!
//! A [`Space`] is the search domain. A [`Sampler`] draws from all of it, [`Space::members`] goes
//! through all of a small one, [`neighbours()`] lists what lies around a
//! solver's model, a [`Mutator`] changes the entries of a [`Corpus`], which keeps what showed something new, and
//! [`shrink()`] simplifies an input while an oracle agrees. Inputs are the flat records of `labrys_program`. Everything is
//! deterministic: the same seed and the same feedback give the same inputs.
//!
//! ```
//! use labrys_fuzz::{InputClass, Sampler, Space, neighbours, shrink};
//! use labrys_program::{FloatType, Parameter, ParameterType, Pointee, ResultType, ScalarType, Signature};
//!
//! let ty = ParameterType::Value(Pointee::Scalar(ScalarType::Float(FloatType::F64)));
//! let signature = Signature {
//!     name: "square".to_owned(),
//!     symbol: "square".to_owned(),
//!     parameters: vec![Parameter { name: "x".to_owned(), ty }],
//!     result: ResultType::Void,
//! };
//! let space = Space::new(&signature, InputClass::Finite);
//! let value = |record: &[u8]| f64::from_le_bytes(record[..8].try_into().unwrap());
//!
//! // An input whose square overflows, and the simplest such input found from it.
//! let mut sampler = Sampler::new(&space, 0);
//! let overflows = |record: &Vec<u8>| (value(record) * value(record)).is_infinite();
//! let found = std::iter::repeat_with(|| sampler.sample()).find(overflows).unwrap();
//! let simplest = shrink(&space, &found, &mut |batch| batch.iter().map(overflows).collect());
//! assert_eq!(value(&simplest), 1e200);
//! assert_eq!(neighbours(&space, &simplest, 256).len(), 256);
//! ```

mod corpus;
mod domain;
mod encoding;
mod members;
mod moves;
mod mutator;
mod neighbours;
mod offspring;
mod ordinary;
mod record_set;
mod related;
mod sampler;
mod shrink;
mod simplicity;
mod space;

pub use corpus::Corpus;
pub use domain::InputClass;
pub use members::Members;
pub use moves::{Moves, midpoint};
pub use mutator::Mutator;
pub use neighbours::{DEFAULT_NEIGHBOURS, neighbours};
pub use offspring::Offspring;
pub use record_set::RecordSet;
pub use sampler::Sampler;
pub use shrink::{DEFAULT_ORACLE_INPUTS, shrink, shrink_within};
pub use simplicity::Cost;
pub use space::Space;
