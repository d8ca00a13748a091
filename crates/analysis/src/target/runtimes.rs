//! Names of functions of which debug information says nothing: most are of the runtimes of languages and compilers, which are linked as they were
//! installed.

use labrys_program::demangled;

/// Whose runtimes are known.
const RUNTIMES: [&str; 3] = ["flang's runtime", "gfortran's runtime", "libgcc"];
/// The namespaces of flang's runtime as C++ mangles them, also within types that functions of no namespace have.
const FLANG: [&str; 3] = ["N7Fortran7runtime", "N7Fortran7decimal", "N7Fortran6common"];
/// What says the kinds that a template of flang's is made for.
const KINDS: &str = "<(Fortran::common::TypeCategory)";
/// What functions that compilers call are called after: `__divdc3` divides numbers of the mode `dc`.
const HELPERS: [&str; 21] = [
    "fixuns", "fix", "floatun", "float", "trunc", "extend", "powi", "add", "sub", "mul", "div", "neg", "cmp", "unord",
    "eq", "ne", "lt", "le", "gt", "ge", "mod",
];
/// Modes of numbers in names of [`HELPERS`].
const MODES: [&str; 14] = ["hf", "bf", "sf", "df", "xf", "tf", "hc", "sc", "dc", "xc", "tc", "si", "di", "ti"];

/// Whose runtime a symbol belongs to.
pub fn runtime_of(symbol: &str) -> Option<&'static str> {
    let is_flang = |namespace: &&str| symbol.contains(*namespace) || symbol.contains(&namespace.replacen('N', "NK", 1));
    if symbol.starts_with("_FortranA") || symbol.starts_with("_Z") && FLANG.iter().any(is_flang) {
        Some(RUNTIMES[0])
    } else if symbol.starts_with("_gfortran_") {
        Some(RUNTIMES[1])
    } else {
        is_helper(symbol).then_some(RUNTIMES[2])
    }
}

/// Whether a name is one that [`name_of`] made of a runtime's symbol.
pub fn is_runtimes(name: &str) -> bool {
    RUNTIMES.iter().any(|runtime| name.strip_suffix(runtime).is_some_and(|short| short.ends_with(" of ")))
}

/// What users call the function of a symbol that nothing else knows.
pub fn name_of(symbol: &str) -> String {
    let qualified = demangled(symbol);
    let Some(runtime) = runtime_of(symbol) else {
        return qualified.map_or_else(|| symbol.to_owned(), |qualified| path(&qualified));
    };
    let short = match qualified {
        Some(qualified) => without_kinds(&path(&qualified)).replace("Fortran::runtime::", ""),
        None => symbol.strip_prefix("_FortranA").unwrap_or(symbol).to_owned(),
    };
    format!("{short} of {runtime}")
}

/// A name without the kinds that templates are made for, nor an operator's parameters.
fn without_kinds(name: &str) -> String {
    let (mut short, mut rest) = (String::new(), name);
    while let Some((before, kinds)) = rest.split_once(KINDS) {
        short.push_str(before);
        rest = kinds.split_once('>').map_or("", |(_, behind)| behind);
    }
    short.push_str(rest);
    match short.split_once("operator()(") {
        Some((before, _)) => format!("{before}operator()"),
        None => short,
    }
}

fn is_helper(symbol: &str) -> bool {
    let Some(name) = symbol.strip_prefix("__") else { return false };
    let is_modes = |rest: &str| {
        let modes = rest.trim_end_matches(['2', '3', '4']);
        !modes.is_empty()
            && modes.len().is_multiple_of(2)
            && modes.as_bytes().chunks(2).all(|mode| MODES.iter().any(|known| known.as_bytes() == mode))
    };
    HELPERS.iter().any(|operation| name.strip_prefix(operation).is_some_and(is_modes))
}

/// A qualified name without the type of its result and its parameters.
fn path(qualified: &str) -> String {
    let qualified = qualified.replace("(anonymous namespace)::", "").replace("> >", ">>").replace("> >", ">>");
    if qualified.contains("operator") {
        return qualified;
    }
    let (mut depth, mut start, mut end, mut before) = (0, 0, qualified.len(), ' ');
    for (index, letter) in qualified.char_indices() {
        match letter {
            '<' => depth += 1,
            // Of an arrow before a result's type.
            '>' if before != '-' => depth -= 1,
            ' ' if depth == 0 => start = index + 1,
            '(' if depth == 0 && index > 0 => {
                end = index;
                break;
            }
            _ => {}
        }
        before = letter;
    }
    qualified.get(start..end).unwrap_or(&qualified).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_runtimes_have_short_names() {
        for (symbol, name) in [
            (
                "_ZN7Fortran7runtime16DoTotalReductionIdNS0_18RealSumAccumulatorIdEEEEvRKNS0_10DescriptorEiPS5_RT0_PKcRNS0_10TerminatorE",
                "DoTotalReduction<double, RealSumAccumulator<double>> of flang's runtime",
            ),
            ("_FortranASumReal8", "SumReal8 of flang's runtime"),
            (
                "_ZN12_GLOBAL__N_123MatrixTimesMatrixHelperILN7Fortran6common12TypeCategoryE0ELi16EniEEvPNS1_7runtime16CppTypeForHelperIXT_EXT0_EE4typeEllPKT1_PKT2_lSt8optionalImESG_",
                "MatrixTimesMatrixHelper of flang's runtime",
            ),
            ("_gfortran_norm2_r8", "_gfortran_norm2_r8 of gfortran's runtime"),
            ("__divdc3", "__divdc3 of libgcc"),
            ("__floatuntidf", "__floatuntidf of libgcc"),
            ("_ZN3foo3barEd", "foo::bar"),
            ("_RNvNtCs1234_4core3num3add", "core::num::add"),
            ("f", "f"),
            ("__add", "__add"),
            ("__divider", "__divider"),
            ("__mode2", "__mode2"),
        ] {
            assert_eq!(name_of(symbol), name);
            assert_eq!(is_runtimes(name), name.contains(" of "), "{name}");
        }
    }
}
