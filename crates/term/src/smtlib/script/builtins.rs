//! The theories' functions: how each name's arguments become terms.
//!
//! Sources: SMT-LIB's theories Core, FixedSizeBitVectors, FloatingPoint, Reals and ArraysEx (versions 2.6 and 2.7), the
//! logic QF_BV for derived operators, and the extensions that Bitwuzla, cvc5 and z3 share.

use labrys_float::RoundingMode;

use crate::Op;

/// A function or constant of the theories that has a name of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    /// A constant.
    True,
    /// A constant.
    False,
    /// A rounding mode.
    Mode(RoundingMode),
    /// The arguments as they stand, as many as the operator takes.
    Plain(Plain),
    /// Two arguments or more, grouped from the left.
    Left(Plain),
    /// Two arguments or more, each with the next: a conjunction.
    Chain(Plain),
    /// The same with the arguments of each pair exchanged.
    Flipped(Plain),
    /// The negation of the operator.
    Negated(Plain),
    /// Grouped from the right.
    Implies,
    /// What is written by other operators.
    Derived(Derived),
    /// Only between `(_` and `)`, with numerals.
    Indexed(Indexed),
    /// A function of logics beyond those read here.
    Unsupported,
}

/// Operators without indices, as the table below can name them.
macro_rules! plain {
    ($($name:ident),*) => {
        /// An operator without indices.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Plain {
            $(
                #[doc = concat!("`Op::", stringify!($name), "`.")]
                $name,
            )*
        }

        impl Plain {
            /// The operator.
            pub(super) fn op(self) -> Op {
                match self {
                    $(Plain::$name => Op::$name,)*
                }
            }
        }
    };
}

plain!(
    Not,
    And,
    Or,
    Xor,
    Eq,
    Distinct,
    Ite,
    BvNot,
    BvNeg,
    BvAnd,
    BvOr,
    BvXor,
    BvAdd,
    BvSub,
    BvMul,
    BvUdiv,
    BvUrem,
    BvSdiv,
    BvSrem,
    BvSmod,
    BvShl,
    BvLshr,
    BvAshr,
    BvUlt,
    BvUle,
    BvSlt,
    BvSle,
    Concat,
    FpAbs,
    FpNeg,
    FpAdd,
    FpSub,
    FpMul,
    FpDiv,
    FpFma,
    FpSqrt,
    FpRem,
    FpRoundToIntegral,
    FpMin,
    FpMax,
    FpEq,
    FpLt,
    FpLe,
    FpIsNormal,
    FpIsSubnormal,
    FpIsZero,
    FpIsInfinite,
    FpIsNan,
    FpIsNegative,
    FpIsPositive,
    FpToReal,
    FpToBits,
    RealLt,
    RealLe,
    Select,
    StoreAt
);

/// Functions that other operators define.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Derived {
    /// `bvcomp`: one bit, whether two vectors are equal.
    Compare,
    /// `bvredand`: one bit, whether all bits are set.
    ReduceAnd,
    /// `bvredor`: one bit, whether any bit is set.
    ReduceOr,
    /// `bvredxor`: one bit, the parity.
    ReduceXor,
    /// `bvinc` (true) and `bvdec`.
    Step(bool),
    /// `bvrol` (true) and `bvror`, by a bit vector.
    Rotate(bool),
    /// `bvnego`: whether the negation overflows.
    NegationOverflows,
    /// `bvsdivo`.
    DivisionOverflows,
    /// `bvuaddo` and, true, `bvsaddo`.
    AdditionOverflows(bool),
    /// `bvusubo` and, true, `bvssubo`.
    SubtractionOverflows(bool),
    /// `bvumulo` and, true, `bvsmulo`.
    MultiplicationOverflows(bool),
    /// `fp`: sign, exponent, fraction.
    FloatFromFields,
    /// `+` and `*` (true) of reals.
    SumOrProduct(bool),
    /// `-` of reals: negation or difference.
    Minus,
    /// `/` of reals.
    Divide,
}

/// Functions with indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Indexed {
    /// `extract`.
    Extract,
    /// `zero_extend`.
    ZeroExtend,
    /// `sign_extend`.
    SignExtend,
    /// `rotate_left`.
    RotateLeft,
    /// `rotate_right`.
    RotateRight,
    /// `repeat`.
    Repeat,
    /// `to_fp`.
    ToFp,
    /// `to_fp_unsigned`.
    ToFpUnsigned,
    /// `fp.to_ubv`.
    ToUnsigned,
    /// `fp.to_sbv`.
    ToSigned,
    /// `+oo`, `-oo`.
    Infinity(bool),
    /// `+zero`, `-zero`.
    Zero(bool),
    /// `NaN`.
    Nan,
}

impl Builtin {
    /// Whether a script may declare the name for itself: it belongs to no theory of the standard's that is read here.
    pub(super) fn may_be_redeclared(self) -> bool {
        match self {
            Builtin::Unsupported => true,
            Builtin::Derived(function) => !matches!(
                function,
                Derived::Compare
                    | Derived::FloatFromFields
                    | Derived::SumOrProduct(_)
                    | Derived::Minus
                    | Derived::Divide
            ),
            _ => false,
        }
    }
}

impl Indexed {
    /// How many indices it has.
    pub(super) fn indices(self) -> usize {
        match self {
            Indexed::Extract | Indexed::ToFp | Indexed::ToFpUnsigned => 2,
            Indexed::Infinity(_) | Indexed::Zero(_) | Indexed::Nan => 2,
            _ => 1,
        }
    }
}

use Builtin::{Chain, Flipped, Left, Mode, Negated, Plain as Just, Unsupported};

/// All names. A `bvN` between `(_` and `)` is no name but a literal.
pub(super) const BUILTINS: &[(&str, Builtin)] = &[
    ("true", Builtin::True),
    ("false", Builtin::False),
    ("not", Just(Plain::Not)),
    ("=>", Builtin::Implies),
    ("and", Just(Plain::And)),
    ("or", Just(Plain::Or)),
    ("xor", Left(Plain::Xor)),
    ("=", Chain(Plain::Eq)),
    ("distinct", Just(Plain::Distinct)),
    ("ite", Just(Plain::Ite)),
    ("bvnot", Just(Plain::BvNot)),
    ("bvneg", Just(Plain::BvNeg)),
    ("bvand", Left(Plain::BvAnd)),
    ("bvor", Left(Plain::BvOr)),
    ("bvxor", Left(Plain::BvXor)),
    ("bvnand", Negated(Plain::BvAnd)),
    ("bvnor", Negated(Plain::BvOr)),
    ("bvxnor", Negated(Plain::BvXor)),
    ("bvadd", Left(Plain::BvAdd)),
    ("bvsub", Left(Plain::BvSub)),
    ("bvmul", Left(Plain::BvMul)),
    ("bvudiv", Just(Plain::BvUdiv)),
    ("bvurem", Just(Plain::BvUrem)),
    ("bvsdiv", Just(Plain::BvSdiv)),
    ("bvsrem", Just(Plain::BvSrem)),
    ("bvsmod", Just(Plain::BvSmod)),
    ("bvshl", Just(Plain::BvShl)),
    ("bvlshr", Just(Plain::BvLshr)),
    ("bvashr", Just(Plain::BvAshr)),
    ("bvult", Chain(Plain::BvUlt)),
    ("bvule", Chain(Plain::BvUle)),
    ("bvslt", Chain(Plain::BvSlt)),
    ("bvsle", Chain(Plain::BvSle)),
    ("bvugt", Flipped(Plain::BvUlt)),
    ("bvuge", Flipped(Plain::BvUle)),
    ("bvsgt", Flipped(Plain::BvSlt)),
    ("bvsge", Flipped(Plain::BvSle)),
    ("bvcomp", Builtin::Derived(Derived::Compare)),
    ("bvredand", Builtin::Derived(Derived::ReduceAnd)),
    ("bvredor", Builtin::Derived(Derived::ReduceOr)),
    ("bvredxor", Builtin::Derived(Derived::ReduceXor)),
    ("bvinc", Builtin::Derived(Derived::Step(true))),
    ("bvdec", Builtin::Derived(Derived::Step(false))),
    ("bvrol", Builtin::Derived(Derived::Rotate(true))),
    ("bvror", Builtin::Derived(Derived::Rotate(false))),
    ("ext_rotate_left", Builtin::Derived(Derived::Rotate(true))),
    ("ext_rotate_right", Builtin::Derived(Derived::Rotate(false))),
    ("bvnego", Builtin::Derived(Derived::NegationOverflows)),
    ("bvsdivo", Builtin::Derived(Derived::DivisionOverflows)),
    ("bvuaddo", Builtin::Derived(Derived::AdditionOverflows(false))),
    ("bvsaddo", Builtin::Derived(Derived::AdditionOverflows(true))),
    ("bvusubo", Builtin::Derived(Derived::SubtractionOverflows(false))),
    ("bvssubo", Builtin::Derived(Derived::SubtractionOverflows(true))),
    ("bvumulo", Builtin::Derived(Derived::MultiplicationOverflows(false))),
    ("bvsmulo", Builtin::Derived(Derived::MultiplicationOverflows(true))),
    ("concat", Just(Plain::Concat)),
    ("extract", Builtin::Indexed(Indexed::Extract)),
    ("zero_extend", Builtin::Indexed(Indexed::ZeroExtend)),
    ("sign_extend", Builtin::Indexed(Indexed::SignExtend)),
    ("rotate_left", Builtin::Indexed(Indexed::RotateLeft)),
    ("rotate_right", Builtin::Indexed(Indexed::RotateRight)),
    ("repeat", Builtin::Indexed(Indexed::Repeat)),
    ("roundNearestTiesToEven", Mode(RoundingMode::NearestEven)),
    ("roundNearestTiesToAway", Mode(RoundingMode::NearestAway)),
    ("roundTowardPositive", Mode(RoundingMode::TowardPositive)),
    ("roundTowardNegative", Mode(RoundingMode::TowardNegative)),
    ("roundTowardZero", Mode(RoundingMode::TowardZero)),
    ("RNE", Mode(RoundingMode::NearestEven)),
    ("RNA", Mode(RoundingMode::NearestAway)),
    ("RTP", Mode(RoundingMode::TowardPositive)),
    ("RTN", Mode(RoundingMode::TowardNegative)),
    ("RTZ", Mode(RoundingMode::TowardZero)),
    ("fp", Builtin::Derived(Derived::FloatFromFields)),
    ("+oo", Builtin::Indexed(Indexed::Infinity(false))),
    ("-oo", Builtin::Indexed(Indexed::Infinity(true))),
    ("+zero", Builtin::Indexed(Indexed::Zero(false))),
    ("-zero", Builtin::Indexed(Indexed::Zero(true))),
    ("NaN", Builtin::Indexed(Indexed::Nan)),
    ("fp.abs", Just(Plain::FpAbs)),
    ("fp.neg", Just(Plain::FpNeg)),
    ("fp.add", Just(Plain::FpAdd)),
    ("fp.sub", Just(Plain::FpSub)),
    ("fp.mul", Just(Plain::FpMul)),
    ("fp.div", Just(Plain::FpDiv)),
    ("fp.fma", Just(Plain::FpFma)),
    ("fp.sqrt", Just(Plain::FpSqrt)),
    ("fp.rem", Just(Plain::FpRem)),
    ("fp.roundToIntegral", Just(Plain::FpRoundToIntegral)),
    ("fp.min", Just(Plain::FpMin)),
    ("fp.max", Just(Plain::FpMax)),
    ("fp.leq", Chain(Plain::FpLe)),
    ("fp.lt", Chain(Plain::FpLt)),
    ("fp.geq", Flipped(Plain::FpLe)),
    ("fp.gt", Flipped(Plain::FpLt)),
    ("fp.eq", Chain(Plain::FpEq)),
    ("fp.isNormal", Just(Plain::FpIsNormal)),
    ("fp.isSubnormal", Just(Plain::FpIsSubnormal)),
    ("fp.isZero", Just(Plain::FpIsZero)),
    ("fp.isInfinite", Just(Plain::FpIsInfinite)),
    ("fp.isNaN", Just(Plain::FpIsNan)),
    ("fp.isNegative", Just(Plain::FpIsNegative)),
    ("fp.isPositive", Just(Plain::FpIsPositive)),
    ("to_fp", Builtin::Indexed(Indexed::ToFp)),
    ("to_fp_unsigned", Builtin::Indexed(Indexed::ToFpUnsigned)),
    ("fp.to_ubv", Builtin::Indexed(Indexed::ToUnsigned)),
    ("fp.to_sbv", Builtin::Indexed(Indexed::ToSigned)),
    ("fp.to_real", Just(Plain::FpToReal)),
    ("fp.to_ieee_bv", Just(Plain::FpToBits)),
    ("+", Builtin::Derived(Derived::SumOrProduct(false))),
    ("*", Builtin::Derived(Derived::SumOrProduct(true))),
    ("-", Builtin::Derived(Derived::Minus)),
    ("/", Builtin::Derived(Derived::Divide)),
    ("<", Chain(Plain::RealLt)),
    ("<=", Chain(Plain::RealLe)),
    (">", Flipped(Plain::RealLt)),
    (">=", Flipped(Plain::RealLe)),
    ("select", Just(Plain::Select)),
    ("store", Just(Plain::StoreAt)),
    ("div", Unsupported),
    ("mod", Unsupported),
    ("abs", Unsupported),
    ("to_int", Unsupported),
    ("to_real", Unsupported),
    ("is_int", Unsupported),
    ("bv2nat", Unsupported),
    ("int2bv", Unsupported),
    ("nat2bv", Unsupported),
    ("ubv_to_int", Unsupported),
    ("sbv_to_int", Unsupported),
    ("int_to_bv", Unsupported),
];

/// Sorts that other logics have.
pub(super) const UNSUPPORTED_SORTS: [&str; 4] = ["Int", "String", "RegLan", "Seq"];
