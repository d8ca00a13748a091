//! One function in several builds: its signature, its symbols, and whether they can be called alike.

use labrys_program::{
    Build, Language, ParameterType, Pointee, Program, ScalarType, Signature, SignatureError, choose_function, exports,
    functions_in, parse_signature, signature_with_guesses,
};

use super::builds::Made;
use super::request::Request;
use crate::error::AnalysisError;
use crate::target::lengths;
use crate::target::lengths::{make_room, settle_lengths};

/// The function's signature, and its symbol in every build.
pub(super) fn find_signature(
    request: &Request,
    builds: &mut [Made],
    ir: Option<&Program>,
    notes: &mut Vec<String>,
) -> Result<(Signature, bool), AnalysisError> {
    let functions = functions_in(&builds[0].build.library)?;
    let chosen = choose_function(&functions, request.run.function.as_deref()).map_err(in_source(&builds[0]))?.clone();
    let lengths = lengths::said(&request.run)?;
    let declared = signature_with_guesses(&builds[0].build.library, &chosen.symbol, &lengths, ir);
    let mut guessed = Vec::new();
    let mut signature = match &request.run.signature {
        Some(text) => {
            let signature = parse_signature(text, &lengths)?;
            if let Ok((declared, _)) = &declared {
                must_fit(text, &signature, declared, &builds[0])?;
            }
            signature
        }
        None => {
            let (signature, guesses) = declared.map_err(in_source(&builds[0]))?;
            guessed = guesses;
            signature
        }
    };
    signature.name = request.run.name_of(&chosen.name);
    signature.symbol.clone_from(&chosen.symbol);
    builds[0].symbol.clone_from(&chosen.symbol);
    let of_baseline = builds[0].build.clone();
    for made in builds.iter_mut().skip(1) {
        let here = functions_in(&made.build.library)?;
        let same_symbol = here.iter().find(|function| function.symbol == chosen.symbol);
        made.symbol = match same_symbol {
            Some(function) => function.symbol.clone(),
            None => {
                let name = request.run.function.as_deref().or(Some(&chosen.name));
                match choose_function(&here, name) {
                    Ok(function) => function.symbol.clone(),
                    // Of functions with the same code gcc keeps one, and debug information of that alone.
                    Err(_) if same_text(&of_baseline, &made.build) && exports(&made.build.library, &chosen.symbol) => {
                        notes.push(format!("{}: no debug information of {}", made.build.role, chosen.name));
                        made.symbol.clone_from(&chosen.symbol);
                        continue;
                    }
                    Err(error) => return Err(in_build(made, chosen.external)(error)),
                }
            }
        };
        let other = signature_with_guesses(&made.build.library, &made.symbol, &lengths, ir);
        match &request.run.signature {
            None => {
                let (other, _) = other.map_err(in_build(made, chosen.external))?;
                // Of a function that an optimiser made unreachable debug information keeps no parameters; its type is the source's.
                let is_emptied = other.parameters.is_empty() && chosen.external;
                let is_same_source = made.build.source == of_baseline.source && made.build.language != Language::Ir;
                let is_known = is_emptied && is_same_source;
                if !is_known && !same_call(&signature, &other) {
                    let what = "does not take and return the same as in the baseline";
                    return Err(in_build(made, chosen.external)(format!("`{}` {what}", chosen.name)));
                }
            }
            Some(text) => {
                if let Ok((other, _)) = &other {
                    must_fit(text, &signature, other, made)?;
                }
            }
        }
    }
    // After all builds were compared: their own guesses are alike.
    if let Some((program, function)) = ir.and_then(|program| Some((program, program.function(&chosen.symbol)?))) {
        settle_lengths(program, function, &mut signature, &guessed, &request.run);
    }
    make_room(&mut signature, &request.run);
    notes.extend(guessed.into_iter().map(|parameter| signature.remark_on_length(parameter)));
    Ok((signature, !chosen.external))
}

/// Whether two builds are of one source after the same preprocessing, as far as their flags tell: functions of one name then have one type.
fn same_text(a: &Build, b: &Build) -> bool {
    let says = |build: &Build| -> Vec<String> {
        let words = build.flags.iter().filter(|word| !is_numeric(word));
        words.cloned().collect()
    };
    a.source == b.source && says(a) == says(b)
}

/// Whether a flag is of optimisation or numbers: it changes what is computed, not what a function takes.
fn is_numeric(word: &str) -> bool {
    word.starts_with("-O") || word.starts_with("-f") || word.starts_with("-m") && word != "-m32"
}

/// Names the file that an error about a function is of.
fn in_source(made: &Made) -> impl Fn(SignatureError) -> AnalysisError + use<> {
    let file = made.build.source.clone();
    move |error| AnalysisError::of_function(error, &file)
}

/// Says of which build an error is, and what compilers do to functions that are not `external`.
fn in_build<E: std::fmt::Display>(made: &Made, external: bool) -> impl Fn(E) -> AnalysisError + use<E> {
    let build = format!("{}, {} ({})", made.build.source.display(), made.build.role, made.build.flags.join(" "));
    let advice = match external {
        true => "",
        false => "; it is static: compare a function that calls it",
    };
    move |error| AnalysisError::Usage(format!("{build}: {error}{advice}"))
}

/// A prototype must fit what debug information says, where there is any: as many parameters, each a value or a pointer
/// as declared, of the same scalars. Lengths and names are the prototype's to say.
fn must_fit(text: &str, prototype: &Signature, declared: &Signature, made: &Made) -> Result<(), AnalysisError> {
    let wrong = |what: String| {
        let source = made.build.source.display();
        Err(AnalysisError::Usage(format!(
            "--signature \"{text}\" does not fit {source}: {what} by its debug information"
        )))
    };
    let (given, known) = (prototype.parameters.len(), declared.parameters.len());
    if given != known {
        return wrong(format!("`{}` takes {known} parameters, not {given},", declared.name));
    }
    for (given, known) in prototype.parameters.iter().zip(&declared.parameters) {
        if !same_shape(&given.ty, &known.ty) {
            return wrong(format!("parameter `{}` is of another type", known.name));
        }
    }
    match prototype.result == declared.result {
        true => Ok(()),
        false => wrong(format!("the result of `{}` is of another type", declared.name)),
    }
}

/// Whether two parameters are passed alike, lengths and directions aside; a struct is compared by its size.
fn same_shape(a: &ParameterType, b: &ParameterType) -> bool {
    let alike = |a: &Pointee, b: &Pointee| match (a, b) {
        (Pointee::Scalar(ScalarType::Int { bits: a, .. }), Pointee::Scalar(ScalarType::Int { bits: b, .. })) => a == b,
        (Pointee::Scalar(a), Pointee::Scalar(b)) => a == b,
        (Pointee::Struct(a), Pointee::Struct(b)) => a.size == b.size,
        _ => false,
    };
    match (a, b) {
        (ParameterType::Value(a), ParameterType::Value(b)) => alike(a, b),
        (ParameterType::Pointer { pointee: a, .. }, ParameterType::Pointer { pointee: b, .. }) => alike(a, b),
        _ => false,
    }
}

/// Whether two signatures can be called alike: types agree, names may not.
pub fn same_call(a: &Signature, b: &Signature) -> bool {
    a.parameters.len() == b.parameters.len()
        && a.result == b.result
        && a.input_layout().size == b.input_layout().size
        && a.output_layout().size == b.output_layout().size
        && a.parameters.iter().zip(&b.parameters).all(|(a, b)| a.ty == b.ty)
}
