//! Where tests make a transfer function wrong, to see that some check notices. In every other build this is the value itself.

/// `$value`, which the transfer function `$name` gives, as `mutation::$kind` leaves it in tests.
#[cfg(test)]
macro_rules! breakable {
    ($kind:ident, $name:expr, $value:expr) => {
        crate::mutation::$kind(&$name, $value)
    };
}

/// `$value`.
#[cfg(not(test))]
macro_rules! breakable {
    ($kind:ident, $name:expr, $value:expr) => {
        $value
    };
}
