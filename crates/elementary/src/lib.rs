//! The functions of libm in arbitrary precision.
