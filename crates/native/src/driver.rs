//! The driver loop: C generated for a signature and compiled once, loaded by the workers.
//!
//! For each input record it copies the memory parameters into blocks of its own, fills the vector registers, loads the
//! arguments, calls, and reads the status of SSE, or what `fenv.h` says of it on other processors. Then it stores what is an output, scalar by scalar where a type
//! has padding. Status is cleared only where a watched bit is set; control registers are restored where the callee
//! changed them, and the x87 stack where it left something there.
//!
//! **x87.** Its status word costs as much to read as all else. Where calls can do nothing to it, it is not read. Where they can
//! raise exceptions but clear none, it is read after every block of calls, at the end, and before the loop clears it. Else both
//! units' registers are stored after each call, and looked at after each block: storing and looking at once costs half as much
//! again (`crate::processor::X87Reading`).
//!
//! **Claim.** Each record has the watched exceptions of its own call. **Argument.** Where a block shows a watched exception, its
//! calls are made again from the state in which the first of them began, each looked at by itself, and their records are written
//! anew. A block shows all that its calls raised: what stays raised until the end, or what stands in the registers behind the
//! call. The same is done where control registers are not as they were, or the x87 stack is not, or ran over or under.
//!
//! **What it may miss.** Code with state of its own is called twice for one record: its results are those of the second call,
//! in every run. A call that leaves just eight values on the x87 stack, or MMX registers in use, hands them to the next one.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use labrys_program::Signature;

use crate::{NativeError, driver_text, processor};

/// How long compiling the loop may take.
const COMPILE_LIMIT: Duration = Duration::from_secs(60);

/// A compiled driver loop. The shared object lies in the folder given to [`Driver::compile`].
#[derive(Clone, Debug)]
pub struct Driver {
    library: PathBuf,
}

impl Driver {
    /// Generates and compiles the loop for `signature` in `folder`.
    ///
    /// # Errors
    ///
    /// Where neither clang-22 nor cc can compile it, or the folder cannot be written.
    pub fn compile(signature: &Signature, folder: &Path) -> Result<Driver, NativeError> {
        let source = folder.join("labrys-driver.c");
        let library = folder.join("labrys-driver.so");
        std::fs::write(&source, driver_text::generate(signature))
            .map_err(|error| NativeError::System { what: "cannot write the driver loop", source: error })?;
        let mut failure = None;
        for compiler in ["clang-22", "cc"] {
            match compile(compiler, &source, &library) {
                Ok(()) => return Ok(Driver { library }),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        Err(failure.unwrap_or(NativeError::Driver { compiler: "cc".to_owned(), reason: "none found".to_owned() }))
    }

    /// The loop for `signature`, compiled in `folder` unless an earlier call, of this process or another, left one for the same
    /// text there: functions that take the same types share a loop, whatever their names.
    ///
    /// # Errors
    ///
    /// As [`Driver::compile`].
    pub fn cached(signature: &Signature, folder: &Path) -> Result<Driver, NativeError> {
        let text = driver_text::generate(signature);
        let mut hasher = DefaultHasher::new();
        (&text, processor::driver_flags()).hash(&mut hasher);
        let name = format!("labrys-driver-{:016x}", hasher.finish());
        let (source, library) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.so")));
        // The text is compared, too: hashes may collide.
        if std::fs::read(&source).is_ok_and(|known| known == text.as_bytes()) && library.exists() {
            return Ok(Driver { library });
        }
        let system = |source| NativeError::System { what: "cannot write the driver loop", source };
        let draft = tempfile::Builder::new().prefix("labrys-driver-").tempdir_in(folder).map_err(system)?;
        let made = Driver::compile(signature, draft.path())?;
        // By renames, so that nobody finds half a file; the text, which vouches for the object, last.
        std::fs::rename(&made.library, &library).map_err(system)?;
        std::fs::rename(draft.path().join("labrys-driver.c"), &source).map_err(system)?;
        Ok(Driver { library })
    }

    /// The shared object.
    pub fn library(&self) -> &Path {
        &self.library
    }
}

fn compile(compiler: &str, source: &Path, library: &Path) -> Result<(), NativeError> {
    let failed = |reason: String| NativeError::Driver { compiler: compiler.to_owned(), reason };
    let words = source.with_extension("messages");
    let messages = std::fs::File::create(&words).map_err(|error| failed(error.to_string()))?;
    let mut command = Command::new(compiler);
    command.args(["-O2", "-shared", "-fPIC", "-w", "-ffp-contract=off"]).args(processor::driver_flags());
    // The folder of the source goes when the driver does, with whatever a compiler that crashes or is killed leaves.
    command.envs(source.parent().map(|folder| ("TMPDIR", folder)));
    command.arg("-o").arg(library).arg(source).stdin(Stdio::null()).stdout(Stdio::null()).stderr(messages);
    let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
    let begun = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) => {
                let text = std::fs::read_to_string(&words).unwrap_or_default();
                return Err(failed(text.lines().next().unwrap_or("no message").to_owned()));
            }
            Ok(None) if begun.elapsed() < COMPILE_LIMIT => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(failed("it did not end within a minute".to_owned()));
            }
        }
    }
}
