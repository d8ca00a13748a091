//! Truth values of evaluators that may not know.

/// Three-valued truth (Kleene's strong logic). `False < Unsure < True`, so that conjunction is the minimum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Truth {
    /// Certainly false.
    False = 0,
    /// Not known.
    #[default]
    Unsure = 1,
    /// Certainly true.
    True = 2,
}

impl Truth {
    /// Unsure unless one of the two is certain.
    pub fn from_certain(is_true: bool, is_false: bool) -> Truth {
        if is_true {
            Truth::True
        } else if is_false {
            Truth::False
        } else {
            Truth::Unsure
        }
    }

    /// Conjunction.
    pub fn and(self, other: Truth) -> Truth {
        self.min(other)
    }

    /// Disjunction.
    pub fn or(self, other: Truth) -> Truth {
        self.max(other)
    }

    /// Exclusive or.
    pub fn xor(self, other: Truth) -> Truth {
        if self == Truth::Unsure || other == Truth::Unsure { Truth::Unsure } else { (self != other).into() }
    }

    /// Whether it is certain and true.
    pub fn is_true(self) -> bool {
        self == Truth::True
    }
}

impl std::ops::Not for Truth {
    type Output = Truth;

    fn not(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::Unsure => Truth::Unsure,
            Truth::True => Truth::False,
        }
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Truth {
        if value { Truth::True } else { Truth::False }
    }
}
