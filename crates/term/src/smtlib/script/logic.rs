//! Logics by their names.

/// Whether a logic is read here: no quantifiers (`QF_`) and no theories but arrays (`A`, `AX`), bit vectors (`BV`),
/// floating point (`FP`) and, for conversions, linear reals (`LRA`); or all theories, of which some are read.
pub(super) fn is_supported(name: &[u8]) -> bool {
    let Some(mut rest) = name.strip_prefix(b"QF_") else {
        return matches!(name, b"ALL" | b"ALL_SUPPORTED");
    };
    for theory in [&b"AX"[..], b"A", b"BV", b"FP", b"BV", b"LRA"] {
        rest = rest.strip_prefix(theory).unwrap_or(rest);
    }
    rest.is_empty() && name != b"QF_"
}

#[cfg(test)]
mod tests {
    use super::is_supported;

    #[test]
    fn logics_of_the_supported_theories_are_known() {
        let known =
            ["QF_FP", "QF_BV", "QF_BVFP", "QF_ABVFP", "QF_FPLRA", "QF_BVFPLRA", "QF_ABV", "QF_AX", "QF_FPBV", "ALL"];
        assert_eq!(known.iter().filter(|name| !is_supported(name.as_bytes())).count(), 0);
        let others = ["QF_LIA", "FP", "QF_UFBV", "QF_S", "QF_", "BV", "QF_NRA", "HORN", ""];
        assert_eq!(others.iter().filter(|name| is_supported(name.as_bytes())).count(), 0);
    }
}
