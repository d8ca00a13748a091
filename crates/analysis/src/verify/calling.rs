//! How a function that takes more than numbers is called: by a `main` that gives it memory, the one that `cover` calls functions with.

use std::path::{Path, PathBuf};

use labrys_fuzz::InputClass;
use labrys_program::{Function, Language, Length, ParameterType, RUST_NAMES, Type, VariableType, WholeSpec};
use labrys_report::SourcePlace;

use super::request::Request;
use crate::inputs::domain::Domain;
use crate::run::clock::Clock;
use crate::target::nullable::{nullable, of_pointers};
use crate::target::unit::{Built as BuiltUnit, UnitRequest, build_drivable};
use crate::whole::harness::{Harness, Target};
use crate::{AnalysisError, RunOptions};

/// The name of the `main`'s file, but for its ending.
const FILE: &str = "labrys-calling";

/// A function and the `main` around it.
pub(super) struct Calling {
    unit: BuiltUnit,
    domain: Domain,
    class: InputClass,
    nullable: Vec<usize>,
    language: Language,
    /// The source that defines it, by its place, and its path where that is to be included: others do not see the function.
    source: (usize, Option<PathBuf>),
}

/// Whether a function takes something else than integers and floats.
pub(super) fn needs_memory(function: &Function) -> bool {
    let is_number = |of: &labrys_program::ParameterValue| {
        matches!(of.ty, Type::Int(_) | Type::Float(_)) && of.by_value.is_none() && !of.is_struct_return
    };
    !function.parameters.iter().all(is_number)
}

impl Calling {
    /// Learns how the request's function is called.
    ///
    /// # Errors
    ///
    /// Where no source defines it in a way that it can be called, or its inputs are none.
    pub(super) fn of(
        request: &Request,
        run: &RunOptions,
        (folder, clock): (&Path, &Clock),
    ) -> Result<Calling, AnalysisError> {
        let mut refusal = None;
        // Where the headers of inputs are written.
        let headers = folder.join("include");
        for (place, source) in request.sources.iter().enumerate() {
            let language = Language::of(source)?;
            if matches!(language, Language::Ir | Language::SharedObject) {
                continue;
            }
            let others = request.sources.iter().enumerate().filter(|(other, _)| *other != place);
            let mut run = run.clone();
            if matches!(language, Language::C | Language::Cpp) {
                run.common_flags.extend(["-idirafter".to_owned(), headers.display().to_string()]);
            }
            if language == Language::Rust {
                run.common_flags.extend(RUST_NAMES.map(str::to_owned));
            }
            // Where tests and the files of findings have what is made for the function.
            let tests = request.tests.as_ref().map(|tests| tests.folder.clone());
            run.output = tests.or_else(|| request.output.clone());
            run.link.extend(others.map(|(_, source)| source.clone()));
            match build_drivable(UnitRequest { run: &run, flags: None, init: None }, source, folder, clock) {
                Ok(unit) => {
                    let domain = Domain::new(&unit.asked.domain(), &unit.unit.signature)?;
                    let nullable = match &unit.unit.analysed {
                        Ok(analysed) => nullable(&analysed.program, analysed.function, &unit.unit.signature),
                        Err(_) => Vec::new(),
                    };
                    let whole = source.canonicalize().unwrap_or_else(|_| source.clone());
                    // rustc keeps private functions and lets clang's linker see them.
                    let is_seen = unit.unit.is_public || language == Language::Rust;
                    if !is_seen && language == Language::Fortran {
                        return Err(AnalysisError::Usage(format!(
                            "{}: {} is not seen outside its procedure: nothing else can call it",
                            source.display(),
                            unit.unit.name
                        )));
                    }
                    let included = (!is_seen).then_some(whole);
                    let source = (place, included);
                    return Ok(Calling { unit, domain, class: run.inputs, nullable, language, source });
                }
                Err(error) => refusal = refusal.or(Some(error)),
            }
        }
        Err(refusal.unwrap_or_else(|| {
            AnalysisError::Usage(format!(
                "{} takes more than numbers, and how it is called is not known of LLVM's IR: write a main that calls it",
                request.entry
            ))
        }))
    }

    /// The `main`, called `main`, as C or C++.
    pub(super) fn text(&self, main: &str, language: Language) -> String {
        let target = self.source.1.as_deref().map_or(Target::Symbol, Target::Included);
        let (domain, class, nullable) = (&self.domain, self.class, self.nullable.as_slice());
        Harness {
            signature: &self.unit.unit.signature,
            domain,
            class,
            target,
            alignment: 32,
            nullable,
            ends_at_length: true,
        }
        .text(main, language)
    }

    /// The program of `spec` with the `main`, in `folder`.
    ///
    /// # Errors
    ///
    /// Where that cannot be written.
    pub(super) fn extend(&self, mut spec: WholeSpec, folder: &Path) -> Result<WholeSpec, AnalysisError> {
        let suffix = if self.language == Language::Cpp { "cpp" } else { "c" };
        let file = folder.join(format!("{FILE}.{suffix}"));
        std::fs::write(&file, self.text("main", self.language))
            .map_err(|error| AnalysisError::Usage(format!("cannot write {}: {error}", file.display())))?;
        spec.sources = self.unit.program_sources(&spec.sources, self.source.0);
        match &self.source {
            (place, Some(_)) => spec.sources[*place] = file,
            // A linker takes of an archive what was asked for before it.
            (_, None) if self.language == Language::Rust => spec.sources.insert(0, file),
            (_, None) => spec.sources.push(file),
        }
        "main".clone_into(&mut spec.entry);
        Ok(spec)
    }

    /// Whether a place is in the `main`, which the user does not know.
    pub(super) fn is_in_main(place: &SourcePlace) -> bool {
        place.file.as_deref().is_some_and(|file| Path::new(file).file_stem().is_some_and(|stem| stem == FILE))
    }

    /// The sources that are compiled by themselves in a file of tests, and whether that file includes one.
    pub(super) fn sources(&self, all: &[PathBuf]) -> (Vec<PathBuf>, bool) {
        let is_left = |place: usize| self.source.1.is_none() || place != self.source.0;
        let all = self.unit.program_sources(all, self.source.0);
        let left = all.iter().enumerate().filter(|(place, _)| is_left(*place)).map(|(_, source)| source.clone());
        (left.collect(), self.source.1.is_some())
    }

    /// The parameters that are inputs: the names of their objects and what these hold, of memory behind pointers as much as there is at most.
    pub(super) fn parameters(&self) -> impl Iterator<Item = (&str, VariableType)> {
        self.unit.unit.signature.parameters.iter().map(|parameter| {
            let (pointee, dimensions) = match &parameter.ty {
                ParameterType::Value(pointee) | ParameterType::Pointer { pointee, length: Length::Fixed(1), .. } => {
                    (pointee, Vec::new())
                }
                ParameterType::Pointer { pointee, length, .. } => (pointee, vec![length.capacity()]),
            };
            (parameter.name.as_str(), VariableType { element: pointee.clone(), dimensions, is_character: false })
        })
    }

    /// What was guessed, a sentence each.
    pub(super) fn notes(&self) -> impl Iterator<Item = &String> {
        self.unit.notes.iter().chain(&self.unit.unit.remarks)
    }

    /// What a proof takes for granted, beyond what the program itself does.
    pub(super) fn assumptions(&self) -> impl Iterator<Item = String> {
        let unit = &self.unit.unit;
        unit.assumptions.iter().cloned().chain(of_pointers(&unit.signature, &self.nullable, self.language))
    }
}
