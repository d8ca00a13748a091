//! What the text of one shadow consists of: functions, globals, declarations and types, each as it is found to be needed.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use labrys_elementary::Function as Elementary;
use labrys_program::{FunctionId, GlobalId, Program, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Reason;
use crate::kind::{Kind, Own, Place, scalars};
use crate::shadow::Site;

/// Operations on floats, loads and stores up to which they are written out in place. Beyond, they are calls, which cost
/// a shadowed call little and clang a fifth of the time: 1.4 s instead of 7.3 s for the 1,000 operations of gsl_sf_poch.
const MOST_INLINED: usize = 400;

/// Everything that the text needs so far.
pub(crate) struct Module<'p> {
    pub(crate) program: &'p Program,
    pub(crate) sites: Vec<Site>,
    /// Functions with bodies, in the order in which they were met.
    pub(crate) functions: Vec<FunctionId>,
    seen_functions: FxHashSet<FunctionId>,
    pub(crate) globals: Vec<GlobalId>,
    seen_globals: FxHashSet<GlobalId>,
    /// Functions whose addresses are taken.
    pub(crate) taken: Vec<FunctionId>,
    /// The types of indirect calls: arguments and result.
    pub(crate) indirect: Vec<(Vec<Type>, Type)>,
    /// Declarations of functions without a shadow by symbol and types, and their names in the text.
    externals: FxHashMap<(String, String), String>,
    /// Text of declarations.
    pub(crate) declarations: String,
    /// Widths of integers.
    widths: BTreeSet<u32>,
    /// Results of several scalars, by their kinds.
    pub(crate) results: BTreeSet<Vec<Kind>>,
    /// Elementary functions whose shadows are needed.
    pub(crate) elementary: BTreeSet<Elementary>,
    /// Operations on floats, loads and stores.
    pub(crate) operations: usize,
}

impl<'p> Module<'p> {
    pub(crate) fn new(program: &'p Program) -> Module<'p> {
        Module {
            program,
            sites: Vec::new(),
            functions: Vec::new(),
            seen_functions: FxHashSet::default(),
            globals: Vec::new(),
            seen_globals: FxHashSet::default(),
            taken: Vec::new(),
            indirect: Vec::new(),
            externals: FxHashMap::default(),
            declarations: String::new(),
            widths: BTreeSet::from([1, 8, 16, 32, 64, 128]),
            results: BTreeSet::new(),
            elementary: BTreeSet::new(),
            operations: 0,
        }
    }

    /// The name of a function with a body, which is written some time.
    pub(crate) fn function(&mut self, id: FunctionId) -> String {
        if self.seen_functions.insert(id) {
            self.functions.push(id);
        }
        format!("f{}", id.0)
    }

    /// The name of a global, which is written some time.
    pub(crate) fn global(&mut self, id: GlobalId) -> String {
        if self.seen_globals.insert(id) {
            self.globals.push(id);
        }
        format!("g{}", id.0)
    }

    /// An expression for the address of a function: that of its entry for callers without shadows.
    pub(crate) fn address_of(&mut self, id: FunctionId) -> String {
        if !self.taken.contains(&id) {
            self.taken.push(id);
            let function = &self.program.functions[id.index()];
            if !function.blocks.is_empty() && !function.is_variadic {
                self.function(id);
            }
        }
        format!("t{}", id.0)
    }

    /// The name in the text of a function of the system.
    pub(crate) fn external(&mut self, symbol: &str, result: &str, parameters: &str) -> String {
        let key = (symbol.to_owned(), format!("{result}({parameters})"));
        if let Some(name) = self.externals.get(&key) {
            return name.clone();
        }
        let name = format!("c{}", self.externals.len());
        let _ = writeln!(self.declarations, "extern {result} {name}({parameters}) __asm__({symbol:?});");
        self.externals.insert(key, name.clone());
        name
    }

    /// The shadow of an elementary function.
    pub(crate) fn elementary(&mut self, function: Elementary) -> String {
        self.elementary.insert(function);
        format!("word_{}", function.name())
    }

    /// Notes that a kind is used.
    pub(crate) fn note(&mut self, kind: Kind) {
        if let Kind::Int(bits) = kind {
            self.widths.insert(bits);
        }
    }

    /// The kind of a scalar type.
    pub(crate) fn kind(&mut self, ty: &Type) -> Result<Kind, Reason> {
        let kind = Kind::of(ty)?;
        self.note(kind);
        Ok(kind)
    }

    /// The scalars of a type.
    pub(crate) fn scalars(&mut self, ty: &Type) -> Result<Vec<Place>, Reason> {
        let places = scalars(ty)?;
        places.iter().for_each(|place| self.note(place.kind));
        Ok(places)
    }

    /// The C type of a function's result.
    pub(crate) fn result_type(&mut self, ty: &Type) -> Result<String, Reason> {
        let kinds: Vec<Kind> = self.scalars(ty)?.iter().map(|place| place.kind).collect();
        Ok(match kinds.as_slice() {
            [] => "void".to_owned(),
            [kind] => kind.c_type(),
            _ => {
                let name = result_name(&kinds);
                self.results.insert(kinds);
                name
            }
        })
    }

    /// The parts of the runtime that come before everything else, and the types of the text.
    pub(crate) fn prelude(&self) -> String {
        let mut text = String::from(include_str!("runtime/words.c"));
        let operation = if self.operations > MOST_INLINED { "APART" } else { "ALWAYS" };
        let _ = writeln!(text, "#define OPERATION {operation}");
        text.push_str(include_str!("runtime/memory.c"));
        for own in Own::ALL {
            text.push_str(&number(own));
        }
        text.push_str(include_str!("runtime/copies.c"));
        for bits in &self.widths {
            let _ = writeln!(text, "typedef unsigned _BitInt({bits}) u{bits};");
            if *bits > 1 {
                let _ = writeln!(text, "typedef signed _BitInt({bits}) s{bits};");
            }
        }
        // One bit has no signed type of its own.
        text.push_str("typedef signed _BitInt(2) s1;\n");
        for kinds in &self.results {
            let members: String =
                kinds.iter().enumerate().map(|(i, kind)| format!(" {} r{i};", kind.c_type())).collect();
            let _ = writeln!(text, "typedef struct {{{members} }} {};", result_name(kinds));
        }
        text.push_str(&crate::elementary::text(&self.elementary));
        text
    }
}

/// The C type of a result of several scalars.
fn result_name(kinds: &[Kind]) -> String {
    let mut name = "R".to_owned();
    for kind in kinds {
        name.push('_');
        name.push_str(&kind.c_type());
    }
    name
}

/// The runtime for one format.
fn number(own: Own) -> String {
    let (kind, smallest) = match own {
        Own::Single => ("1", "0x1p-126f"),
        Own::Double => ("2", "0x1p-1022"),
        Own::Extended => ("3", "0x1p-16382l"),
    };
    let (prefix, suffix) = (own.function(""), own.suffix());
    include_str!("runtime/number.c")
        .replace("NUMBER", own.number())
        .replace("OWN", own.c_type())
        .replace("NAME(", &format!("NAME_({prefix}, "))
        .replace("NAME_(", "JOINED(")
        .replace("KIND", kind)
        .replace("SMALLEST", smallest)
        .replace("BYTES", &own.bytes().to_string())
        .replace("COPYSIGN", &format!("__builtin_copysign{suffix}"))
        .replace("ABS(", &format!("__builtin_fabs{suffix}("))
}

/// An integer expression read as signed.
pub(crate) fn signed(bits: u32, value: &str) -> String {
    if bits == 1 { format!("(-(s1){value})") } else { format!("((s{bits}){value})") }
}
