//! The functions of the benchmark, as newlib has them.

/// A function of the benchmark.
pub struct Function {
    /// As the benchmark calls it.
    pub name: &'static str,
    /// Its symbol, before renaming.
    pub symbol: &'static str,
    /// Its source, as [`crate::corpus::Libm::source`] takes it.
    pub source: &'static str,
    /// Sources of what it calls.
    pub links: &'static [&'static str],
}

const fn function(
    name: &'static str,
    symbol: &'static str,
    source: &'static str,
    links: &'static [&'static str],
) -> Function {
    Function { name, symbol, source, links }
}

/// What functions of angles call.
const ANGLES: &[&str] =
    &["math/e_rem_pio2", "math/k_rem_pio2", "math/k_sin", "math/k_cos", "common/s_scalbn", "common/s_copysign"];

/// The forty.
pub const FUNCTIONS: &[Function] = &[
    function("acos", "__ieee754_acos", "math/e_acos", &["math/e_sqrt"]),
    function("acosh", "__ieee754_acosh", "math/e_acosh", &["math/e_sqrt", "math/e_log", "common/s_log1p"]),
    function("asin", "__ieee754_asin", "math/e_asin", &["math/e_sqrt"]),
    function("atan2", "__ieee754_atan2", "math/e_atan2", &["math/s_atan"]),
    function("atanh", "__ieee754_atanh", "math/e_atanh", &["common/s_log1p"]),
    function("cosh", "__ieee754_cosh", "math/e_cosh", &["math/e_exp", "common/s_expm1"]),
    function("exp", "__ieee754_exp", "math/e_exp", &[]),
    function("fmod", "__ieee754_fmod", "math/e_fmod", &[]),
    function("hypot", "__ieee754_hypot", "math/e_hypot", &["math/e_sqrt"]),
    function(
        "j0",
        "__ieee754_j0",
        "math/e_j0",
        &[
            "math/e_sqrt",
            "math/e_log",
            "math/s_sin",
            "math/s_cos",
            "math/e_rem_pio2",
            "math/k_rem_pio2",
            "math/k_sin",
            "math/k_cos",
            "common/s_scalbn",
            "common/s_copysign",
        ],
    ),
    function(
        "y0",
        "__ieee754_y0",
        "math/e_j0",
        &[
            "math/e_sqrt",
            "math/e_log",
            "math/s_sin",
            "math/s_cos",
            "math/e_rem_pio2",
            "math/k_rem_pio2",
            "math/k_sin",
            "math/k_cos",
            "common/s_scalbn",
            "common/s_copysign",
        ],
    ),
    function(
        "j1",
        "__ieee754_j1",
        "math/e_j1",
        &[
            "math/e_sqrt",
            "math/e_log",
            "math/s_sin",
            "math/s_cos",
            "math/e_rem_pio2",
            "math/k_rem_pio2",
            "math/k_sin",
            "math/k_cos",
            "common/s_scalbn",
            "common/s_copysign",
        ],
    ),
    function(
        "y1",
        "__ieee754_y1",
        "math/e_j1",
        &[
            "math/e_sqrt",
            "math/e_log",
            "math/s_sin",
            "math/s_cos",
            "math/e_rem_pio2",
            "math/k_rem_pio2",
            "math/k_sin",
            "math/k_cos",
            "common/s_scalbn",
            "common/s_copysign",
        ],
    ),
    function("log", "__ieee754_log", "math/e_log", &[]),
    function("log10", "__ieee754_log10", "math/e_log10", &["math/e_log"]),
    function("pow", "__ieee754_pow", "math/e_pow", &["math/e_sqrt", "common/s_scalbn", "common/s_copysign"]),
    function(
        "rem_pio2",
        "__ieee754_rem_pio2",
        "math/e_rem_pio2",
        &["math/k_rem_pio2", "common/s_scalbn", "common/s_copysign"],
    ),
    function("remainder", "__ieee754_remainder", "math/e_remainder", &["math/e_fmod"]),
    function("scalb", "__ieee754_scalb", "math/e_scalb", &["common/s_scalbn", "common/s_copysign", "common/s_rint"]),
    function("sinh", "__ieee754_sinh", "math/e_sinh", &["math/e_exp", "common/s_expm1"]),
    function("sqrt", "__ieee754_sqrt", "math/e_sqrt", &[]),
    function("kernel_cos", "__kernel_cos", "math/k_cos", &[]),
    function("asinh", "asinh", "math/s_asinh", &["math/e_sqrt", "math/e_log", "common/s_log1p"]),
    function("atan", "atan", "math/s_atan", &[]),
    function("cbrt", "cbrt", "common/s_cbrt", &[]),
    function("ceil", "ceil", "math/s_ceil", &[]),
    function("cos", "cos", "math/s_cos", ANGLES),
    function("erf", "erf", "math/s_erf", &["math/e_exp"]),
    function("erfc", "erfc", "math/s_erf", &["math/e_exp"]),
    function("expm1", "expm1", "common/s_expm1", &[]),
    function("floor", "floor", "math/s_floor", &[]),
    function("ilogb", "ilogb", "common/s_ilogb", &[]),
    function("log1p", "log1p", "common/s_log1p", &[]),
    function("logb", "logb", "common/s_logb", &[]),
    function("modf", "modf", "common/s_modf", &[]),
    function("nextafter", "nextafter", "common/s_nextafter", &[]),
    function("rint", "rint", "common/s_rint", &[]),
    function("sin", "sin", "math/s_sin", ANGLES),
    function(
        "tan",
        "tan",
        "math/s_tan",
        &["math/e_rem_pio2", "math/k_rem_pio2", "math/k_tan", "common/s_scalbn", "common/s_copysign"],
    ),
    function("tanh", "tanh", "math/s_tanh", &["common/s_expm1"]),
];
