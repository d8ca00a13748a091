/// Halves before it adds, so that the sum cannot overflow.
#[unsafe(no_mangle)]
pub extern "C" fn midpoint(a: f64, b: f64) -> f64 {
    a / 2.0 + b / 2.0
}
