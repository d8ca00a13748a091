//! Abstract interpretation of floating-point programs: which exceptions each operation can raise, for all inputs.
