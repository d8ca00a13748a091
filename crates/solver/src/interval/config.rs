//! How the interval engine works.

use super::label::Order;

/// How the interval engine works. The default is what was measured to be best over all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntervalConfig {
    /// Narrow the arguments of sums, products and quotients by the ULP-maximum, too (Marre and Michel, CP 2010;
    /// Bagnara, Carlier, Gori, Gotlieb, ICST 2013). On by default; changes how soon an answer comes, never the answer.
    pub ulp_max: bool,
    /// Which variable is narrowed next; by conflicts by default.
    pub order: Order,
}

impl Default for IntervalConfig {
    fn default() -> IntervalConfig {
        IntervalConfig { ulp_max: true, order: Order::default() }
    }
}
