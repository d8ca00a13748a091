//! Functions for `cargo labrys`: each has something to find.

pub mod interest;
pub mod stats;

/// A normal distribution. Its fields are private: `new` makes one.
#[derive(Clone, Copy, Debug)]
pub struct Normal {
    mean: f64,
    deviation: f64,
}

impl Normal {
    /// One with a positive standard deviation.
    pub fn new(mean: f64, deviation: f64) -> Option<Normal> {
        (deviation > 0.0).then_some(Normal { mean, deviation })
    }

    /// The density at `x`. The square overflows far from the mean, which does no harm: the density is zero there.
    pub fn pdf(&self, x: f64) -> f64 {
        let z = (x - self.mean) / self.deviation;
        libm::exp(-0.5 * (z * z)) / (self.deviation * (2.0 * core::f64::consts::PI).sqrt())
    }
}

/// A point whose fields anybody can set.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Point {
    /// The distance from the origin. The squares overflow and underflow where the distance does not.
    pub fn norm(&self) -> f64 {
        (self.x * self.x + self.y * self.y).sqrt()
    }

    /// Scales it to length one.
    pub fn normalise(&mut self) {
        let norm = self.norm();
        self.x /= norm;
        self.y /= norm;
    }
}
