//! Why an analysis could not be done at all. What stops only a part of it is a note in the report.

use std::path::{Path, PathBuf};

use labrys_native::NativeError;
use labrys_program::{BuildError, LoadError, SignatureError, VariantError, WholeError};
use labrys_report::ReportError;
use thiserror::Error;

use crate::inputs::assume::AssumeError;

/// A usage or environment error of an analysis: one line for the user.
#[derive(Debug, Error)]
pub enum AnalysisError {
    /// A file cannot be read.
    #[error("{}: {reason}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The command line asks for something that makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A build failed.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// IR could not be loaded where nothing goes without it.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The function cannot be found or driven, and in which file.
    #[error("{}: {error}", .file.display())]
    Function {
        /// The file as the user named it.
        file: PathBuf,
        /// Why.
        error: Box<SignatureError>,
    },
    /// An option about the function cannot be used.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// A variant of IR cannot be made.
    #[error(transparent)]
    Variant(#[from] VariantError),
    /// Sources are no program that can be executed.
    #[error(transparent)]
    Whole(WholeError),
    /// A report cannot be read or does not fit.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// An assumption is malformed.
    #[error(transparent)]
    Assume(#[from] AssumeError),
    /// The native side failed.
    #[error(transparent)]
    Native(#[from] NativeError),
    /// No input satisfies the assumptions.
    #[error("no input found that satisfies the assumptions and ranges; are they contradictory?")]
    NoInput,
    /// Time was up before anything could be run.
    #[error("the time limit was reached {0}; give more with --time")]
    TimeUp(&'static str),
    /// A defect of labrys.
    #[error("internal error, please report it: {0}")]
    Internal(&'static str),
}

impl From<WholeError> for AnalysisError {
    fn from(error: WholeError) -> AnalysisError {
        match error {
            WholeError::Build(error) => AnalysisError::Build(error),
            WholeError::Load(error) => AnalysisError::Load(error),
            other => AnalysisError::Whole(other),
        }
    }
}

impl AnalysisError {
    /// An error about a function, with the name of its source.
    pub(crate) fn of_function(error: SignatureError, source: &Path) -> AnalysisError {
        let path = source.to_owned();
        match error {
            // These name a file themselves, which may be a temporary one.
            SignatureError::NoDebugInformation { function, .. } => {
                SignatureError::NoDebugInformation { function, path }.into()
            }
            SignatureError::NoFunctions { .. } => SignatureError::NoFunctions { path }.into(),
            SignatureError::Length { .. } | SignatureError::Prototype { .. } | SignatureError::Read { .. } => {
                error.into()
            }
            error => AnalysisError::Function { file: path, error: Box::new(error) },
        }
    }

    /// A finding is not of this analysis.
    pub(crate) fn other_analysis(analysis: &str) -> AnalysisError {
        AnalysisError::Usage(format!("it is no finding of `labrys {analysis}`"))
    }

    /// The same, where a library of ours cannot be loaded, by what it is to the user: its file is a temporary one. `otherwise` is
    /// another way than `--link` to have what is missing, as the end of a sentence.
    #[must_use]
    pub(crate) fn of_library(self, what: &str, otherwise: &str) -> AnalysisError {
        let AnalysisError::Native(NativeError::Load { library, reason }) = &self else { return self };
        let prefix = format!("{}: ", library.display());
        let reason = reason.strip_prefix(&prefix).unwrap_or(reason);
        let advice = match reason.contains("undefined symbol") {
            true => format!("; --link FILE adds what defines it{otherwise}"),
            false => String::new(),
        };
        AnalysisError::Usage(format!("the {what} cannot be loaded: {reason}{advice}"))
    }

    /// Whether a deadline caused it.
    pub fn is_time_up(&self) -> bool {
        matches!(
            self,
            AnalysisError::Build(BuildError::TimedOut { .. })
                | AnalysisError::TimeUp(_)
                | AnalysisError::Native(NativeError::Deadline { .. })
        )
    }
}
