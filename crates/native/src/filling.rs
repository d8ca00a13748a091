//! What stands where nobody wrote: in vector lanes that no argument occupies, in the stack, in new heap memory.

/// A value for all that the code under test can see and does not own. What callers leave there is anything, so an observation that
/// hangs on it is none of the code's; [`crate::Confirmer`] tries them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Filling {
    /// Zeros in the lanes; the stack and the heap as loading left them.
    Zeros,
    /// 1.0f in every 32-bit lane, an ordinary number as a double.
    Ones,
    /// The smallest subnormal in every 32-bit lane, a subnormal as a double, too.
    Subnormals,
    /// The largest float in every 32-bit lane, which as a double is so large that its square overflows.
    Huge,
    /// A signalling NaN in every 32-bit lane; a large number as a double.
    SignallingFloats,
    /// A signalling NaN in every 64-bit lane; of its floats the lower is signalling, the upper quiet: a double's quiet bit is
    /// among those that an upper float needs to be a NaN at all, so that no pattern signals in all lanes of both widths.
    SignallingDoubles,
}

/// What there is to know of a filling.
struct Row {
    /// The bits of a 64-bit lane.
    lanes: u64,
    /// The byte of new heap memory, which the allocator fills with one byte only: numbers near a hundredth for ones, normal ones
    /// of which products underflow for subnormals, numbers near the largest, each of either width. No byte makes a signalling NaN.
    heap: u8,
    words: &'static str,
}

impl Filling {
    /// All of them, [`Filling::Zeros`] first.
    pub const ALL: [Filling; 6] = [
        Filling::Zeros,
        Filling::Ones,
        Filling::Subnormals,
        Filling::Huge,
        Filling::SignallingFloats,
        Filling::SignallingDoubles,
    ];

    /// Those that differ from what a search runs with.
    pub fn others() -> impl Iterator<Item = Filling> {
        Filling::ALL.into_iter().filter(|filling| *filling != Filling::Zeros)
    }

    fn row(self) -> Row {
        let (lanes, heap, words) = match self {
            Filling::Zeros => (0, 0, "zeros"),
            Filling::Ones => (0x3f80_0000_3f80_0000, 0x3f, "ones"),
            Filling::Subnormals => (0x0000_0001_0000_0001, 0x80, "subnormal numbers"),
            Filling::Huge => (0x7f7f_ffff_7f7f_ffff, 0x7f, "huge numbers"),
            Filling::SignallingFloats => (0x7fa0_0000_7fa0_0000, 0x3f, "signalling floats"),
            Filling::SignallingDoubles => (0x7ff0_0000_7fa0_0000, 0x3f, "signalling doubles"),
        };
        Row { lanes, heap, words }
    }

    /// The bits of a 64-bit lane.
    pub fn lanes(self) -> u64 {
        self.row().lanes
    }

    /// The byte of new heap memory; `None` where that is left alone.
    pub(crate) fn heap(self) -> Option<u8> {
        (self != Filling::Zeros).then_some(self.row().heap)
    }

    /// Its name in notes.
    pub fn words(self) -> &'static str {
        self.row().words
    }

    /// The number that stands for it in messages.
    pub(crate) fn number(self) -> u64 {
        self as u64
    }

    /// What a number stands for.
    pub(crate) fn numbered(number: u64) -> Option<Filling> {
        Filling::ALL.into_iter().find(|filling| filling.number() == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::FpCategory;

    #[test]
    fn numbers_stand_for_fillings() {
        for filling in Filling::ALL {
            assert_eq!(Filling::numbered(filling.number()), Some(filling));
        }
        assert_eq!(Filling::numbered(Filling::ALL.len() as u64), None);
    }

    /// The heap's bytes, which the text above describes.
    #[test]
    fn heap_memory_is_of_the_kind_that_bytes_allow() {
        let double = |filling: Filling| filling.heap().map(|byte| f64::from_bits(u64::from_ne_bytes([byte; 8])));
        let float = |filling: Filling| filling.heap().map(|byte| f32::from_bits(u32::from_ne_bytes([byte; 4])));
        assert_eq!(double(Filling::Zeros), None);
        assert!(double(Filling::Subnormals).is_some_and(|tiny| tiny.is_normal() && tiny * tiny == 0.0));
        assert!(float(Filling::Subnormals).is_some_and(|tiny| tiny.is_normal() && tiny * tiny == 0.0));
        assert!(double(Filling::Huge).is_some_and(|huge| huge.is_finite() && huge * huge == f64::INFINITY));
        assert!(float(Filling::Huge).is_some_and(|huge| huge.is_finite() && huge * huge == f32::INFINITY));
    }

    /// A pattern as a double and as two floats is what its name says.
    #[test]
    fn patterns_are_what_they_are_called_in_both_widths() {
        let double = |filling: Filling| f64::from_bits(filling.lanes());
        let floats = |filling: Filling| [filling.lanes() as u32, (filling.lanes() >> 32) as u32].map(f32::from_bits);
        assert_eq!(double(Filling::Subnormals).classify(), FpCategory::Subnormal);
        assert_eq!(floats(Filling::Subnormals), [f32::from_bits(1); 2]);
        assert_eq!((floats(Filling::Ones), double(Filling::Ones).is_normal()), ([1.0; 2], true));
        assert_eq!(floats(Filling::Huge), [f32::MAX; 2]);
        assert_eq!(double(Filling::Huge) * double(Filling::Huge), f64::INFINITY);
        let signals = |float: f32| float.is_nan() && float.to_bits() & 1 << 22 == 0;
        assert_eq!(floats(Filling::SignallingFloats).map(signals), [true, true]);
        assert!(double(Filling::SignallingFloats).is_finite());
        let double = double(Filling::SignallingDoubles);
        assert!(double.is_nan() && double.to_bits() & 1 << 51 == 0);
        assert_eq!(floats(Filling::SignallingDoubles).map(signals), [true, false]);
    }
}
