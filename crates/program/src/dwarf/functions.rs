use std::collections::HashSet;
use std::path::{Path, PathBuf};

use gimli::constants as dw;
use object::{Object, ObjectSymbol, SymbolKind};

use super::SignatureError;
use super::debug_info::{DebugInfo, Node, Symbol};
use crate::Language;

/// A function that an object defines, or that was inlined wherever it was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionInfo {
    /// Its name in the source, without scopes.
    pub name: String,
    /// Its name with scopes and, in C++, parameters: `m::deep`, `ns::f(double)`.
    pub qualified: String,
    /// Its symbol in the object.
    pub symbol: String,
    /// Its address in the object; 0 where it has no code of its own.
    pub address: u64,
    /// Whether it has code of its own, so that it can be called.
    pub has_code: bool,
    /// Whether it is a copy whose parameters the compiler changed, as its symbol says (`g.isra.0`).
    pub changed: bool,
    /// Whether other objects can call it: neither static nor private.
    pub external: bool,
    /// The file in which it is declared, as debug information names it.
    pub file: Option<String>,
    /// Whether that is the file that was compiled, not one that was included.
    pub in_main_file: bool,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The language; `None` without debug information.
    pub language: Option<Language>,
}

/// A function and the entry that describes it.
pub(super) struct Described {
    pub(super) info: FunctionInfo,
    /// The defining entry; `None` without debug information.
    pub(super) node: Option<Node>,
}

impl FunctionInfo {
    /// Whether a caller that knows its signature can call it, or why not.
    pub(super) fn callable(&self) -> Result<(), SignatureError> {
        let function = self.name.clone();
        if !self.has_code {
            Err(SignatureError::Inlined { function })
        } else if self.changed {
            Err(SignatureError::Changed { function, symbol: self.symbol.clone() })
        } else {
            Ok(())
        }
    }
}

/// How many names an error or a suggestion lists.
const LISTED: usize = 8;

/// The functions that `library` defines: those of debug information, by address, then other names of these. Those of the
/// compiled file that were inlined everywhere come first, without code. Without debug information, the functions of the
/// symbol tables.
///
/// # Errors
///
/// The file cannot be read, or its debug information is damaged.
pub fn functions_in(library: &Path) -> Result<Vec<FunctionInfo>, SignatureError> {
    let described = describe_functions(&DebugInfo::load(library)?)?;
    Ok(described.into_iter().map(|function| function.info).collect())
}

/// Whether a shared object exports code by this name, whatever its debug information says of it; no where it cannot be read.
pub fn exports(library: &Path, symbol: &str) -> bool {
    let Ok(bytes) = std::fs::read(library) else { return false };
    let Ok(file) = object::File::parse(&*bytes) else { return false };
    file.dynamic_symbols().any(|of| of.is_definition() && of.kind() == SymbolKind::Text && of.name() == Ok(symbol))
}

/// The function that a user means: by symbol, by name, by the last parts of its qualified name, by its template's name;
/// Fortran's names in any case. Without a name, the only external function of the compiled file, or, if it has none, the only static one.
///
/// # Errors
///
/// No such function (with near names), one without code, several of that name, or several and none named.
pub fn choose_function<'f>(
    functions: &'f [FunctionInfo],
    name: Option<&str>,
) -> Result<&'f FunctionInfo, SignatureError> {
    let Some(name) = name else { return only_function(functions) };
    let plain = name.contains('<').then(|| without_needless_spaces(name));
    let tests: [&dyn Fn(&FunctionInfo) -> bool; 6] = [
        &|function| function.symbol == name,
        &|function| function.qualified == name || function.name == name,
        &|function| ends_with_path(&function.qualified, name) || scoped_name(&function.qualified) == name,
        &|function| {
            function.language == Some(Language::Fortran)
                && [&function.name, &function.qualified, &function.qualified.replace('%', "::")]
                    .iter()
                    .any(|known| known.eq_ignore_ascii_case(name))
        },
        // An instance of a template whose arguments are written with other spaces than the compiler's.
        &|function| {
            plain.as_ref().is_some_and(|name| {
                let [known, qualified] = [&function.name, &function.qualified].map(|of| without_needless_spaces(of));
                known == *name
                    || qualified == *name
                    || ends_with_path(&qualified, name)
                    || scoped_name(&qualified) == name
            })
        },
        // The only instance of a template.
        &|function| {
            function.name.split_once('<').is_some_and(|(template, _)| template == name)
                || template_of(scoped_name(&function.qualified))
                    .is_some_and(|of| of == name || of.strip_suffix(name).is_some_and(|scopes| scopes.ends_with("::")))
        },
    ];
    for test in tests {
        let found: Vec<&FunctionInfo> = functions.iter().filter(|function| test(function)).collect();
        // A function of the compiled file hides those of headers and libraries.
        let own: Vec<&FunctionInfo> = found.iter().copied().filter(|function| function.in_main_file).collect();
        match if own.is_empty() { &found[..] } else { &own[..] } {
            [] => {}
            [function] => return function.callable().map(|()| *function),
            several => {
                let mut candidates: Vec<String> =
                    several.iter().take(LISTED).map(|function| function.qualified.clone()).collect();
                candidates.dedup();
                if candidates.len() < several.len().min(LISTED) {
                    candidates = several.iter().take(LISTED).map(|function| function.symbol.clone()).collect();
                }
                return Err(SignatureError::Ambiguous { name: name.to_owned(), candidates });
            }
        }
    }
    Err(SignatureError::Unknown { name: name.to_owned(), near: near_names(functions, name) })
}

/// A name of C++ with the spaces alone that are between two words: `f<unsigned int,3>` of `f<unsigned  int, 3 >`.
fn without_needless_spaces(name: &str) -> String {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut plain = String::new();
    for word in name.split_whitespace() {
        if plain.ends_with(is_of_word) && word.starts_with(is_of_word) {
            plain.push(' ');
        }
        plain.push_str(word);
    }
    plain
}

fn only_function(functions: &[FunctionInfo]) -> Result<&FunctionInfo, SignatureError> {
    let any_main = functions.iter().any(|function| function.in_main_file);
    let can_run = |function: &&FunctionInfo| function.callable().is_ok() && function.name != "main";
    let own = || functions.iter().filter(|function| function.in_main_file || !any_main).filter(can_run);
    let external: Vec<&FunctionInfo> = own().filter(|function| function.external).collect();
    let candidates = if external.is_empty() { own().collect() } else { external };
    match &candidates[..] {
        [] => Err(SignatureError::NoneToRun),
        [function] => Ok(function),
        several => {
            let names =
                several.iter().take(3 * LISTED).map(|function| without_parameters(&function.qualified).to_owned());
            Err(SignatureError::Several { names: names.collect() })
        }
    }
}

fn ends_with_path(qualified: &str, name: &str) -> bool {
    let path = scoped_name(qualified);
    [qualified, path].iter().any(|full| full.strip_suffix(name).is_some_and(|scopes| scopes.ends_with("::")))
}

/// `ns::f` of `ns::f(double)`, `ns::f<double>` of `double ns::f<double>(double)`: demanglers write the results of templates' instances.
pub(crate) fn scoped_name(qualified: &str) -> &str {
    let path = without_parameters(qualified);
    let mut depth = 0;
    for (index, c) in path.char_indices().rev() {
        match c {
            '>' | ')' => depth += 1,
            '<' | '(' => depth -= 1,
            // `operator double` and the like keep what they are.
            ' ' if depth == 0 && !path[..index].ends_with("operator") => return &path[index + 1..],
            _ => {}
        }
    }
    path
}

/// `ns::f` of `ns::f(double)`, `ns::f(double)::operator()` of a lambda's in it.
fn without_parameters(qualified: &str) -> &str {
    let Some(end) = qualified.rfind(')') else { return qualified };
    // Behind parameters stands `const` and the like; of what is in a function or an argument these are not its own.
    if qualified[end..].contains("::") || qualified[end..].contains('>') {
        return qualified;
    }
    let mut depth = 0;
    for (index, c) in qualified[..=end].char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return if index == 0 { qualified } else { &qualified[..index] };
        }
    }
    qualified
}

/// `ns::f` of `ns::f<double>`.
fn template_of(path: &str) -> Option<&str> {
    let inner = path.strip_suffix('>')?;
    let mut depth = 1;
    for (index, c) in inner.char_indices().rev() {
        match c {
            '>' => depth += 1,
            '<' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return Some(&path[..index]);
        }
    }
    None
}

fn near_names(functions: &[FunctionInfo], name: &str) -> Vec<String> {
    let own = functions.iter().filter(|function| function.in_main_file || function.language.is_none());
    nearest(own.map(|function| function.name.as_str()), name)
}

/// The names that are most like one that nothing has.
pub(crate) fn nearest<'n>(names: impl Iterator<Item = &'n str>, wanted: &str) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> =
        names.map(|name| (strsim::jaro_winkler(&name.to_lowercase(), &wanted), name)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    // Names that are not alike are shown only where there are few to choose from, in an order that says nothing of likeness.
    let alike = scored.iter().take_while(|(score, _)| *score > 0.75).count();
    if scored.len() > LISTED {
        scored.truncate(alike.min(LISTED));
    } else {
        scored[alike..].sort_by_key(|(_, name)| *name);
    }
    scored.into_iter().map(|(_, name)| name.to_owned()).collect()
}

pub(super) fn describe_functions(debug: &DebugInfo) -> Result<Vec<Described>, SignatureError> {
    let mut functions = Vec::new();
    for root in debug.roots() {
        let path = debug.name(root)?.unwrap_or_default();
        // Rust's standard library is linked in, with its debug information and that of what it depends on.
        if path.starts_with("/rustc/") || path.starts_with("/rust/deps/") {
            continue;
        }
        // rustc appends the codegen unit: "lib.rs/@/lib.0a1b-cgu.0".
        let path = path.split("/@/").next().unwrap_or("").to_owned();
        scan(debug, root, &path, &mut Vec::new(), &mut functions)?;
    }
    functions.sort_by(|a: &Described, b| (a.info.address, &a.info.symbol).cmp(&(b.info.address, &b.info.symbol)));
    functions.dedup_by(|a, b| a.info.address == b.info.address && a.info.symbol == b.info.symbol);
    drop_inlined_copies(&mut functions);
    // gcc's crtfastmath.o, linked by -ffast-math, may be the only part with debug information.
    functions.retain(|function| !is_startup(&function.info.name));
    if functions.is_empty() {
        return Ok(debug.symbols.iter().filter(|symbol| !is_startup(&symbol.name)).map(undescribed).collect());
    }
    add_aliases(debug, &mut functions);
    Ok(functions)
}

/// A function with code may also be described without it, for its inlined copies.
fn drop_inlined_copies(functions: &mut Vec<Described>) {
    let callable = functions.iter().filter(|function| function.info.has_code);
    let callable: HashSet<String> = callable.map(|function| function.info.qualified.clone()).collect();
    functions.retain(|function| function.info.has_code || !callable.contains(&function.info.qualified));
}

/// Compilers merge identical functions; only one of their names has debug information.
fn add_aliases(debug: &DebugInfo, functions: &mut Vec<Described>) {
    let known: HashSet<String> = functions.iter().map(|function| function.info.symbol.clone()).collect();
    // gcc's own name for a function that its file calls, `_Z1fd.localalias`, is no other function's.
    let is_own = |symbol: &Symbol| {
        symbol.is_local && symbol.name.split_once('.').is_some_and(|(function, _)| known.contains(function))
    };
    let mut aliases = Vec::new();
    for symbol in debug.symbols.iter().filter(|symbol| !known.contains(&symbol.name) && !is_own(symbol)) {
        let same = functions.partition_point(|function| function.info.address < symbol.address);
        if let Some(function) = functions.get(same).filter(|function| function.info.address == symbol.address) {
            let (name, qualified) = names(&symbol.name).unwrap_or((symbol.name.clone(), symbol.name.clone()));
            let external = !symbol.is_local;
            let info = FunctionInfo { name, qualified, symbol: symbol.name.clone(), external, ..function.info.clone() };
            aliases.push(Described { info, node: function.node });
        }
    }
    functions.extend(aliases);
}

fn undescribed(symbol: &Symbol) -> Described {
    let (name, qualified) = names(&symbol.name).unwrap_or((symbol.name.clone(), symbol.name.clone()));
    let info = FunctionInfo {
        name,
        qualified,
        symbol: symbol.name.clone(),
        address: symbol.address,
        has_code: true,
        changed: false,
        external: !symbol.is_local,
        file: None,
        in_main_file: false,
        line: None,
        language: None,
    };
    Described { info, node: None }
}

/// Functions of the C run-time that every shared object has.
fn is_startup(name: &str) -> bool {
    const STARTUP: [&str; 8] = [
        "_init",
        "_fini",
        "_start",
        "deregister_tm_clones",
        "register_tm_clones",
        "__do_global_dtors_aux",
        "frame_dummy",
        "set_fast_math",
    ];
    STARTUP.contains(&name)
}

fn scan(
    debug: &DebugInfo,
    parent: Node,
    main_file: &str,
    scopes: &mut Vec<String>,
    found: &mut Vec<Described>,
) -> Result<(), SignatureError> {
    for node in debug.children(parent)? {
        match debug.tag(node)? {
            dw::DW_TAG_subprogram => found.extend(describe(debug, node, main_file, scopes)?),
            dw::DW_TAG_namespace | dw::DW_TAG_module | dw::DW_TAG_structure_type | dw::DW_TAG_class_type => {
                scopes.push(debug.name(node)?.unwrap_or_default());
                scan(debug, node, main_file, scopes, found)?;
                scopes.pop();
            }
            _ => {}
        }
    }
    Ok(())
}

/// The function of an entry that has code, or that says it was inlined.
fn describe(
    debug: &DebugInfo,
    node: Node,
    main_file: &str,
    scopes: &[String],
) -> Result<Option<Described>, SignatureError> {
    let Some(name) = debug.name(node)? else { return Ok(None) };
    let address = debug.address(node)?.unwrap_or(0);
    let has_code = address != 0;
    if !has_code && debug.own(node, dw::DW_AT_inline)?.is_none() {
        return Ok(None);
    }
    let linkage = debug.string(node, dw::DW_AT_linkage_name)?;
    let expected = linkage.clone().unwrap_or_else(|| name.clone());
    let first = debug.symbols.partition_point(|symbol| symbol.address < address);
    let mut here = debug.symbols[first..].iter().take_while(|symbol| has_code && symbol.address == address);
    let symbol = here.clone().find(|symbol| symbol.name == expected).or_else(|| here.next());
    let suffix = symbol.and_then(|symbol| symbol.name.strip_prefix(&expected));
    let changed = suffix.is_some_and(|suffix| suffix.starts_with('.'));
    let language = language_of(debug, node)?;
    // flang calls the main program so; gfortran gives it the program's name, and marks it.
    let is_program = debug.own(node, dw::DW_AT_main_subprogram)?.is_some();
    if name == "_QQmain" || is_program {
        return Ok(None);
    }
    let qualified = linkage.as_deref().and_then(demangled);
    let qualified = qualified.unwrap_or_else(|| {
        let separator = if language == Some(Language::Fortran) { "%" } else { "::" };
        scopes.iter().map(String::as_str).chain([name.as_str()]).collect::<Vec<_>>().join(separator)
    });
    let file = debug.file(node)?;
    let folder = debug.string(debug.root_of(node), dw::DW_AT_comp_dir)?.unwrap_or_default();
    let full = |path: &str| -> PathBuf { Path::new(&folder).join(path).components().collect() };
    let in_main_file = file.as_deref().is_some_and(|file| full(file) == full(main_file));
    if !has_code && !in_main_file {
        return Ok(None);
    }
    let info = FunctionInfo {
        name,
        qualified,
        symbol: symbol.map_or(expected, |symbol| symbol.name.clone()),
        address,
        has_code,
        changed,
        external: debug.is_set(node, dw::DW_AT_external)? || symbol.is_some_and(|symbol| !symbol.is_local),
        file,
        in_main_file,
        line: debug.unsigned(node, dw::DW_AT_decl_line)?.and_then(|line| line.try_into().ok()),
        language,
    };
    Ok(Some(Described { info, node: Some(node) }))
}

fn language_of(debug: &DebugInfo, node: Node) -> Result<Option<Language>, SignatureError> {
    let Some(code) = debug.unsigned(debug.root_of(node), dw::DW_AT_language)? else { return Ok(None) };
    let code = dw::DwLang(u16::try_from(code).unwrap_or(0));
    Ok(match code {
        dw::DW_LANG_C | dw::DW_LANG_C89 | dw::DW_LANG_C99 | dw::DW_LANG_C11 | dw::DW_LANG_C17 => Some(Language::C),
        dw::DW_LANG_C_plus_plus
        | dw::DW_LANG_C_plus_plus_03
        | dw::DW_LANG_C_plus_plus_11
        | dw::DW_LANG_C_plus_plus_14
        | dw::DW_LANG_C_plus_plus_17
        | dw::DW_LANG_C_plus_plus_20 => Some(Language::Cpp),
        dw::DW_LANG_Fortran77
        | dw::DW_LANG_Fortran90
        | dw::DW_LANG_Fortran95
        | dw::DW_LANG_Fortran03
        | dw::DW_LANG_Fortran08
        | dw::DW_LANG_Fortran18 => Some(Language::Fortran),
        dw::DW_LANG_Rust => Some(Language::Rust),
        _ => None,
    })
}

/// The qualified name of a mangled symbol, with its parameters where the symbol has them; `None` where it is not mangled.
pub fn demangled(symbol: &str) -> Option<String> {
    names(symbol).map(|(_, qualified)| qualified)
}

/// Plain and qualified name of a mangled symbol.
fn names(symbol: &str) -> Option<(String, String)> {
    let qualified = if let Ok(rust) = rustc_demangle::try_demangle(symbol) {
        format!("{rust:#}")
    } else if symbol.starts_with("_Z") {
        cpp_demangle::Symbol::new(symbol).ok()?.demangle().ok()?
    } else {
        return None;
    };
    let path = without_parameters(&qualified);
    let name = path.rsplit("::").next().unwrap_or(path).to_owned();
    Some((name, qualified))
}
