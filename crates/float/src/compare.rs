//! Comparisons (IEEE 754-2019, section 5.11), minima and maxima.

use std::cmp::Ordering;

use crate::unpacked::Unpacked;
use crate::{Class, Environment, Flags, Float, Rounded};

impl Float {
    /// The order of two numbers by value; `None` if either is a NaN. −0 equals +0.
    pub fn compare(&self, other: &Float) -> Option<Ordering> {
        Environment::default().compare_quiet(self, other).0
    }
}

impl Environment {
    /// The operand as operations see it: under DAZ a subnormal is a zero.
    fn flushed(&self, a: &Float) -> Float {
        if self.of(a.format()).denormals_are_zero && a.class() == Class::Subnormal {
            Float::zero(a.format(), a.is_negative())
        } else {
            a.clone()
        }
    }

    /// The order of two numbers of one format, `None` if unordered; invalid only for signaling NaNs (`==`, `ucomisd`).
    pub fn compare_quiet(&self, a: &Float, b: &Float) -> (Option<Ordering>, Flags) {
        let signals = |operand: &Float| matches!(operand.unpack(), Unpacked::Nan { signaling: true });
        // Ordinals order numbers by value, and both zeros have the same.
        match (self.flushed(a).ordinal(), self.flushed(b).ordinal()) {
            (Some(left), Some(right)) => (Some(left.cmp(&right)), Flags::empty()),
            _ if signals(a) || signals(b) => (None, Flags::INVALID),
            _ => (None, Flags::empty()),
        }
    }

    /// The order of two numbers of one format, `None` if unordered; invalid for any NaN (`<`, `comisd`).
    pub fn compare_signaling(&self, a: &Float, b: &Float) -> (Option<Ordering>, Flags) {
        match self.compare_quiet(a, b) {
            (None, _) => (None, Flags::INVALID),
            ordered => ordered,
        }
    }

    /// The smaller (or `larger`) of two numbers, −0 below +0; neither is a NaN.
    fn select(&self, a: &Float, b: &Float, larger: bool) -> Rounded {
        let (a, b) = (self.flushed(a), self.flushed(b));
        let a_first = match a.ordinal().cmp(&b.ordinal()) {
            Ordering::Less => true,
            Ordering::Equal => a.is_negative(),
            Ordering::Greater => false,
        };
        Rounded::exact(if a_first != larger { a } else { b })
    }

    /// IEEE 754-2008's minNum and maxNum: a quiet NaN loses against a number, a signaling one is invalid.
    fn select_number(&self, a: &Float, b: &Float, larger: bool) -> Rounded {
        if a.is_signaling_nan() || b.is_signaling_nan() {
            return Rounded::invalid(a.format());
        }
        match (a.is_nan(), b.is_nan()) {
            (true, true) => Rounded::exact(Float::nan(a.format())),
            (true, false) => Rounded::exact(self.flushed(b)),
            (false, true) => Rounded::exact(self.flushed(a)),
            (false, false) => self.select(a, b, larger),
        }
    }

    /// IEEE 754-2019's minimum and maximum: any NaN wins.
    fn select_propagating(&self, a: &Float, b: &Float, larger: bool) -> Rounded {
        if a.is_signaling_nan() || b.is_signaling_nan() {
            Rounded::invalid(a.format())
        } else if a.is_nan() || b.is_nan() {
            Rounded::exact(Float::nan(a.format()))
        } else {
            self.select(a, b, larger)
        }
    }

    /// C's `fmin`, LLVM's `minnum`: the number if one operand is a quiet NaN; −0 is below +0, which C leaves open.
    pub fn min_num(&self, a: &Float, b: &Float) -> Rounded {
        self.select_number(a, b, false)
    }

    /// C's `fmax`, LLVM's `maxnum`.
    pub fn max_num(&self, a: &Float, b: &Float) -> Rounded {
        self.select_number(a, b, true)
    }

    /// IEEE 754-2019's minimum, LLVM's `minimum`: a NaN if either operand is one; −0 is below +0.
    pub fn minimum(&self, a: &Float, b: &Float) -> Rounded {
        self.select_propagating(a, b, false)
    }

    /// IEEE 754-2019's maximum, LLVM's `maximum`.
    pub fn maximum(&self, a: &Float, b: &Float) -> Rounded {
        self.select_propagating(a, b, true)
    }
}
