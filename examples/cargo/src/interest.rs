//! Interest.

/// What an amount grows to in some years at a rate: the power overflows before the product with a small amount would.
pub fn compound(amount: f64, rate: f64, years: f64) -> f64 {
    amount * libm::pow(1.0 + rate, years)
}

/// The same in discrete years; it panics where there are more than 100.
pub fn compound_years(amount: f64, rate: f64, years: u32) -> f64 {
    assert!(years <= 100, "too long");
    (0..years).fold(amount, |amount, _| amount * (1.0 + rate))
}

/// A rounded number of periods. It panics where there is no such number of 32 bits.
pub fn periods(years: f64, per_year: Option<f64>) -> i32 {
    let periods = years * per_year.unwrap_or(1.0);
    assert!(periods.abs() < 2147483648.0, "out of range");
    periods.round() as i32
}

/// The growth of each of two rates, and of both.
pub fn growth(rates: (f64, f64)) -> (f64, f64, f64) {
    let (a, b) = (1.0 + rates.0, 1.0 + rates.1);
    (a, b, a * b)
}
