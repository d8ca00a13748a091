//! What results are compared with instead of the function's own formulas: one of MPFR's functions, or another function of a source file.
//!
//! A reference is for one function. In a library each may have its own, which then says whose it is: `gsl_sf_erf=mpfr:erf`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use labrys_elementary::{MpfrFunction, Operand};
use labrys_float::{Float, Format};
use labrys_interp::Limits;
use labrys_program::{
    Access, Leaf, LengthOptions, ParameterType, ScalarType, Signature, TemporaryFolder, choose_function, functions_in,
    signature_with_guesses, with_directions,
};

use super::request::Request;
use crate::AnalysisError;
use crate::run::clock::Clock;
use crate::run::files::temporary_folder;
use crate::run::options::RunOptions;
use crate::target::analysed::Analysed;
use crate::target::subject::Subject;
use crate::target::unit::{Unit, UnitRequest, bind, build_source};
use crate::truth::{self, Argument, Formulas, MpfrCall};

/// A `--reference`, read but for what hangs on the function.
#[derive(Clone, Debug)]
pub struct ReferenceRequest {
    /// Whose it is; `None`: the only function's.
    pub of: Option<String>,
    /// As the user wrote it, without whose it is.
    pub name: String,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// MPFR's function, and its arguments where they are not the parameters in their order.
    Mpfr(MpfrFunction, Option<Vec<String>>),
    /// A function of a file.
    Function(PathBuf, String),
}

/// The built files that references are functions of.
#[derive(Default)]
pub struct ReferenceFiles {
    built: Vec<Built>,
}

/// A file, and one of its functions.
struct Built {
    path: PathBuf,
    unit: Unit,
    /// Where its library lies.
    _folder: TemporaryFolder,
}

/// A reference of one function.
pub struct Resolved {
    /// As the user wrote it.
    pub name: String,
    truth: Truth,
}

enum Truth {
    Mpfr(Box<MpfrCall>),
    Function(Box<(Analysed, Signature)>),
}

impl ReferenceRequest {
    /// Reads `mpfr:erf`, `mpfr:jn(1,x)`, `slow.c:slow`, or one of these behind `NAME=`.
    ///
    /// # Errors
    ///
    /// What is none of them.
    pub fn parse(text: &str) -> Result<ReferenceRequest, AnalysisError> {
        let usage = |why: String| AnalysisError::Usage(format!("--reference {text}: {why}"));
        let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let (of, name) = match text.split_once('=').filter(|(of, _)| is_name(of)) {
            Some((of, name)) => (Some(of.to_owned()), name),
            None => (None, text),
        };
        let expected = "expected mpfr:NAME, mpfr:NAME(ARGUMENT,...) or FILE:FUNCTION";
        let (before, after) = name.split_once(':').ok_or_else(|| usage(expected.to_owned()))?;
        if before.is_empty() || after.is_empty() {
            return Err(usage(expected.to_owned()));
        }
        let what = match before {
            "mpfr" => {
                let (function, arguments) = match after.split_once('(') {
                    Some((function, rest)) => {
                        let inside =
                            rest.strip_suffix(')').ok_or_else(|| usage("a parenthesis is missing".to_owned()))?;
                        (function, Some(inside.split(',').map(|word| word.trim().to_owned()).collect()))
                    }
                    None => (after, None),
                };
                let known = || MpfrFunction::names().collect::<Vec<_>>().join(" ");
                let found = MpfrFunction::named(function)
                    .ok_or_else(|| usage(format!("there is no mpfr_{function} here, but {}", known())))?;
                What::Mpfr(found, arguments)
            }
            file => What::Function(PathBuf::from(file), after.to_owned()),
        };
        Ok(ReferenceRequest { of, name: name.to_owned(), what })
    }

    /// What a function's result depends on beyond its own code: the reference, and the text of its file.
    pub fn fingerprint(&self) -> String {
        let text = match &self.what {
            What::Mpfr(..) => None,
            What::Function(file, _) => fs::read_to_string(file).ok(),
        };
        format!("{:?} {} {text:?}", self.of, self.name)
    }
}

/// Whether a reference that names a function is one of these functions', and one that names none has only one to be of.
///
/// # Errors
///
/// Which reference is of no function or of too many.
pub fn must_fit(request: &Request, functions: &[&str]) -> Result<(), AnalysisError> {
    for (index, reference) in request.references.iter().enumerate() {
        let usage = |why: String| Err(AnalysisError::Usage(format!("--reference {}: {why}", reference.name)));
        match &reference.of {
            Some(of) if !functions.contains(&of.as_str()) => return usage(format!("there is no function {of}")),
            None if functions.len() != 1 => {
                return usage(format!("it is of one function, and there are {}: say NAME=...", functions.len()));
            }
            of if request.references[..index].iter().any(|earlier| earlier.of == *of) => {
                return usage("there is another reference of the same function".to_owned());
            }
            _ => {}
        }
    }
    Ok(())
}

/// The reference of a function, if it has one.
///
/// # Errors
///
/// Where it is of another type, or its file has no such function.
pub fn resolve(request: &Request, files: &ReferenceFiles, unit: &Unit) -> Result<Option<Resolved>, AnalysisError> {
    let is_own = |reference: &&ReferenceRequest| reference.of.as_ref().is_none_or(|of| *of == unit.name);
    let Some(reference) = request.references.iter().find(is_own) else { return Ok(None) };
    let truth = match &reference.what {
        What::Mpfr(function, arguments) => mpfr_call(*function, arguments.as_deref(), unit)
            .map(|call| Truth::Mpfr(Box::new(call)))
            .map_err(|why| AnalysisError::Usage(format!("--reference {}: {why}", reference.name)))?,
        What::Function(file, name) => Truth::Function(Box::new(function_of(request, files, unit, file, name)?)),
    };
    Ok(Some(Resolved { name: reference.name.clone(), truth }))
}

impl Resolved {
    /// What computes true outputs; `init` is a symbol that is called first where its program has one.
    pub fn truth(&self, init: Option<&str>, limits: Limits) -> truth::Reference<'_> {
        match &self.truth {
            Truth::Mpfr(call) => truth::Reference::Mpfr(call.clone()),
            Truth::Function(of) => {
                let (analysed, signature) = &**of;
                let init = init.and_then(|symbol| analysed.program.function(symbol));
                truth::Reference::Function(Box::new(Formulas::new(analysed, signature, init, limits)))
            }
        }
    }
}

/// The call of MPFR's function, its operands found among the function's inputs.
fn mpfr_call(function: MpfrFunction, arguments: Option<&[String]>, unit: &Unit) -> Result<MpfrCall, String> {
    let (name, operands) = (function.name(), function.operands());
    let inputs = unit.signature.input_layout();
    let outputs = unit.signature.output_layout().leaves;
    let is_float = |leaf: &Leaf| matches!(leaf.scalar, ScalarType::Float(_));
    let floats: Vec<usize> = (0..outputs.len()).filter(|index| is_float(&outputs[*index])).collect();
    let [output] = floats[..] else {
        return Err(format!("mpfr_{name} gives one number, {} {}", unit.name, floats.len()));
    };
    let ScalarType::Float(float) = outputs[output].scalar else { return Err("its output is no float".to_owned()) };
    let own: Vec<String>;
    let words = match arguments {
        Some(words) => words,
        None => {
            own = inputs.leaves.iter().map(|leaf| leaf.path.clone()).collect();
            &own[..]
        }
    };
    if words.len() != operands.len() {
        let (wanted, given) = (operands.len(), words.len());
        return Err(match arguments {
            Some(_) => format!("mpfr_{name} takes {}, not {given}", counted(wanted, "argument")),
            None => format!(
                "mpfr_{name} takes {}, {} has {}: name those that are meant, as in mpfr:{name}(x)",
                counted(wanted, "argument"),
                unit.name,
                counted(given, "input")
            ),
        });
    }
    let argument = |(word, operand): (&String, &Operand)| match inputs.leaves.iter().find(|leaf| leaf.path == *word) {
        Some(leaf) if *operand == Operand::Integer && is_float(leaf) => {
            Err(format!("mpfr_{name} takes an integer for {word}"))
        }
        Some(leaf) if arguments.is_none() && *operand == Operand::Number && !is_float(leaf) => {
            Err(format!("{word} is an integer; where that is meant write mpfr:{name}({})", words.join(",")))
        }
        Some(leaf) => Ok(Argument::Input(leaf.clone())),
        None => constant(word, *operand)
            .map(Argument::Constant)
            .ok_or_else(|| format!("`{word}` is no input of {} and no {}", unit.name, kind(*operand))),
    };
    Ok(MpfrCall {
        function,
        arguments: words.iter().zip(operands).map(argument).collect::<Result<_, _>>()?,
        inputs: inputs.clone(),
        output: (output, outputs.len()),
        format: float.format(),
    })
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn kind(operand: Operand) -> &'static str {
    match operand {
        Operand::Number => "number",
        Operand::Integer => "integer",
    }
}

/// A constant argument; a number that is no double is rounded to one, as in C.
fn constant(word: &str, operand: Operand) -> Option<labrys_elementary::rug::Float> {
    if operand == Operand::Integer {
        return word.parse::<i32>().ok().map(|n| labrys_elementary::rug::Float::with_val(32, n));
    }
    let value = Float::parse_decimal(Format::BINARY64, word)?;
    value.is_finite().then(|| labrys_elementary::to_precise(&value))
}

/// A function of a source file, of the unit's type.
fn function_of(
    request: &Request,
    files: &ReferenceFiles,
    unit: &Unit,
    file: &Path,
    name: &str,
) -> Result<(Analysed, Signature), AnalysisError> {
    let usage = |why: String| AnalysisError::Usage(format!("--reference {}:{name}: {why}", file.display()));
    // The function's own file was built for itself.
    let (library, program) = match files.built.iter().find(|built| built.path == file) {
        Some(Built { unit, .. }) => (&unit.library, unit.analysed.as_deref()),
        None if is_own_file(request, file) => (&unit.library, unit.analysed.as_deref()),
        None => return Err(usage("it was not built".to_owned())),
    };
    let program = Arc::clone(&program.map_err(|why| usage(format!("it has no IR: {why}")))?.program);
    let functions = functions_in(library)?;
    let symbol = choose_function(&functions, Some(name)).map_err(|error| usage(error.to_string()))?.symbol.clone();
    let (theirs, _) = signature_with_guesses(library, &symbol, &LengthOptions::default(), Some(&program))?;
    bound(unit, theirs, program).map_err(usage)
}

fn is_own_file(request: &Request, file: &Path) -> bool {
    request.build.subject == Subject::Source(file.to_owned())
}

impl ReferenceFiles {
    /// Builds the files that a request's references are functions of, but for the one that is analysed itself.
    ///
    /// # Errors
    ///
    /// Where one cannot be built, or has no such function.
    pub fn build(request: &Request, clock: &Clock) -> Result<ReferenceFiles, AnalysisError> {
        let mut files = ReferenceFiles::default();
        for reference in &request.references {
            let What::Function(file, name) = &reference.what else { continue };
            if is_own_file(request, file) || files.built.iter().any(|built| built.path == *file) {
                continue;
            }
            let folder = temporary_folder()?;
            let run = RunOptions {
                function: Some(name.clone()),
                of_crate: None,
                database: None,
                signature: None,
                lengths: Vec::new(),
                link: Vec::new(),
                common_flags: Vec::new(),
                ..request.run.clone()
            };
            let unit =
                build_source(UnitRequest { run: &run, flags: None, init: None }, file, folder.path(), clock)?.unit;
            files.built.push(Built { path: file.clone(), unit, _folder: folder });
        }
        Ok(files)
    }
}

/// A function of a program that takes and returns what the unit does: it is called as the unit is.
fn bound(
    unit: &Unit,
    theirs: Signature,
    program: Arc<labrys_program::Program>,
) -> Result<(Analysed, Signature), String> {
    let theirs = match program.function(&theirs.symbol) {
        Some(function) => with_directions(theirs, &program, function),
        None => return Err("it has no IR".to_owned()),
    };
    if let Some(why) = differs(&unit.signature, &theirs) {
        return Err(format!("it is of another type than {}: {why}", unit.name));
    }
    let signature = Signature { name: theirs.name, symbol: theirs.symbol, ..unit.signature.clone() };
    Ok((bind(&signature, program)?, signature))
}

/// In what the types of two functions differ; lengths behind pointers are the caller's.
fn differs(one: &Signature, other: &Signature) -> Option<String> {
    if one.parameters.len() != other.parameters.len() {
        return Some(format!("{} parameters and {}", one.parameters.len(), other.parameters.len()));
    }
    for (a, b) in one.parameters.iter().zip(&other.parameters) {
        let is_same = match (&a.ty, &b.ty) {
            (ParameterType::Value(a), ParameterType::Value(b)) => a == b,
            (
                ParameterType::Pointer { pointee: a, access: of_a, .. },
                ParameterType::Pointer { pointee: b, access: of_b, .. },
            ) => a == b && (*of_a == Access::In) == (*of_b == Access::In),
            _ => false,
        };
        if !is_same {
            return Some(format!("parameter {}", a.name));
        }
    }
    (one.result != other.result).then(|| "the result".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read() {
        let read = |text: &str| ReferenceRequest::parse(text).map(|of| (of.of, of.name, format!("{:?}", of.what)));
        let (of, name, what) = read("gsl_sf_erf=mpfr:erf").unwrap();
        assert_eq!((of.as_deref(), name.as_str()), (Some("gsl_sf_erf"), "mpfr:erf"));
        assert!(what.starts_with("Mpfr") && what.ends_with("None)"), "{what}");
        let (of, _, what) = read("mpfr:jn(1, x)").unwrap();
        assert!(of.is_none() && what.contains(r#"Some(["1", "x"])"#), "{what}");
        let (_, _, what) = read("f.cpp:space::slow").unwrap();
        assert!(what.contains(r#""f.cpp""#) && what.contains(r#""space::slow""#), "{what}");
        for wrong in ["", "mpfr", "mpfr:", ":f", "f.c:", "mpfr:jn(1,x", "mpfr:erfcx"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn constants_are_doubles_or_integers() {
        assert_eq!(constant("0x1p-3", Operand::Number).map(|x| x.to_f64()), Some(0.125));
        assert_eq!(constant("-2", Operand::Integer).map(|x| x.to_f64()), Some(-2.0));
        for (word, operand) in
            [("1.5", Operand::Integer), ("x", Operand::Number), ("inf", Operand::Number), ("", Operand::Number)]
        {
            assert!(constant(word, operand).is_none(), "{word}");
        }
    }
}
