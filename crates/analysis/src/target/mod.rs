//! What is under test: the function, its builds, its IR.

pub mod addresses;
pub mod analysed;
pub mod called_at;
pub mod declared;
pub mod glue;
pub mod lengths;
pub mod names;
pub mod nullable;
pub mod reproduce;
pub mod runtimes;
pub mod subject;
pub mod unit;
pub(crate) mod weak;
