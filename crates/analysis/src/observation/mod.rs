//! What a build was seen to do.

pub mod class;
pub mod feature;
pub mod interpreted;
pub mod leftovers;
pub mod observer;
pub mod start;
pub mod undefined;
