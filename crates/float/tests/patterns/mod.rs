//! Deterministic operands that reach the corners: special values, neighbours of range ends, related exponents.

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): enough randomness for operands.
pub struct Source(pub u64);

impl Source {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn wide(&mut self) -> u128 {
        u128::from(self.word()) << 64 | u128::from(self.word())
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.word() % bound
    }
}

/// An encoding of a format with an implied leading bit: a special value, a value with few significand bits set, one near the ends of the
/// exponent range, or anything.
pub fn interchange(source: &mut Source, exponent_bits: u32, precision: u32) -> u128 {
    let fraction_bits = precision - 1;
    let fraction_mask = (1u128 << fraction_bits) - 1;
    let top_field = (1u128 << exponent_bits) - 1;
    let bias = top_field >> 1;
    let fraction = match source.below(5) {
        0 => 0,
        1 => fraction_mask,
        2 => source.wide() & source.wide() & source.wide() & source.wide() & fraction_mask,
        3 => (1 << source.below(u64::from(fraction_bits))) | u128::from(source.below(4)),
        _ => source.wide() & fraction_mask,
    };
    let near = u128::from(source.below(8));
    let field = match source.below(10) {
        0 => 0,
        1 => top_field,
        2 => near.min(top_field),
        3 => top_field - near.min(top_field),
        4 | 5 => (bias + near).saturating_sub(4),
        // Products of these come near the ends of the range.
        6 => bias / 2 + near,
        7 => bias + bias / 2 - near.min(bias),
        _ => source.wide() & top_field,
    };
    let sign = u128::from(source.below(2));
    sign << (exponent_bits + fraction_bits) | (field & top_field) << fraction_bits | (fraction & fraction_mask)
}
