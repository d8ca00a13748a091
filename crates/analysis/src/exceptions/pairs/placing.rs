//! To which site of the source an event of the machine's code belongs.

use labrys_elementary::Function;
use labrys_float::Flags;
use labrys_native::SourceFrame;
use labrys_program::KnownFunction;
use labrys_report::{SiteKey, SourcePlace};
use rustc_hash::FxHashSet;

use super::{PairKey, Pairs, Place};
use crate::exceptions::doubling::{Doubling, of_unknown};
use crate::run::record::place_of_frame;

/// The site that an event belongs to, as far as its instruction tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placed {
    /// This one.
    At(SiteKey),
    /// One of these: what they are computed of must tell ([`Pairs::choose`]).
    OneOf(Vec<SiteKey>),
}

impl Pairs {
    /// The site that an event belongs to: the operation that stands there by its debug information. The sum of a register with itself is what
    /// doubles a number there, whatever its operator ([`Doubling`]). Where code generation made something else of the operation (an unsigned
    /// conversion is sums and shuffles, a sum with a product by −2 a difference), one that could raise this; of several, one that nobody proved
    /// unable to. Where there is none, the only operation of its kind that there is ([`Moved`]), unless that was proved unable to; else a site of its own.
    pub fn place(&mut self, frame: &SourceFrame, exception: Flags) -> Placed {
        let function = self.names.of_frame(frame);
        let operator = operator_of(frame);
        let here = place_of_frame(frame);
        let place = (function.clone(), frame.line, frame.column);
        if let Some(key) = self.moved(&place, &operator, (&here, exception)) {
            return Placed::At(key);
        }
        if let Some(there) = self.places.get(&place) {
            let there = in_file(there, here.file.as_deref());
            let able = |(_, possible): &&(SiteKey, Flags)| possible.contains(exception);
            let of = |operator: &str| there.iter().copied().find(|(key, _)| key.operator == operator);
            if frame.doubles {
                let mut doubling = self.doubling_most(there.iter().copied().filter(able).map(|(key, _)| key));
                match doubling.len() {
                    0 => {}
                    1 => return Placed::At(doubling.remove(0)),
                    _ => return Placed::OneOf(doubling),
                }
            }
            if let Some((key, _)) = of(&operator) {
                return Placed::At(key.clone());
            }
            let sibling = match operator.as_str() {
                "fsub" => of("fadd"),
                "fadd" => of("fsub"),
                _ => None,
            };
            let mut likely = sibling.into_iter().chain(there.iter().copied()).filter(able);
            let first = likely.clone().next();
            let unproved = |(key, _): &&(SiteKey, Flags)| {
                self.pairs.get(&(key.clone(), exception)).is_none_or(|pair| pair.proof.is_none())
            };
            if let Some((key, _)) = likely.find(unproved).or(first) {
                return Placed::At(key.clone());
            }
        }
        Placed::At(self.own(SiteKey { place: here, function, operator }))
    }

    /// Which of several sites an event belongs to, by what the IR raises on the same input: the first that raises it there and that no other event of
    /// the call was placed at, else the first that raises it. Where none is known to, a site of its own, of which nothing is known but that it is one of
    /// them.
    pub fn choose(
        &mut self,
        among: &[SiteKey],
        exception: Flags,
        (raised, placed): (&FxHashSet<PairKey>, &FxHashSet<PairKey>),
    ) -> SiteKey {
        let pairs = || among.iter().map(|key| (key.clone(), exception)).filter(|pair| raised.contains(pair));
        if let Some((key, _)) = pairs().find(|pair| !placed.contains(pair)).or_else(|| pairs().next()) {
            return key;
        }
        let operators: Vec<&str> = among.iter().map(|key| key.operator.as_str()).collect();
        let of = among.first().cloned().unwrap_or_default();
        let operator = operators.join(" or ");
        self.own(SiteKey { operator, ..of })
    }

    /// The site that an event belongs to where its instruction alone is known.
    pub fn site_of(&mut self, frame: &SourceFrame, exception: Flags) -> SiteKey {
        match self.place(frame, exception) {
            Placed::At(key) => key,
            Placed::OneOf(among) => {
                let nothing = FxHashSet::default();
                self.choose(&among, exception, (&nothing, &nothing))
            }
        }
    }

    /// A site that the IR has not.
    fn own(&mut self, key: SiteKey) -> SiteKey {
        self.add(key.clone(), Flags::empty());
        key
    }

    /// The site whose operation was moved to a place, where the IR has none of this operator. One that was proved unable to is none: what is executed
    /// before it is needed is not what the proof is of.
    fn moved(&mut self, place: &Place, operator: &str, (here, exception): (&SourcePlace, Flags)) -> Option<SiteKey> {
        let there = self.places.get(place).map(|there| in_file(there, here.file.as_deref())).unwrap_or_default();
        // Those of observations alone are said to be able to nothing.
        if there.iter().any(|(key, possible)| key.operator == operator && !possible.is_empty()) {
            return None;
        }
        let key = self.moved.only(&place.0, operator)?.clone();
        let pair = self.pairs.get(&(key.clone(), exception))?;
        if pair.proof.is_some() || pair.refuted.is_some() {
            return None;
        }
        self.moved.note(&key, here.clone());
        Some(key)
    }

    /// Those of some sites that double a number, if that is certain of any, else those that may.
    fn doubling_most<'k>(&self, sites: impl Iterator<Item = &'k SiteKey>) -> Vec<SiteKey> {
        let doubling = |key: &SiteKey| self.doubling.get(key).copied().unwrap_or_else(|| of_unknown(&key.operator));
        let sites: Vec<(&SiteKey, Doubling)> = sites.map(|key| (key, doubling(key))).collect();
        let most = sites.iter().map(|(_, doubling)| *doubling).max().filter(|most| *most > Doubling::No);
        sites.into_iter().filter(|(_, doubling)| Some(*doubling) == most).map(|(key, _)| key.clone()).collect()
    }
}

/// Those of some sites that are in a file: files have functions of one name, most of all closures, at the same line and column. Where no
/// path is the same one, compilers wrote it in different ways, and its last part tells.
fn in_file<'p>(sites: &'p [(SiteKey, Flags)], file: Option<&str>) -> Vec<&'p (SiteKey, Flags)> {
    let Some(file) = file else { return sites.iter().collect() };
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let of = |same: &dyn Fn(&str) -> bool| -> Vec<&'p (SiteKey, Flags)> {
        sites.iter().filter(|(key, _)| key.place.file.as_deref().is_none_or(same)).collect()
    };
    let here = of(&|path| path == file);
    if here.is_empty() { of(&|path| last(path) == last(file)) } else { here }
}

/// The operator that a site of the IR has for what the machine does there.
fn operator_of(frame: &SourceFrame) -> String {
    let Some(library) = &frame.library else { return frame.operator.clone() };
    // Functions that compute one operation are that operation; others have one name for all formats.
    match KnownFunction::named(library) {
        Some(KnownFunction::Float(call)) => call.operator().to_owned(),
        Some(KnownFunction::LogGammaWithSign) => Function::Lgamma.name().to_owned(),
        _ => library.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use labrys_program::Program;
    use labrys_report::FoundBy;

    use super::super::{Proof, Scope, Witness};
    use super::*;
    use crate::target::names::FunctionNames;

    /// Two functions of one name, inlined into what calls a function of a crate; optimised code knows them by their symbols alone.
    const INLINED: &str = r#"
        define double @labrys_call(double %x) !dbg !4 {
          %a = fdiv double 1.0, %x, !dbg !9
          %b = fdiv double 2.0, %a, !dbg !10
          ret double %b
        }
        !llvm.dbg.cu = !{!0}
        !llvm.module.flags = !{!11}
        !0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, emissionKind: FullDebug)
        !1 = !DIFile(filename: "glue.rs", directory: "/crate")
        !2 = !DIFile(filename: "src/a.rs", directory: "/crate")
        !3 = !DIFile(filename: "src/b.rs", directory: "/crate")
        !4 = distinct !DISubprogram(name: "mode", linkageName: "labrys_call", file: !1, type: !5, spFlags: DISPFlagDefinition, unit: !0)
        !5 = !DISubroutineType(types: !12)
        !6 = distinct !DISubprogram(name: "{closure#0}", linkageName: "_ZN1a4mode7closureE", file: !2, type: !5, spFlags: DISPFlagDefinition, unit: !0)
        !7 = distinct !DISubprogram(name: "{closure#0}", linkageName: "_ZN1b4mode7closureE", file: !3, type: !5, spFlags: DISPFlagDefinition, unit: !0)
        !8 = !DILocation(line: 5, column: 1, scope: !4)
        !9 = !DILocation(line: 14, column: 37, scope: !6, inlinedAt: !8)
        !10 = !DILocation(line: 14, column: 37, scope: !7, inlinedAt: !8)
        !11 = !{i32 2, !"Debug Info Version", i32 3}
        !12 = !{}"#;

    /// Sites of functions that the optimiser had inlined were those of the function around them in the IR and the inlined one's in the
    /// machine's code: each was counted twice, and what was seen decided nothing.
    #[test]
    fn inlined_functions_have_one_name_on_both_sides() {
        let program = Program::from_bytes(INLINED.as_bytes(), "inlined.ll").unwrap();
        let sites = labrys_symex::static_sites(&program, program.function("labrys_call").unwrap());
        let names = FunctionNames::new([("labrys_call".to_owned(), "mode".to_owned())], Some(&program));
        let mut pairs = Pairs::new(&program, &sites, Arc::new(names), Flags::DIVBYZERO);
        assert_eq!(pairs.iter().count(), 2);
        let witness = Witness { record: vec![0; 8], found_by: FoundBy::Random, classes: 0, is_first: true };
        for (file, symbol, left) in
            [("/crate/src/b.rs", "_ZN1b4mode7closureE", 1), ("/crate/src/a.rs", "_ZN1a4mode7closureE", 0)]
        {
            let frame = SourceFrame {
                file: Some(file.to_owned()),
                function: "a::mode::{{closure}}".to_owned(),
                symbol: symbol.to_owned(),
                line: 14,
                column: 37,
                operator: "fdiv".to_owned(),
                ..SourceFrame::default()
            };
            let site = pairs.site_of(&frame, Flags::DIVBYZERO);
            assert!(pairs.observe((site.clone(), Flags::DIVBYZERO), 0, &witness));
            assert_eq!((pairs.iter().count(), pairs.open().len()), (2, left), "{symbol}");
            assert_eq!((site.function.as_str(), site.place.file.as_deref()), ("{closure#0}", Some(file)));
        }
        // The same file as another compiler writes it.
        let frame = SourceFrame {
            file: Some("./src/b.rs".to_owned()),
            symbol: "_ZN1b4mode7closureE".to_owned(),
            line: 14,
            column: 37,
            operator: "fdiv".to_owned(),
            ..SourceFrame::default()
        };
        assert_eq!(pairs.site_of(&frame, Flags::DIVBYZERO).place.file.as_deref(), Some("/crate/src/b.rs"));
    }

    /// The pairs of a function of `%x` and `%y` whose operations stand at one place, and the sum there of a register with itself or not.
    fn at_one_place(operations: &[&str]) -> (Pairs, impl Fn(&str, bool) -> SourceFrame) {
        let lines: Vec<String> = operations.iter().map(|operation| format!("{operation}, !dbg !4\n")).collect();
        let text = format!(
            r#"define void @f(double %x, double %y) !dbg !2 {{
                {}
                ret void
            }}
            !llvm.dbg.cu = !{{!0}}
            !llvm.module.flags = !{{!5}}
            !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
            !1 = !DIFile(filename: "f.c", directory: "/")
            !2 = distinct !DISubprogram(name: "f", file: !1, type: !3, spFlags: DISPFlagDefinition, unit: !0)
            !3 = !DISubroutineType(types: !6)
            !4 = !DILocation(line: 1, column: 2, scope: !2)
            !5 = !{{i32 2, !"Debug Info Version", i32 3}}
            !6 = !{{}}"#,
            lines.concat()
        );
        let program = Program::from_bytes(text.as_bytes(), "f.ll").expect("IR");
        let sites = labrys_symex::static_sites(&program, program.function("f").expect("f"));
        let frame = |operator: &str, doubles: bool| SourceFrame {
            function: "f".to_owned(),
            symbol: "f".to_owned(),
            line: 1,
            column: 2,
            operator: operator.to_owned(),
            doubles,
            ..SourceFrame::default()
        };
        (Pairs::new(&program, &sites, Arc::default(), Flags::NOTABLE), frame)
    }

    /// `1.0 + 2.0 * y` has its sum and its product at one place, and the product is made as a sum.
    #[test]
    fn doubling_belongs_to_the_product() {
        let (mut pairs, frame) = at_one_place(&["%p = fmul double 2.0, %y", "%s = fadd double 1.0, %p"]);
        let proof = || Proof { engine: "ranges", scope: Scope::Ir, assumptions: Vec::new(), loop_bound: None };
        let site = |pairs: &mut Pairs, frame: SourceFrame, exception| pairs.site_of(&frame, exception);
        let sum = site(&mut pairs, frame("fadd", false), Flags::OVERFLOW);
        let product = site(&mut pairs, frame("fadd", true), Flags::OVERFLOW);
        assert_eq!((sum.operator.as_str(), product.operator.as_str()), ("fadd", "fmul"));
        pairs.prove(&(product.clone(), Flags::INVALID), proof());
        // −2 · y + z is z − (y + y): the difference is the sum.
        assert_eq!(site(&mut pairs, frame("fsub", false), Flags::INVALID), sum);
        // What all that could have raised it were proved unable to is a contradiction.
        pairs.prove(&(sum.clone(), Flags::INVALID), proof());
        assert_eq!(site(&mut pairs, frame("fsub", false), Flags::INVALID), sum);
    }

    /// `a*b + b*a` of Fortran is `p = a*b; p + p` at one place: the sum's overflow was told of the product, which cannot.
    #[test]
    fn a_sum_of_a_product_with_itself_is_no_product_by_two() {
        let (mut pairs, frame) = at_one_place(&["%p = fmul double %x, %y", "%s = fadd double %p, %p"]);
        assert_eq!(pairs.site_of(&frame("fadd", true), Flags::OVERFLOW).operator, "fadd");
        assert_eq!(pairs.site_of(&frame("fmul", false), Flags::OVERFLOW).operator, "fmul");
        // (a + a) * (b * 0.5)
        let operations = ["%s = fadd double %x, %x", "%h = fmul double %y, 0.5", "%p = fmul double %s, %h"];
        let (mut pairs, frame) = at_one_place(&operations);
        assert_eq!(pairs.site_of(&frame("fadd", true), Flags::OVERFLOW).operator, "fadd");
    }

    /// 2·y + 2·y is two sums of a register with itself: what the IR computes tells which of them overflows.
    #[test]
    fn what_doubles_is_told_by_values_where_both_may() {
        let (mut pairs, frame) = at_one_place(&["%p = fmul double 2.0, %y", "%s = fadd double %p, %p"]);
        let Placed::OneOf(among) = pairs.place(&frame("fadd", true), Flags::OVERFLOW) else {
            panic!("one of them by its operands");
        };
        assert_eq!(among.iter().map(|key| key.operator.as_str()).collect::<Vec<_>>(), ["fmul", "fadd"]);
        let nothing = FxHashSet::default();
        let both: FxHashSet<PairKey> = among.iter().map(|key| (key.clone(), Flags::OVERFLOW)).collect();
        for of in &among {
            let one = FxHashSet::from_iter([(of.clone(), Flags::OVERFLOW)]);
            assert_eq!(pairs.choose(&among, Flags::OVERFLOW, (&one, &nothing)), *of);
            // Where both are raised, that which no other instruction raised.
            assert_ne!(pairs.choose(&among, Flags::OVERFLOW, (&both, &one)), *of);
        }
        // Neither is blamed for what may be the other's.
        let own = pairs.choose(&among, Flags::OVERFLOW, (&nothing, &nothing));
        assert_eq!(own.operator, "fmul or fadd");
        assert!(pairs.open().iter().all(|(key, _)| *key != own));
    }

    /// Only six functions were known to be operations here, while the sites of the IR know all: what was seen in scalbn was
    /// nobody's ldexp.
    #[test]
    fn libraries_functions_are_the_operators_of_the_ir() {
        let of =
            |library: &str| operator_of(&SourceFrame { library: Some(library.to_owned()), ..SourceFrame::default() });
        for (library, operator) in [
            ("sqrtf", "fsqrt"),
            ("__fmod_finite", "frem"),
            ("drem", "remainder"),
            ("fmaxl", "fmax"),
            ("scalbn", "ldexp"),
            ("scalblnf", "ldexp"),
            ("fdim", "fsub"),
            ("lrint", "fconvert"),
            ("nearbyint", "fround"),
            ("_FortranAModReal8", "frem"),
            ("__powidf2", "powi"),
            ("lgamma_r", "lgamma"),
            ("gamma", "lgamma"),
            ("__logf_finite", "log"),
            ("__divdc3", "__divdc3"),
            ("strtod", "strtod"),
        ] {
            assert_eq!(of(library), operator, "{library}");
        }
    }

    /// A quotient that the compiler does before its guard was one site in the IR and another in the machine's code: the first stayed unknown.
    #[test]
    fn what_the_compiler_moves_is_the_only_operation_of_its_kind() {
        let program = Program::from_bytes(
            INLINED.replace("%b = fdiv double 2.0, %a", "%b = fmul double 2.0, %a").as_bytes(),
            "moved.ll",
        )
        .unwrap();
        let sites = labrys_symex::static_sites(&program, program.function("labrys_call").unwrap());
        let names = FunctionNames::new([("labrys_call".to_owned(), "mode".to_owned())], Some(&program));
        let mut pairs = Pairs::new(&program, &sites, Arc::new(names), Flags::DIVBYZERO | Flags::INVALID);
        let frame = |symbol: &str, operator: &str| SourceFrame {
            file: Some("/crate/glue.rs".to_owned()),
            symbol: symbol.to_owned(),
            line: 9,
            column: 12,
            operator: operator.to_owned(),
            ..SourceFrame::default()
        };
        let division = sites
            .iter()
            .find(|site| site.operator.to_string() == "fdiv")
            .and_then(|site| pairs.key_of(site))
            .cloned()
            .unwrap();
        pairs.prove(
            &(division.clone(), Flags::DIVBYZERO),
            Proof { engine: "ranges", scope: Scope::Ir, assumptions: Vec::new(), loop_bound: None },
        );
        // What was proved is not what the machine does there, which leaves the proof as it is.
        let own = pairs.site_of(&frame("labrys_call", "fdiv"), Flags::DIVBYZERO);
        assert_eq!((own.place.line, pairs.moved_to(&division)), (Some(9), None));
        assert_eq!(pairs.site_of(&frame("labrys_call", "fdiv"), Flags::INVALID), division);
        assert_eq!(pairs.moved_to(&division).and_then(|place| place.line), Some(9));
        // On an input of which nobody knows whether the source divides it is seen, and looked for all the same.
        let key = (division.clone(), Flags::INVALID);
        let mut witness = Witness { record: vec![0; 8], found_by: FoundBy::Random, classes: 0, is_first: true };
        assert!(!pairs.observe(key.clone(), 9, &witness) && pairs.is_open(&key));
        witness.found_by = FoundBy::Solver;
        assert!(pairs.observe(key.clone(), 9, &witness) && !pairs.is_open(&key));
        // Others can come of anything, and functions without IR have their own.
        assert_eq!(pairs.site_of(&frame("labrys_call", "fmul"), Flags::INVALID).place.line, Some(9));
        assert_eq!(pairs.site_of(&frame("elsewhere", "fdiv"), Flags::INVALID).place.line, Some(9));
    }
}
